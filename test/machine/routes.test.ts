/** Routes of XState: `{ type: 'xstate.route', to: '#id' }` leads to a state with a `route` and an id. */
import { describe, expect, test } from 'vitest';
import { assign, createMachine, setup, type AnyStateMachine } from 'xstate';
import { machineMutants } from './mutants.js';
import type { MachineTests } from './options.js';
import { reportOnMachine } from './report.js';
import { MachineTesting } from './testing.js';

const reported = (machine: AnyStateMachine, tests: MachineTests = {}) => reportOnMachine(new MachineTesting(machine, tests));
const covered = async (machine: AnyStateMachine) => {
  const testing = new MachineTesting(machine);
  const counts = (await testing.counts())[machine.id]!;
  return Object.keys(counts).filter((item) => item.includes('xstate.route') && counts[item as never]! > 0);
};

const site = setup({
  guards: { isMember: ({ context }: any) => context.isMember },
}).createMachine({
  id: 'site',
  context: { isMember: false },
  initial: 'home',
  states: {
    home: { id: 'home', route: {}, on: { JOIN: { actions: assign({ isMember: true }) } } },
    shop: {
      type: 'parallel',
      states: {
        list: { initial: 'all', states: { all: {}, sale: { id: 'sale', route: {} } } },
        cart: { initial: 'shut', states: { shut: {}, open: { id: 'cart', route: { guard: 'isMember' } } } },
      },
    },
  },
});

describe('routes', () => {
  test('are sent from every state, also nested and parallel, with guards both ways', async () => {
    expect(await covered(site)).toEqual([
      'transition (root): xstate.route #home',
      'transition (root): xstate.route #sale',
      'transition (root): xstate.route #cart',
      'guard (root): xstate.route #cart is true',
      'guard (root): xstate.route #cart is false',
      'event xstate.route',
    ]);
    expect(await reported(site)).toMatchObject({ verdict: 'valid', failures: [] });
  });

  test('take samples instead of the states that can be routed to', async () => {
    const { coverage } = await reported(site, { events: { 'xstate.route': [{ to: '#home' }, { to: '#nowhere' }] } });
    expect(coverage.missing.find(({ item }) => item === 'transition (root): xstate.route #sale')?.reason).toContain(
      'add to events["xstate.route"] the sample {"to":"#sale"}',
    );
  });

  test('of a guard that reads only the target, one result is required', async () => {
    const page = createMachine({
      id: 'page',
      initial: 'list',
      states: {
        list: { id: 'list', route: {} },
        item: { id: 'item', route: { guard: ({ event }: any) => event.to === '#item' }, on: { BACK: 'list' } },
      },
    } as never);
    const events = { 'xstate.route': [{ to: '#list' }, { to: '#item' }, { to: '#nowhere' }] };
    expect(await reported(page, { events })).toMatchObject({ verdict: 'valid' });
    expect((await covered(page)).filter((item) => item.startsWith('guard'))).toEqual([
      'guard (root): xstate.route #item is true',
    ]);
  });

  test('of a child machine are sent if the tests give them', async () => {
    const view = createMachine({
      id: 'view',
      initial: 'home',
      states: { home: { id: 'home', route: {} }, help: { id: 'help', route: {} } },
    });
    const app = setup({ actors: { view } }).createMachine({ id: 'app', invoke: { src: 'view', id: 'view' } });
    const children = { view: { 'xstate.route': [{ to: '#home' }, { to: '#help' }] } };
    const { verdict, coverage } = await reported(app, { children });
    expect([verdict, coverage.charts['view']!.transition]).toEqual(['valid', { covered: 2, of: 2 }]);
  });

  test('are steps in mode pure, too', async () => {
    expect(await reported(site, { mode: 'pure' })).toMatchObject({ verdict: 'valid' });
  });

  test('one that throws is a failure after one step', async () => {
    const item = createMachine({
      id: 'shop',
      context: { item: null as null | { name: string } },
      initial: 'home',
      states: {
        home: { on: { GO: { target: 'item', actions: assign({ item: { name: 'x' } }) } } },
        item: { id: 'item', route: {}, entry: ({ context }) => void context.item!.name.length, on: { BACK: 'home' } },
      },
    });
    const { verdict, failures } = await reported(item);
    expect(verdict).toBe('invalid');
    expect(failures.map(({ steps }) => steps)).toEqual([[{ event: { type: 'xstate.route', to: '#item' } }]]);
  });

  test('a route needs an id and replaces "on" of the root; without one, "on" applies', async () => {
    const taken = createMachine({ id: 'taken', initial: 'a', states: { a: { on: { 'xstate.route': 'b' } }, b: {} } });
    expect(await covered(taken)).toEqual(['transition a: xstate.route', 'event xstate.route']);
    const replaced = createMachine({
      id: 'replaced',
      initial: 'a',
      on: { 'xstate.route': '.a' },
      states: { a: {}, b: { id: 'b', route: {} }, c: { route: {} } },
    } as never);
    const { coverage } = await reported(replaced);
    expect(coverage.missing.map(({ item, reason }) => `${item} (${reason})`)).toEqual([
      'state c (no transition into it was taken; it has a route and no id, which XState ignores: add an id)',
      'transition (root): xstate.route (the routes of the states replace it)',
    ]);
  });

  test('mutants drop a route and change its guard', () => {
    const names = machineMutants(new MachineTesting(site)).map(({ operator, place }) => `${operator} ${place}`);
    expect(names.filter((name) => name.includes('xstate.route'))).toEqual([
      'drop transition (root): xstate.route #home',
      'drop transition (root): xstate.route #sale',
      'drop transition (root): xstate.route #cart',
      'negate guard (root): xstate.route #cart',
      'drop guard (root): xstate.route #cart',
    ]);
  });
});
