/** Fairness: what a fair run must do, and what it may omit: deliveries, timers, reactions, notifications, draws. */
import { describe, expect, test } from 'vitest';
import { setup } from 'xstate';
import { arm, draw, effects, send } from '../../machines/effects.js';
import type { Property, Protocol } from '../../machines/protocol.js';
import { explore, type ExploreOptions } from './explore.js';
import { completeGraph } from './fixtures.js';
import { replay } from './replay.fixture.js';
import { toy, type ToyInput } from './toys.fixtures.js';

type In = { context: ToyInput };

const declared = { types: { context: {} as ToyInput, input: {} as ToyInput }, actions: effects() };
const context = ({ input }: { input: ToyInput }) => input;
const toPeer = (type: string) => send(({ context: { peers } }: In) => ({ to: peers[0]!, message: { type } }));
const toSelf = (type: string) => send(({ context: { id } }: In) => ({ to: id, message: { type } }));

/** n0 eventually reaches `done`. */
const done: Property = {
  name: 'done',
  description: 'made for a test',
  kind: 'eventually',
  when: (_, node) => node === 'n0',
  holds: (c) => c.nodes.get('n0')!['toy']!.value === 'done',
};
const ask = (protocol: Protocol, options: Partial<ExploreOptions> = {}) =>
  explore(protocol, { topology: completeGraph(2), properties: [done], ...options });

test('a message in flight is delivered although others circulate forever', () => {
  const chart = setup(declared).createMachine({
    context,
    initial: 'busy',
    states: {
      busy: { entry: [toPeer('ball'), toPeer('end')], on: { ball: { actions: toPeer('ball') }, end: 'done' } },
      done: { on: { ball: { actions: toPeer('ball') } } },
    },
  });
  expect(ask(toy({ chart }))).toMatchObject({ verdict: 'valid' });
  // In one channel the balls are before it, and each ball equals the last one. They still move up.
  expect(ask(toy({ chart }), { order: 'fifo' })).toMatchObject({ verdict: 'valid' });
});

test('fairness is weak: an action that is not always enabled may never be taken', () => {
  // n0 accepts the end only in `open`, which it leaves and enters with every ball. A fair run may always deliver the end too
  // early.
  const chart = setup({ ...declared, guards: { isFirst: ({ context }) => context.id === 'n0' } }).createMachine({
    context,
    initial: 'shut',
    states: {
      shut: { entry: toSelf('ball'), on: { ball: 'open', end: { actions: toSelf('end') } } },
      open: { entry: toSelf('ball'), on: { ball: 'shut', end: { guard: 'isFirst', target: 'done' }, start: {} } },
      done: {},
    },
  });
  const protocol = toy({ chart, reactions: () => [] });
  const kicked: Protocol = { ...protocol, commands: { kick: { event: () => ({ type: 'end' }), waits: true, completedBy: [] } } };
  const commands = [{ do: 'command', name: 'kick', node: 'n0', fields: {} }] as const;
  const found = ask(kicked, {
    topology: completeGraph(1),
    commands,
    properties: [{ ...done, when: (c, n) => n === 'n0' && c.flights.some(({ message }) => message.type === 'end') }],
  });
  expect(found).toMatchObject({ verdict: 'invalid' });
  const { choices, loop } = found.counterexample!;
  expect(choices.slice(loop).length).toBeGreaterThan(1);
  expect(replay(kicked, completeGraph(1), found.counterexample!, commands)).toMatchObject({ goesRound: true });
});

describe('timers and reactions', () => {
  const chart = setup({ ...declared, actions: effects() }).createMachine({
    context,
    initial: 'busy',
    states: {
      busy: {
        entry: [arm(() => ({ timer: 'end', delay: 1 })), toPeer('ball')],
        on: { ball: { actions: toPeer('ball') }, timer: 'done' },
      },
      done: { on: { ball: { actions: toPeer('ball') } } },
    },
  });

  test('an armed timer fires', () => {
    expect(ask(toy({ chart }))).toMatchObject({ verdict: 'valid', doomed: null });
  });

  test('a timer that is always too early need not fire', () => {
    expect(ask(toy({ chart, mayFire: () => false }))).toMatchObject({ verdict: 'invalid' });
    expect(
      ask(toy({ chart, mayFire: (_, node, role, timer) => node === 'n0' && role === 'toy' && timer === 'end' })),
    ).toMatchObject({ verdict: 'valid' });
  });

  test('an application need not issue a command', () => {
    const protocol = toy({ chart, mayFire: () => false });
    const free: Protocol = { ...protocol, commands: { end: { event: () => ({ type: 'timer' }), waits: true, completedBy: [] } } };
    expect(ask(free, { commands: 'unlimited' })).toMatchObject({ verdict: 'invalid' });
  });
});

describe('draws', () => {
  /** Draws a coin with every ball; with `again` of its two sides the ball continues. */
  const coin = (again: readonly number[]) =>
    toy({
      chart: setup({ ...declared, guards: { again: ({ event }: any) => again.includes(event.value) } }).createMachine({
        context,
        initial: 'busy',
        states: {
          busy: {
            entry: toSelf('ball'),
            on: {
              ball: { actions: draw(() => ({ bound: 2 })) },
              drawn: [{ guard: 'again', actions: toSelf('ball') }, { target: 'done' }],
            },
          },
          done: {},
        },
      } as any),
    });

  test('a component that one side of a coin leaves is left with probability one', () => {
    expect(ask(coin([0]), { topology: completeGraph(1) })).toMatchObject({ verdict: 'valid', states: 2, transitions: 2 });
  });

  test('a coin with two equal sides continues forever', () => {
    expect(ask(coin([0, 1]), { topology: completeGraph(1) })).toMatchObject({ verdict: 'invalid', doomed: 1 });
  });
});

test('a node is eventually notified of a cut link', () => {
  const chart = setup(declared).createMachine({
    context,
    initial: 'busy',
    states: {
      busy: { on: { 'link.down': 'done', ball: { actions: toPeer('ball') } }, entry: toPeer('ball') },
      done: { on: { ball: { actions: toPeer('ball') } } },
    },
  });
  const protocol = toy({ chart, network: { reach: 'links' } });
  expect(ask(protocol, { commands: [{ do: 'down', channel: ['n0', 'n1'] }] })).toMatchObject({ verdict: 'valid' });
  expect(ask(protocol, { commands: [{ do: 'down', channel: ['n1', 'n0'] }] })).toMatchObject({ verdict: 'invalid' });
});
