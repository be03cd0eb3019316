/** Which events the world outside sends: not those that a machine receives from within, and those that it passes on to a child. */
import { describe, expect, test } from 'vitest';
import { assign, createMachine, enqueueActions, forwardTo, raise, sendParent, sendTo, setup, type AnyStateMachine } from 'xstate';
import { reportOnMachine } from './report.js';
import { MachineTesting } from './testing.js';
import { sentWithin } from './within.js';

const lamp = setup({}).createMachine({
  id: 'lamp',
  initial: 'off',
  states: { off: { on: { TOGGLE: 'on' } }, on: { on: { TOGGLE: 'off' } } },
});
const reported = (machine: AnyStateMachine) => reportOnMachine(new MachineTesting(machine));
const room = (actions: unknown, descriptor = 'TOGGLE', child: AnyStateMachine = lamp) =>
  setup({ actors: { lamp: child } }).createMachine({
    id: 'room',
    context: ({ spawn }: any) => ({ ref: spawn('lamp', { id: 'spawned' }) }),
    invoke: { src: 'lamp', id: 'lamp' },
    on: { [descriptor]: { actions } },
  } as never) as never as AnyStateMachine;

describe('an event that is passed on under its own name comes from outside', () => {
  test.each([
    ['to an id', sendTo('lamp', { type: 'TOGGLE' })],
    ['to a reference', sendTo(({ context }: any) => context.ref, { type: 'TOGGLE' })],
    ['to a child of the actor itself', sendTo(({ self }: any) => self.getSnapshot().children.lamp, { type: 'TOGGLE' })],
    ['later', sendTo('lamp', { type: 'TOGGLE' }, { delay: 10 })],
    ['by forwardTo', forwardTo('lamp')],
    ['by a function of the event', sendTo('lamp', ({ event }: any) => event)],
    ['by enqueueActions', enqueueActions(({ enqueue, event }: any) => enqueue.sendTo('lamp', event))],
  ])('%s', async (_, actions) => {
    expect(await reported(room(actions))).toMatchObject({ failures: [], coverage: { missing: [] } });
  });

  test.each([
    ['*', forwardTo('lamp'), lamp],
    ['*', enqueueActions(({ enqueue, event }: any) => enqueue.sendTo('lamp', event)), lamp],
    ['light.*', forwardTo('lamp'), createMachine({ initial: 'off', states: { off: { on: { 'light.on': 'on' } }, on: {} } })],
  ] as const)('by %s, which child machines decide', async (descriptor, actions, child) => {
    const { coverage } = await reported(room(actions, descriptor, child as AnyStateMachine));
    expect(coverage.missing).toEqual([]);
  });

  test('through a child to a child of that', async () => {
    const middle = setup({ actors: { lamp } }).createMachine({
      invoke: { src: 'lamp', id: 'lamp' },
      on: { '*': { actions: forwardTo('lamp') } },
    });
    const { coverage } = await reported(room(forwardTo('lamp'), '*', middle));
    expect(coverage.missing).toEqual([]);
  });
});

describe('an event from within is not sent from outside', () => {
  const kid = createMachine({
    id: 'kid',
    entry: sendParent({ type: 'READY' }),
    on: { POKE: { actions: raise({ type: 'INNER' }) } },
  });
  const all = (config: object) => [...sentWithin(setup({ actors: { kid } }).createMachine(config as never) as never)];

  test('raised, sent to itself, sent by a child machine', () => {
    expect(
      all({ entry: [raise({ type: 'A' }), sendTo(({ self }: any) => self, { type: 'B' }), sendTo('kid', { type: 'POKE' })] }),
    ).toEqual(['A', 'B', 'READY']);
  });

  test('an event that sends the same event again is not external', () => {
    expect(all({ on: { TICK: { actions: raise({ type: 'TICK' }, { delay: 100 }) } } })).toEqual(['READY']);
    expect(
      all({
        entry: raise({ type: 'TICK' }),
        on: { TICK: { actions: assign({}) }, 'TICK.*': { actions: raise({ type: 'TICK' }) } },
      }),
    ).toEqual(['TICK', 'READY']);
  });
});
