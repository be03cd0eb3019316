/** Machines with the shape of public reports about XState: small, and written for this table. */
import {
  and,
  assign,
  cancel,
  enqueueActions,
  fromCallback,
  fromObservable,
  fromPromise,
  fromTransition,
  not,
  or,
  raise,
  sendTo,
  setup,
  stateIn,
} from 'xstate';
import type { Case } from './cases.fixtures.js';

const any = (config: object, implementations: object = {}): any => setup(implementations as never).createMachine(config as never);
const toggle = (event: string) => ({
  initial: 'off',
  states: { off: { on: { [event]: 'on' } }, on: { on: { [event]: 'off' } } },
});
const once = fromPromise(async () => 1);

export const publicReports: readonly Case[] = [
  {
    id: 'A1',
    about: 'an event with several payloads',
    machine: any({
      id: 'cart',
      context: { n: 0 },
      on: {
        ADD: [
          { guard: ({ event }: any) => event.n > 0, actions: assign({ n: ({ event }: any) => event.n }) },
          { actions: assign({ n: 0 }) },
        ],
      },
    }),
    tests: { events: { ADD: [{ n: 1 }, { n: 2 }, { n: -1 }] } },
    result: /^valid/,
  },
  {
    id: 'A2',
    about: 'a context that grows without end',
    machine: any({
      id: 'list',
      context: { items: [] },
      on: { ADD: { actions: assign({ items: ({ context }: any) => [...context.items, 1] }) } },
    }),
    result: /^(valid|unknown)/,
  },
  {
    id: 'A3',
    about: 'a guard that looks at the context',
    machine: any({
      id: 'counter',
      context: { n: 0 },
      initial: 'low',
      states: {
        low: {
          on: {
            UP: [
              { guard: ({ context }: any) => context.n >= 2, target: 'high' },
              { actions: assign({ n: ({ context }: any) => context.n + 1 }) },
            ],
          },
        },
        high: { on: { RESET: { target: 'low', actions: assign({ n: 0 }) } } },
      },
    }),
    result: /^valid/,
  },
  {
    id: 'A4',
    about: 'history in a parallel state that ends',
    machine: any({
      id: 'exam',
      initial: 'work',
      states: {
        work: {
          type: 'parallel',
          onDone: 'end',
          on: { PAUSE: 'pause' },
          states: {
            a: { initial: 'x', states: { x: { on: { A: 'y' } }, y: { type: 'final' } } },
            b: { initial: 'x', states: { x: { on: { B: 'y' } }, y: { type: 'final' } } },
            back: { type: 'history', history: 'deep' },
          },
        },
        pause: { on: { RESUME: 'work.back' } },
        end: { on: { AGAIN: 'work' } },
      },
    }),
    result: /^valid/,
  },
  {
    id: 'A5',
    about: 'final children directly in a parallel root',
    machine: any({
      id: 'both',
      type: 'parallel',
      states: { a: { initial: 'x', states: { x: { on: { A: 'y' } }, y: { type: 'final' } } }, b: { type: 'final' } },
    }),
    result: /^valid/,
  },
  {
    id: 'A6',
    about: 'a final state below a region: the region never ends',
    machine: any({
      id: 'hangs',
      initial: 'work',
      states: {
        work: {
          type: 'parallel',
          onDone: 'end',
          states: {
            a: { initial: 'x', states: { x: { initial: 'p', states: { p: { on: { A: 'q' } }, q: { type: 'final' } } } } },
            b: { initial: 'x', states: { x: { on: { B: 'y' } }, y: { type: 'final' } } },
          },
        },
        end: {},
      },
    }),
    result: /^invalid/,
    missing: /work\.a\.x\.q is final, and work\.a\.x has no onDone/,
  },
  {
    id: 'A7',
    about: 'shallow and deep history in parallel regions',
    machine: any({
      id: 'player',
      initial: 'on',
      states: {
        on: {
          type: 'parallel',
          on: { OFF: 'off' },
          states: { sound: { ...toggle('MUTE') }, light: { ...toggle('LIGHT') }, last: { type: 'history', history: 'deep' } },
        },
        off: { on: { BACK: 'on.last', FRESH: 'on' } },
      },
    }),
    result: /^valid/,
  },
  {
    id: 'A8',
    about: 'wildcards',
    machine: any({
      id: 'wild',
      initial: 'a',
      states: { a: { on: { GO: 'b', '*': 'c' } }, b: { on: { 'back.*': 'a' } }, c: { on: { GO: 'a' } } },
    }),
    result: /^valid/,
  },
  {
    id: 'A9',
    about: 'a systemId that is used again on reentry',
    machine: any(
      {
        id: 'again',
        initial: 'a',
        states: { a: { invoke: { src: 'job', systemId: 'job' }, on: { AGAIN: { target: 'a', reenter: true } } } },
      },
      { actors: { job: fromCallback(() => {}) } },
    ),
    result: /^valid/,
  },
  {
    id: 'A10',
    about: 'timers after a restore',
    machine: any({ id: 'egg', initial: 'idle', states: { idle: { on: { COOK: 'hot' } }, hot: { after: { 3000: 'idle' } } } }),
    tests: { restore: true },
    result: /^valid/,
    notes: /never go off: after 3000 in hot/,
  },
  {
    id: 'A11',
    about: 'a spawned child that is stored, whose logic no name leads to',
    machine: any({
      id: 'nest',
      context: { ref: null },
      initial: 'a',
      states: {
        a: { on: { ADD: { target: 'b', actions: assign({ ref: ({ spawn }: any) => spawn(fromCallback(() => {})) }) } } },
        b: { on: { LOOK: { actions: [] } } },
      },
    }),
    tests: { restore: true },
    result: /^invalid/,
    failure: /cannot be stored|stored and restored/,
  },
  {
    id: 'A12',
    about: 'a timer of one region, and a guard that is constant',
    machine: any({
      id: 'regions',
      type: 'parallel',
      states: {
        clock: { initial: 'a', states: { a: { after: { 100: 'b' } }, b: { after: { 100: 'a' } } } },
        mode: { initial: 'x', states: { x: { on: { MODE: { guard: () => true, target: 'y' } } }, y: { on: { MODE: 'x' } } } },
      },
    }),
    result: /^invalid/,
    missing: /reads neither context nor event, so samples have no effect/,
  },
  {
    id: 'A13',
    about: 'eventless transitions',
    machine: any({
      id: 'sort',
      context: { n: 0 },
      initial: 'ask',
      states: {
        ask: { on: { N: { target: 'choose', actions: assign({ n: ({ event }: any) => event.n }) } } },
        choose: { always: [{ guard: ({ context }: any) => context.n > 5, target: 'many' }, { target: 'few' }] },
        many: { on: { BACK: 'ask' } },
        few: { on: { BACK: 'ask' } },
      },
    }),
    tests: { events: { N: [{ n: 1 }, { n: 9 }] } },
    result: /^valid/,
  },
  {
    id: 'A14',
    about: 'eventless transitions without end',
    machine: any({ id: 'round', initial: 'a', states: { a: { on: { GO: 'b' } }, b: { always: 'c' }, c: { always: 'b' } } }),
    result: /^invalid/,
    failure: /Infinite loop detected.*options: { maxIterations: 10000 }/s,
  },
  {
    id: 'A15',
    about: 'a delay that the context decides, and cancel',
    machine: any(
      {
        id: 'retry',
        context: { n: 1 },
        initial: 'wait',
        states: {
          wait: {
            after: { backoff: { target: 'tried', actions: assign({ n: ({ context }: any) => (context.n % 2) + 1 }) } },
            on: { NOW: 'tried' },
          },
          tried: {
            entry: raise({ type: 'LATE' } as never, { delay: 50, id: 'late' }),
            exit: cancel('late'),
            on: { LATE: 'wait', STOP: 'wait' },
          },
        },
      },
      { delays: { backoff: ({ context }: any) => 100 * context.n } },
    ),
    result: /^valid/,
  },
  {
    id: 'A16',
    about: 'guards on delayed transitions',
    machine: any({
      id: 'late',
      context: { isOpen: false },
      initial: 'wait',
      states: {
        wait: {
          on: { OPEN: { actions: assign({ isOpen: true }) } },
          after: { 1000: [{ guard: ({ context }: any) => context.isOpen, target: 'in' }, { target: 'out' }] },
        },
        in: { on: { AGAIN: { target: 'wait', actions: assign({ isOpen: false }) } } },
        out: { on: { AGAIN: 'wait' } },
      },
    }),
    result: /^valid/,
  },
  {
    id: 'A17',
    about: 'a loading state that a test cannot see from outside',
    machine: any(
      {
        id: 'load',
        initial: 'loading',
        states: {
          loading: { invoke: { src: 'load', onDone: 'ready', onError: 'failed' } },
          ready: { on: { RELOAD: 'loading' } },
          failed: { on: { RELOAD: 'loading' } },
        },
      },
      { actors: { load: once } },
    ),
    result: /^valid/,
  },
  {
    id: 'A19',
    about: 'the root is entered again',
    machine: any({
      id: 'root',
      context: { n: 0 },
      entry: assign({ n: 1 }),
      initial: 'a',
      on: { RESET: { target: '#root', reenter: true } },
      states: { a: { on: { GO: 'b' } }, b: {} },
    }),
    result: /^valid/,
  },
  {
    id: 'A20',
    about: 'children that stop in the order of their states',
    machine: any(
      {
        id: 'stops',
        initial: 'a',
        states: {
          a: {
            invoke: [
              { src: 'one', id: 'one' },
              { src: 'two', id: 'two' },
            ],
            on: { GO: 'b' },
          },
          b: { on: { BACK: 'a' } },
        },
      },
      { actors: { one: fromCallback(() => {}), two: fromCallback(() => {}) } },
    ),
    result: /^valid/,
  },
  {
    id: 'A21',
    about: 'enqueueActions that assign, raise and check',
    machine: any({
      id: 'queue',
      context: { n: 0 },
      initial: 'a',
      states: {
        a: {
          on: {
            GO: {
              actions: enqueueActions(({ enqueue, check, context }: any) => {
                enqueue.assign({ n: (context.n + 1) % 3 });
                if (check(() => context.n === 2)) enqueue.raise({ type: 'FULL' });
              }),
            },
            FULL: 'b',
          },
        },
        b: { on: { BACK: 'a' } },
      },
    }),
    result: /^valid/,
  },
  {
    id: 'A23',
    about: 'fromTransition and fromObservable as children',
    machine: any(
      {
        id: 'feeds',
        invoke: [
          { src: 'count', id: 'count' },
          { src: 'tick', id: 'tick', onSnapshot: {}, onError: {}, onDone: {} },
        ],
        on: { INC: { actions: sendTo('count', { type: 'INC' }) } },
      },
      {
        actors: {
          count: fromTransition((n: number) => (n + 1) % 3, 0),
          tick: fromObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) }) as never),
        },
      },
    ),
    tests: { services: { tick: { next: [1] } } },
    result: /^valid/,
  },
  {
    id: 'A29',
    about: 'tags, stateIn, and, or, not',
    machine: any({
      id: 'logic',
      type: 'parallel',
      states: {
        a: { ...toggle('A') },
        b: {
          initial: 'x',
          states: {
            x: {
              tags: ['quiet'],
              on: {
                GO: {
                  guard: or([and([stateIn({ a: 'on' }), not(stateIn({ a: 'off' }))]), ({ event }: any) => event.force === true]),
                  target: 'y',
                },
              },
            },
            y: { on: { BACK: 'x' } },
          },
        },
      },
    }),
    tests: { events: { GO: [{}, { force: true }] } },
    result: /^valid/,
  },
  {
    id: 'A30',
    about: 'implementations by provide',
    machine: any(
      {
        id: 'given',
        initial: 'a',
        states: { a: { on: { GO: { guard: 'mayGo', target: 'b', actions: 'log' } } }, b: { on: { BACK: 'a' } } },
      },
      { guards: { mayGo: () => false }, actions: { log: () => {} } },
    ).provide({
      guards: { mayGo: ({ event }: any) => event.key === 1 },
    }),
    tests: { events: { GO: [{ key: 1 }, { key: 2 }] } },
    result: /^valid/,
  },
  {
    id: 'A31',
    about: 'a system under test with an asynchronous setup',
    machine: any({ id: 'setup', ...toggle('PRESS') }),
    tests: {
      sut: async () => ({ isOn: false }),
      exec: { PRESS: (sut: any) => void (sut.isOn = !sut.isOn) },
      states: { on: (sut: any) => sut.isOn, off: (sut: any) => !sut.isOn },
    },
    result: /^valid/,
  },
];
