/** The kernel's use of XState, the charts that it rejects, and its reports of steps. */
import { assign, emit, raise, setup, spawnChild, type AnyStateMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { effects, send, type Message } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import {
  byXState,
  choicesOf,
  createInspected,
  createLive,
  createRemoteActor,
  descriptorsOf,
  Effects,
  interpreter,
  isObserved,
  listenersTo,
  onTransition,
  provideEffects,
  type EffectOutbox,
  type TakenTransition,
} from './kernel.js';
import { stopChild } from './internals.js';

const types = { types: { context: {} as { n: number }, events: {} as Message } };
const LIMIT = 10_000;

/** Performs this many automatic steps each time it receives an event. */
const counting = (times: number): AnyStateMachine =>
  setup(types).createMachine({
    context: { n: 0 },
    initial: 'counts',
    on: { go: { actions: assign({ n: times }) } },
    states: {
      counts: { always: { guard: ({ context: { n } }) => n > 0, actions: assign({ n: ({ context: { n } }) => n - 1 }) } },
    },
  }) as AnyStateMachine;

const door = setup({ ...types, actions: effects() }).createMachine({
  id: 'door',
  initial: 'closed',
  states: {
    closed: {
      on: {
        open: [
          { guard: () => false, target: 'closed' },
          { target: 'open', actions: [emit({ type: 'opened' }), send(() => ({ to: 'x', message: { type: 'hello' } }))] },
        ],
        close: {},
      },
    },
    open: { always: { guard: () => false, target: 'closed' }, on: { close: 'closed', end: 'ended' } },
    ended: { type: 'final' },
  },
} as any) as AnyStateMachine;

function took(machine: AnyStateMachine, ...events: readonly Message[]) {
  const asked = new Effects();
  let snapshot = interpreter.begin(machine, undefined, asked);
  for (const event of events) snapshot = interpreter.step(machine, snapshot, event, asked);
  return { snapshot, effects: asked.all() };
}

describe('requests of a chart', () => {
  test('its effects in order, and its notifications after them', () => {
    expect(took(door, { type: 'open' }).effects).toEqual([
      { type: 'send', to: 'x', message: { type: 'hello' } },
      { type: 'emit', event: { type: 'opened' } },
    ]);
    expect(took(door).effects).toEqual([]);
  });

  test('an unknown effect is rejected with its name, and so is an event raised later', () => {
    const spawns = setup(types).createMachine({ entry: spawnChild(door as any) } as any) as AnyStateMachine;
    expect(() => took(spawns)).toThrow(ProtocolError);
    expect(() => took(spawns)).toThrow(
      'A chart used "xstate.spawnChild". Charts are pure: use the effects that xstate-quiver exports, such as send and arm.',
    );
    const later = setup(types).createMachine({ on: { go: { actions: raise({ type: 'x' }, { delay: 5 }) } } } as any);
    expect(() => took(later as AnyStateMachine, { type: 'go' })).toThrow(
      'A chart used "xstate.raise". Charts are pure: use the effects that xstate-quiver exports, such as send and arm.',
    );
    const atOnce = setup(types).createMachine({ on: { go: { actions: raise({ type: 'x' }) } } } as any);
    expect(took(atOnce as AnyStateMachine, { type: 'go' }).effects).toEqual([]);
  });

  test('an action without effects performs none', () => {
    const asked = new Effects();
    asked.add('send', undefined);
    asked.add('draw', { below: 3 });
    expect(asked.all()).toEqual([{ type: 'draw', below: 3 }]);
  });

  test('an infinite loop of a chart is stopped, and the next step counts from zero', () => {
    expect(() => took(counting(Infinity), { type: 'go' })).toThrow(
      'A step of the chart never ends, because "always" or "raise" loops forever.',
    );
    // One is that of the event itself.
    const most = LIMIT - 1;
    expect(took(counting(most), { type: 'go' }, { type: 'go' }).snapshot.context).toEqual({ n: 0 });
    expect(() => took(counting(most + 1), { type: 'go' })).toThrow('loops forever');
  });
});

describe('a step', () => {
  test('throws an error of an action in the initial step', () => {
    const fail = () => {
      throw new TypeError('it broke');
    };
    const breaks = setup(types).createMachine({ context: { n: 0 }, entry: assign({ n: fail }) });
    expect(() => took(breaks as AnyStateMachine)).toThrow(new TypeError('it broke'));
  });

  test('after the end changes nothing, and nothing is accepted', () => {
    const { snapshot } = took(door, { type: 'open' }, { type: 'end' });
    expect(snapshot.status).toBe('done');
    expect(interpreter.step(door, snapshot, { type: 'open' }, new Effects())).toBe(snapshot);
    expect(interpreter.accepts(door, snapshot, { type: 'close' })).toBe(false);
  });

  test('without a transition returns the same snapshot; with one, accepts the event', () => {
    const { snapshot } = took(door);
    expect(interpreter.step(door, snapshot, { type: 'end' }, new Effects())).toBe(snapshot);
    expect(interpreter.accepts(door, snapshot, { type: 'end' })).toBe(false);
    expect(interpreter.accepts(door, snapshot, { type: 'open' })).toBe(true);
  });

  test('continues from value and context', () => {
    const restored = interpreter.restore(door, 'open', { n: 3 });
    expect([restored.value, restored.context]).toEqual(['open', { n: 3 }]);
  });
});

describe('report of a step', () => {
  test('each transition, with its state, its event and its place among the choices', () => {
    const taken: TakenTransition[] = [];
    const stop = onTransition((transition) => taken.push(transition));
    expect(isObserved()).toBe(true);
    took(door, { type: 'open' });
    stop();
    expect(isObserved()).toBe(false);
    took(door, { type: 'open' });
    const opened = taken.filter(({ eventType }) => eventType === 'open');
    expect(opened).toEqual([{ machine: door, source: 'door.closed', eventType: 'open', index: 1, event: { type: 'open' } }]);
    expect(taken.filter(({ eventType }) => eventType !== 'open').every(({ index }) => index === -1)).toBe(true);
  });

  test('every step within is the own one of XState, and none after, whatever was thrown', () => {
    expect(byXState(isObserved)).toBe(true);
    expect(isObserved()).toBe(false);
    const fail = () => {
      throw new Error('no');
    };
    expect(() => byXState(fail)).toThrow('no');
    expect(isObserved()).toBe(false);
  });

  test('choices of a state, with eventless ones, and the events of its active states', () => {
    const [closed, open] = ['closed', 'open'].map((name) => door.root.states[name]!) as [any, any];
    expect(choicesOf(closed, 'open')).toHaveLength(2);
    expect(choicesOf(closed, '')).toEqual([]);
    expect(choicesOf(open, '')).toHaveLength(1);
    expect(choicesOf(open, 'open')).toEqual([]);
    expect(descriptorsOf(took(door).snapshot)).toEqual(['open', 'close']);
    expect(descriptorsOf(took(door, { type: 'open' }).snapshot)).toEqual(['close', 'end']);
  });
});

describe('live actors', () => {
  function live(snapshot?: any, id?: string) {
    const outbox: EffectOutbox = { effects: [] };
    const seen: string[] = [];
    const parent = createInspected('root', (inspected: any) => void seen.push(`${inspected.type} ${inspected.actorRef?.id}`));
    const actor = createLive(provideEffects(door, outbox), parent, listenersTo(outbox), undefined, snapshot, id);
    actor.start();
    return { actor, parent, outbox, seen };
  }

  test('write their effects and notifications to the outbox of their host', () => {
    const { actor, outbox } = live();
    actor.send({ type: 'open' });
    expect(outbox.effects).toEqual([
      { type: 'send', to: 'x', message: { type: 'hello' } },
      { type: 'emit', event: { type: 'opened' } },
    ]);
  });

  test('actors have the given names and snapshots, also in inspection events', () => {
    const { snapshot } = took(door, { type: 'open' });
    const { actor, parent, seen } = live(snapshot, 'front');
    expect([actor.id, actor.getSnapshot().value, parent.id]).toEqual(['front', 'open', 'root']);
    expect(seen).toContain('@xstate.actor front');
    expect(createRemoteActor('far', parent).id).toBe('far');
    expect(live().actor.id).not.toBe('front');
    expect(live().actor.getSnapshot().value).toBe('closed');
  });

  test('that end leave the others their listeners', () => {
    const outbox: EffectOutbox = { effects: [] };
    const parent = createInspected('root', () => {});
    const [machine, listeners] = [provideEffects(door, outbox), listenersTo(outbox)];
    const [first, second] = [1, 2].map(() => createLive(machine, parent, listeners, undefined).start());
    stopChild(first!);
    second!.send({ type: 'open' });
    expect(outbox.effects).toContainEqual({ type: 'emit', event: { type: 'opened' } });
    expect(first!.getSnapshot().status).toBe('stopped');
  });
});
