/** Actors that run on after the machine has lost them. */
import { describe, expect, test } from 'vitest';
import { assign, enqueueActions, fromCallback, fromPromise, sendTo, setup, stopChild, type AnyStateMachine } from 'xstate';
import { MachineTesting } from './testing.js';

const ws = fromCallback(() => () => {});
/** ON spawns, CLOSE drops the reference, and `stop` is what the chart does 1,000 ms later. */
const machineThat = (stop: unknown, { id = 'ws', context = {}, isParallel = false } = {}) => {
  const chart = {
    initial: 'off',
    states: {
      off: { on: { ON: { target: 'on', actions: assign({ ref: ({ spawn }: any) => spawn('ws', { id }) } as never) } } },
      on: { on: { CLOSE: { target: 'closing', actions: assign({ ref: null } as never) } } },
      closing: { after: { 1000: { target: 'off', actions: stop } } },
    },
  };
  const of = { id: 'leak', context: { ref: null, ...context } };
  return setup({ actors: { ws, once: fromPromise(async () => 1) }, actions: { halt: stopChild('ws') } as never }).createMachine(
    (isParallel
      ? { ...of, type: 'parallel', states: { a: chart, b: { initial: 'x', states: { x: {} } } } }
      : { ...of, ...chart }) as never,
  ) as never as AnyStateMachine;
};
const lost = async (machine: AnyStateMachine) => {
  const testing = new MachineTesting(machine);
  const failures = [
    ...(await testing.searchFailures()),
    await testing.firstFailure('shortest'),
    await testing.firstFailure('tour'),
  ];
  return [...new Set(failures.flatMap((one) => (one ? [one.description] : [])))];
};

describe('no actor left running', () => {
  const ID = 'ws';
  test.each([
    ['by its id', stopChild('ws')],
    ['by a function that returns the id', stopChild(() => ID)],
    ['by an id that the event brings', stopChild(({ event }: any) => event.id ?? 'ws')],
    ['by a reference to a child', stopChild(({ self }: any) => self.getSnapshot().children.ws)],
    ['by a named action', 'halt'],
    ['by enqueueActions', enqueueActions(({ enqueue }) => enqueue.stopChild('ws'))],
    ['by a named action of enqueueActions', enqueueActions(({ enqueue }) => enqueue('halt' as never))],
    ['by an event to it', [sendTo('ws', { type: 'end' }), stopChild('ws')]],
  ])('a dropped actor that the chart stops %s is not lost', async (_, stop) => {
    expect(await lost(machineThat(stop))).toEqual([]);
  });

  test('nor is one whose end the chart takes by its id', async () => {
    const machine = setup({ actors: { once: fromPromise(async () => 1) } }).createMachine({
      id: 'jobs',
      context: { ref: null as unknown, results: 0 },
      initial: 'idle',
      on: { 'xstate.done.actor.job': { actions: assign({ results: 1 }) }, 'xstate.error.actor.job': {} },
      states: {
        idle: { on: { ASK: { target: 'busy', actions: assign({ ref: ({ spawn }) => spawn('once', { id: 'job' }) }) } } },
        busy: { on: { GO_ON: { target: 'over', actions: assign({ ref: null }) } } },
        over: {},
      },
    });
    expect(await lost(machine)).toEqual([]);
  });

  test('nor in a region, nor by an id that the context holds', async () => {
    expect(await lost(machineThat(stopChild('ws'), { isParallel: true }))).toEqual([]);
    const byContext = stopChild(({ context, event }: any) => context.ids[event.n ?? 0]);
    expect(await lost(machineThat(byContext, { context: { ids: ['ws'] } }))).toEqual([]);
  });

  test.each([
    ['nothing stops', []],
    ['another action stops another', stopChild('other')],
    ['the chart stops by the reference that it has dropped', stopChild(({ context }: any) => context.ref ?? 'none')],
    [
      'the chart starts by the same id',
      enqueueActions(({ enqueue }) => void (enqueue.spawnChild as any)('once', { id: 'once' })),
    ],
  ])('one that %s is', async (_, stop) => {
    expect(await lost(machineThat(stop))).toContain('ws still runs, and nothing of the machine refers to it');
  });
});
