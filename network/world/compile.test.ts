/** A compiled machine returns the same as XState's own `initialTransition` and `transition`. */
import {
  assign,
  createMachine,
  emit,
  enqueueActions,
  fromPromise,
  initialTransition,
  sendTo,
  spawnChild,
  setup,
  transition,
} from 'xstate';
import { describe, expect, test, vi } from 'vitest';
import { Random } from '../random.js';
import { compile } from './compile.js';
import { interpreter } from './kernel.js';

const door = setup({
  types: { context: {} as { opened: number; log: readonly string[] }, events: {} as { type: string; by?: string } },
  actions: {
    bell: () => {},
    note: assign({ log: ({ context, event }) => [...context.log, event.by ?? 'nobody'].slice(-3) }),
    count: enqueueActions(({ context, enqueue }) => {
      enqueue.assign({ opened: (context.opened + 1) % 7 });
      if (context.opened === 3) enqueue.raise({ type: 'jam' });
    }),
  },
  guards: { isOften: ({ context }) => context.opened > 4 },
}).createMachine({
  id: 'door',
  context: { opened: 0, log: [] },
  initial: 'closed',
  states: {
    closed: {
      tags: 'shut',
      on: {
        open: [
          { guard: 'isOften', actions: { type: 'bell', params: ({ context }: any) => ({ times: context.opened }) } },
          { target: 'open', actions: ['count', 'note'] },
        ],
        reset: { actions: assign({ opened: 0 }) },
      },
    },
    open: {
      entry: emit(({ context }) => ({ type: 'opened', times: context.opened })),
      exit: 'bell',
      initial: 'free',
      states: {
        free: { on: { jam: 'jammed' } },
        jammed: { on: { pull: 'free' } },
      },
      on: { close: 'closed' },
    },
  },
});

const shown = ({ value, context, status, tags }: any) => ({ value, context, status, tags: [...tags] });
const raisesApart = (actions: readonly any[]) =>
  actions.filter(({ type }) => type !== 'xstate.raise').map(({ type, params }) => ({ type, params }));

describe('compile', () => {
  test('gives snapshots and actions of XState, along random walks', () => {
    const compiled = compile(door);
    const random = new Random(1, 'door');
    const calls = vi.spyOn(interpreter, 'step');
    let [own, actions] = initialTransition(door);
    let [snapshot, asked] = compiled.initialTransition();
    for (let i = 0; i < 2000; i++) {
      expect(shown(snapshot)).toEqual(shown(own));
      expect(asked).toEqual(raisesApart(actions));
      expect(JSON.stringify(snapshot)).toBe(JSON.stringify(own));
      const event = { type: random.pick(['open', 'close', 'pull', 'reset', 'open']), by: `p${random.below(3)}` };
      const before = snapshot;
      const stays = own;
      [own, actions] = transition(door, own, event);
      [snapshot, asked] = compiled.transition(snapshot, event);
      expect(snapshot === before).toBe(own === stays);
      // Each continues from the other's snapshots.
      if (random.below(20) === 0) [own, snapshot] = [snapshot, own];
    }
    expect(calls.mock.calls.length).toBeLessThan(60);
    calls.mockRestore();
  });

  test('rejects impure parts with their name and place', () => {
    const invoking = createMachine({ id: 'm', initial: 'a', states: { a: { invoke: { src: fromPromise(async () => 1) } } } });
    expect(() => compile(invoking)).toThrow('state "a" of machine "m" invokes an actor');
    const waiting = createMachine({ id: 'm', after: { 10: { actions: 'x' } } });
    expect(() => compile(waiting)).toThrow('machine "m" uses a delay');
    const sending = createMachine({ on: { go: { actions: sendTo(({ self }) => self, { type: 'x' }) } } });
    const { initialTransition: first, transition: next } = compile(sending);
    expect(() => next(first()[0], { type: 'go' })).toThrow('used "xstate.sendTo"');
  });

  test('spawn inside assign works as in XState, and spawnChild is rejected', () => {
    const kid = createMachine({ id: 'kid' });
    const spawning = (actions: unknown) =>
      createMachine({ context: { ref: null }, on: { go: { actions } } } as never, { actors: { kid } } as never);
    const assigning = spawning(assign({ ref: ({ spawn }: any) => spawn('kid', { id: 'k' }) } as never));
    const { initialTransition: first, transition: next } = compile(assigning);
    const [own] = transition(assigning, first()[0] as never, { type: 'go' } as never) as any;
    const [snapshot] = next(first()[0], { type: 'go' } as never) as any;
    expect(Object.keys(snapshot.children)).toEqual(Object.keys(own.children));
    expect(snapshot.context.ref.id).toBe('k');
    const compiled = compile(spawning(spawnChild('kid' as never)));
    expect(() => compiled.transition(compiled.initialTransition()[0], { type: 'go' } as never)).toThrow(
      'used "xstate.spawnChild"',
    );
  });

  test('an error of the machine is thrown, and the snapshot does not change', () => {
    const failing = createMachine({
      context: ({ input }: any) => ({ n: input.n }),
      on: { go: { actions: assign({ n: ({ context, event }: any) => context.n + event.by.length }) } },
    });
    const compiled = compile(failing);
    expect(() => compiled.initialTransition()).toThrow('undefined');
    const [snapshot] = compiled.initialTransition({ n: 1 } as never);
    for (const by of ['ab', undefined, 'abc', undefined]) {
      const take = () => (compiled.transition(snapshot, { type: 'go', by } as never)[0].context as any).n;
      if (by === undefined) expect(take).toThrow('length');
      else expect(take()).toBe(1 + by.length);
    }
  });
});
