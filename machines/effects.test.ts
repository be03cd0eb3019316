/**
 * The event of a transition must have all fields that its action or guard declares: a wrong pair does not compile. Each line below a
 * `@ts-expect-error` is such a pair; `npm run typecheck` fails if one of them compiles.
 */
import { assign, setup } from 'xstate';
import { expect, test } from 'vitest';
import { begin, macrostep } from '../network/world/remembering.js';
import { effects, send, withEvent, type Received } from './effects.js';

interface Find {
  readonly type: 'find';
  readonly producer: string;
}

interface Context {
  readonly next: string | null;
}

const chart = setup({
  types: {} as { context: Context; events: Received<Find> | { readonly type: 'release' } },
  actions: {
    ...effects<Find>(),
    queueNext: assign((_, { producer }: Find) => ({ next: producer })),
  },
  guards: { isNext: ({ context }, { producer }: Find) => context.next === producer },
});

const sendBack = ({ event: { from, producer } }: { event: Received<Find> }) => ({
  to: from,
  message: { type: 'find' as const, producer },
});
const sendOdd = ({ event }: { event: Received<Find> }) => ({ to: event.from, message: { type: 'found' as const } });

const context: Context = { next: null };

const right = chart.createMachine({
  context,
  on: { find: [{ guard: withEvent('isNext'), actions: send(sendBack) }, { actions: withEvent('queueNext') }] },
});

test('an action and a guard get the event of their transition', () => {
  const find = { type: 'find', producer: 'a', from: 'b' };
  const first = macrostep(right, begin(right, undefined).snapshot, find);
  expect(first.snapshot.context).toEqual({ next: 'a' });
  expect(macrostep(right, first.snapshot, find).effects).toEqual([
    { type: 'send', to: 'b', message: { type: 'find', producer: 'a' } },
  ]);
});

export const wrong = [
  // @ts-expect-error: a release has no producer that could be next
  () => chart.createMachine({ context, on: { release: { actions: withEvent('queueNext') } } }),
  // @ts-expect-error: nor one that the guard could compare
  () => chart.createMachine({ context, on: { release: { guard: withEvent('isNext') } } }),
  // @ts-expect-error: nor a sender
  () => chart.createMachine({ context, on: { release: { actions: send(sendBack) } } }),
  // @ts-expect-error: the action needs its event
  () => chart.createMachine({ context, on: { find: { actions: 'queueNext' } } }),
  // @ts-expect-error: there is no such action
  () => chart.createMachine({ context, on: { find: { actions: withEvent('queueLast') } } }),
  // @ts-expect-error: there is no such message
  () => chart.createMachine({ context, on: { find: { actions: send(sendOdd) } } }),
  // @ts-expect-error: without an event there is no find for certain
  () => chart.createMachine({ context, always: { actions: withEvent('queueNext') } }),
];
