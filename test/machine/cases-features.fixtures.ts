/** Machines with what XState has brought since 5.20: small, and written for this table. */
import { assertEvent, assign, emit, forwardTo, setup, spawnChild, stopChild } from 'xstate';
import type { Case } from './cases.fixtures.js';

const any = (config: object, implementations: object = {}): any => setup(implementations as never).createMachine(config as never);

const base = setup({ guards: { isOne: ({ event }: any) => event.n === 1 } });
const kid = any({ id: 'kid', initial: 'a', states: { a: { on: { END: 'b' } }, b: { type: 'final' } }, output: 1 });

export const features: readonly Case[] = [
  {
    id: 'N1',
    about: 'setup().extend and createStateConfig',
    machine: (() => {
      const extended = base.extend({ actions: { note: () => {} } } as never) as any;
      const b = extended.createStateConfig({ on: { BACK: { target: 'a', actions: 'note' } } });
      return extended.createMachine({
        id: 'extended',
        initial: 'a',
        states: { a: { on: { GO: { guard: 'isOne', target: 'b' } } }, b },
      });
    })(),
    tests: { events: { GO: [{ n: 1 }, { n: 2 }] } },
    result: /^valid/,
  },
  {
    id: 'N2',
    about: 'routes',
    machine: any({
      id: 'pages',
      context: { isIn: false },
      initial: 'home',
      states: {
        home: { id: 'home', route: {}, on: { LOG_IN: { actions: assign({ isIn: true }) } } },
        admin: {
          id: 'admin',
          route: { guard: ({ context }: any) => context.isIn },
          initial: 'view',
          states: { view: {}, edit: { id: 'edit', route: {} } },
        },
      },
    }),
    result: /^valid/,
    covers: ['transition (root): xstate.route #edit', 'guard (root): xstate.route #admin is false'],
  },
  {
    id: 'N3',
    about: "a limit of microsteps, the machine's own",
    machine: any({
      id: 'limited',
      options: { maxIterations: 3 },
      initial: 'a',
      states: { a: { on: { GO: 'b' } }, b: { always: 'c' }, c: { always: 'd' }, d: { always: 'e' }, e: { always: 'f' }, f: {} },
    }),
    result: /^invalid/,
    failure: /The machine's own limit is 3\..*options: { maxIterations: 30 }/s,
  },
  {
    id: 'N4',
    about: 'assertEvent with a list',
    machine: any({
      id: 'asserts',
      initial: 'a',
      states: {
        a: { on: { X: 'b', Y: 'b' } },
        b: { entry: ({ event }: any) => assertEvent(event, ['X', 'Y'] as never), on: { BACK: 'a' } },
      },
    }),
    result: /^valid/,
  },
  {
    id: 'N5',
    about: 'output of a final state, and guards on onDone',
    machine: any({
      id: 'outputs',
      initial: 'ask',
      states: {
        ask: {
          initial: 'q',
          states: {
            q: { on: { YES: 'yes', NO: 'no' } },
            yes: { type: 'final', output: { ok: true } },
            no: { type: 'final', output: { ok: false } },
          },
          onDone: [{ guard: ({ event }: any) => event.output.ok, target: 'good' }, { target: 'bad' }],
        },
        good: { on: { AGAIN: 'ask' } },
        bad: { on: { AGAIN: 'ask' } },
      },
    }),
    result: /^valid/,
  },
  {
    id: 'N6',
    about: 'spawnChild, stopChild, emit, and the end of any spawned child',
    machine: any(
      {
        id: 'spawns',
        initial: 'a',
        states: {
          a: { on: { GO: { target: 'b', actions: spawnChild('kid', { id: 'k' }) } } },
          b: {
            on: {
              END: { actions: forwardTo('k') },
              STOP: { target: 'a', actions: stopChild('k') },
              'xstate.done.actor.*': { target: 'a', actions: emit({ type: 'ended' }) },
            },
          },
        },
      },
      { actors: { kid } },
    ),
    result: /^valid/,
    covers: ['transition b: xstate.done.actor.*'],
  },
  {
    id: 'N7',
    about: 'input, and a Map that is changed in place',
    machine: any({
      id: 'map',
      context: ({ input }: any) => ({ seen: new Map([[input?.key ?? 'a', 1]]) }),
      on: { SET: { actions: ({ context }: any) => void context.seen.set('b', 2) } },
    }),
    tests: { input: { key: 'a' } },
    result: /^invalid/,
    failure: /the context is changed only by assign/,
  },
  {
    id: 'N9',
    about: 'spawn inside assign',
    machine: any(
      {
        id: 'assigns',
        context: { ref: null },
        initial: 'a',
        states: {
          a: { on: { GO: { target: 'b', actions: assign({ ref: ({ spawn }: any) => spawn('kid', { id: 'k' }) }) } } },
          b: { on: { END: { actions: forwardTo('k') }, 'xstate.done.actor.k': 'a' } },
        },
      },
      { actors: { kid } },
    ),
    result: /^valid/,
    covers: ['transition b: xstate.done.actor.k'],
  },
];
