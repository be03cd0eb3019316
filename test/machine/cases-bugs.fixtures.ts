/** Machines with a planted bug each, and with what was once reported wrongly: small, and written for this table. */
import { assign, fromCallback, fromObservable, fromPromise, raise, sendTo, setup, spawnChild, stopChild } from 'xstate';
import type { Case } from './cases.fixtures.js';

const any = (config: object, implementations: object = {}): any => setup(implementations as never).createMachine(config as never);
const once = fromPromise(async () => 1);
const socket = fromCallback(() => () => {});

export const planted: readonly Case[] = [
  {
    id: 'C1',
    finding: 'dead end shut',
    about: 'a guard the wrong way round',
    machine: any({
      id: 'gate',
      context: { isPaid: false },
      initial: 'shut',
      states: {
        shut: {
          on: {
            PAY: { actions: assign({ isPaid: true }) },
            OPEN: { guard: ({ context }: any) => !context.isPaid, target: 'open' },
          },
        },
        open: { on: { SHUT: { target: 'shut', actions: assign({ isPaid: false }) } } },
      },
    }),
    tests: { invariants: { 'open only when paid': (state: any) => !state.matches('open') || state.context.isPaid } },
    result: /^invalid: "open only when paid" after 1 step/,
  },
  {
    id: 'C2',
    finding: 'dead end lost',
    about: 'a dead end that is not a final state',
    machine: any({
      id: 'dead',
      initial: 'off',
      states: { off: { on: { SCAN: 'busy' } }, busy: { on: { FOUND: 'off', LOST: 'lost' } }, lost: {} },
    }),
    tests: {
      temporal: {
        'it can be switched off again': {
          when: (state: any) => state.matches('busy'),
          holds: (state: any) => !state.matches('lost'),
          until: (state: any) => state.matches('off'),
        },
      },
    },
    result: /^invalid/,
  },
  {
    id: 'C3',
    finding: 'late event LONG',
    about: 'a delayed event that is not canceled',
    machine: any({
      id: 'press',
      initial: 'up',
      states: {
        up: { on: { DOWN: 'down', LONG: 'menu' } },
        down: { entry: raise({ type: 'LONG' } as never, { delay: 500 }), on: { UP: 'up', LONG: 'menu' } },
        menu: { on: { CLOSE: 'up' } },
      },
    }),
    tests: {
      temporal: {
        'no menu at rest': {
          when: (state: any) => state.matches('up'),
          never: (state: any) => state.matches('menu'),
          withinMs: 100,
        },
      },
    },
    result: /^invalid/,
    failure: /no menu at rest/,
  },
  {
    id: 'C4',
    about: 'a promise that outlives CANCEL',
    machine: any(
      {
        id: 'search',
        context: { ref: null },
        initial: 'idle',
        states: {
          idle: { on: { FIND: { target: 'busy', actions: assign({ ref: ({ spawn }: any) => spawn('find') }) } } },
          busy: { on: { CANCEL: { target: 'idle', actions: assign({ ref: null }) } } },
        },
      },
      { actors: { find: once } },
    ),
    tests: { services: { find: { fails: [] } } },
    result: /^invalid/,
    failure: /no actor left running/,
  },
  {
    id: 'C5',
    finding: 'dropped event PAUSE of kid',
    about: 'PAUSE is lost while a child rests',
    machine: any(
      {
        id: 'work',
        invoke: { src: 'kid', id: 'kid' },
        initial: 'on',
        states: {
          on: { on: { PAUSE: { target: 'paused', actions: sendTo('kid', { type: 'PAUSE' }) } } },
          paused: { on: { GO_ON: { target: 'on', actions: sendTo('kid', { type: 'GO_ON' }) } } },
        },
      },
      {
        actors: {
          kid: any({
            id: 'kid',
            initial: 'busy',
            states: {
              busy: { after: { 100: 'rest' }, on: { PAUSE: 'paused' } },
              rest: { after: { 100: 'busy' } },
              paused: { on: { GO_ON: 'busy' } },
            },
          }),
        },
      },
    ),
    tests: {
      invariants: {
        'both pause': (state: any) => !state.matches('paused') || state.children.kid.getSnapshot().value === 'paused',
      },
    },
    result: /^invalid: "both pause" after 2 steps/,
  },
  {
    id: 'C6',
    finding: 'context not reset rounds',
    about: 'rounds that are not reset',
    machine: any({
      id: 'game',
      context: { rounds: 0 },
      initial: 'menu',
      states: {
        menu: { on: { START: 'play' } },
        play: {
          on: {
            ROUND: {
              guard: ({ context }: any) => context.rounds < 2,
              actions: assign({ rounds: ({ context }: any) => context.rounds + 1 }),
            },
            QUIT: 'menu',
          },
        },
      },
    }),
    tests: { invariants: { 'the menu shows no rounds': (state: any) => !state.matches('menu') || state.context.rounds === 0 } },
    result: /^invalid: "the menu shows no rounds" after 3 steps/,
  },
  {
    id: 'C7',
    finding: 'wait without timeout saving',
    about: 'saving that waits forever',
    machine: any(
      {
        id: 'save',
        initial: 'dirty',
        states: {
          dirty: { on: { SAVE: 'saving' } },
          saving: { invoke: { src: 'save', onDone: 'clean', onError: 'dirty' } },
          clean: { on: { EDIT: 'dirty' } },
        },
      },
      { actors: { save: once } },
    ),
    tests: {
      temporal: {
        'saving ends in time': {
          when: (state: any) => state.matches('saving'),
          eventually: (state: any) => !state.matches('saving'),
          withinMs: 10_000,
        },
      },
    },
    result: /^invalid/,
    failure: /saving ends in time/,
  },
];

const lamp = any({ id: 'lamp', initial: 'off', states: { off: { on: { TOGGLE: 'on' } }, on: { on: { TOGGLE: 'off' } } } });
const done = (config: object) =>
  any({ id: 'ends', initial: 'a', states: { a: { on: { GO: 'b' } }, ...config } }, { actors: { check: once } });

export const defects: readonly Case[] = [
  {
    id: 'D1',
    about: 'a route that throws',
    machine: any({
      id: 'throws',
      context: { item: null },
      initial: 'home',
      states: {
        home: { on: { GO: { target: 'item', actions: assign({ item: { name: 'x' } }) } } },
        item: { id: 'item', route: {}, entry: ({ context }: any) => void context.item.name, on: { BACK: 'home' } },
      },
    }),
    result: /^invalid: "no unhandled error" after 1 step/,
  },
  {
    id: 'D3',
    about: 'an event that is passed on to a child under its own name',
    machine: any(
      { id: 'room', invoke: { src: 'lamp', id: 'lamp' }, on: { TOGGLE: { actions: sendTo('lamp', { type: 'TOGGLE' }) } } },
      { actors: { lamp } },
    ),
    result: /^valid/,
    covers: ['event TOGGLE'],
  },
  {
    id: 'D4',
    about: 'the end and the failure of an invoked promise, taken in "on"',
    machine: done({
      b: {
        invoke: { id: 'check.it', src: 'check' },
        on: { 'xstate.done.actor.check.it': 'c', 'xstate.error.actor.check.it': 'a' },
      },
      c: { on: { BACK: 'a' } },
    }),
    result: /^valid/,
    covers: ['transition b: xstate.done.actor.check.it', 'transition b: xstate.error.actor.check.it'],
  },
  {
    id: 'D4a',
    about: 'the same without an id, and by wildcards',
    machine: done({
      b: { invoke: { src: 'check' }, on: { 'xstate.done.actor.0.ends.b': 'c', 'xstate.error.*': 'a' } },
      c: { on: { BACK: 'a' } },
    }),
    result: /^valid/,
    covers: ['transition b: xstate.done.actor.0.ends.b', 'transition b: xstate.error.*'],
  },
  {
    id: 'D4b',
    about: 'the end of a spawned child, and its snapshots',
    machine: any(
      {
        id: 'spawner',
        initial: 'a',
        states: {
          a: { on: { GO: { target: 'b', actions: spawnChild('lamp', { id: 'l', syncSnapshot: true }) } } },
          b: {
            on: {
              PRESS: { actions: sendTo('l', { type: 'TOGGLE' }) },
              'xstate.snapshot.l': { actions: [] },
              END: { target: 'a', actions: stopChild('l') },
            },
          },
        },
      },
      { actors: { lamp } },
    ),
    result: /^valid/,
    covers: ['transition b: xstate.snapshot.l'],
  },
  {
    id: 'D4c',
    about: 'onDone instead of the same event in "on"',
    machine: done({
      b: { invoke: { id: 'check', src: 'check', onDone: 'c', onError: 'a' }, on: { 'xstate.done.actor.check': 'a' } },
      c: { on: { BACK: 'a' } },
    }),
    result: /^invalid: 1 not covered/,
    missing: /XState takes "check done" of the same state instead/,
  },
  {
    id: 'D5',
    about: 'a child that the chart stops by its id after its reference is dropped',
    machine: any(
      {
        id: 'closing',
        context: { ref: null },
        initial: 'off',
        states: {
          off: { on: { ON: { target: 'on', actions: assign({ ref: ({ spawn }: any) => spawn('ws', { id: 'ws' }) }) } } },
          on: { on: { CLOSE: { target: 'ends', actions: assign({ ref: null }) } } },
          ends: { after: { 1000: { target: 'off', actions: stopChild('ws') } } },
        },
      },
      { actors: { ws: socket } },
    ),
    result: /^valid/,
  },
  {
    id: 'D6',
    about: 'a sample under the source, where the actor has an id',
    machine: any(
      {
        id: 'named',
        context: { n: 0 },
        initial: 'a',
        states: {
          a: {
            invoke: {
              src: 'check',
              id: 'first',
              onDone: { target: 'b', actions: assign({ n: ({ event }: any) => event.output.deep.n }) },
              onError: 'b',
            },
          },
          b: {},
        },
      },
      { actors: { check: once } },
    ),
    tests: { services: { check: { done: [{ n: 1 }] } } },
    result: /^invalid/,
    failure: /^(?!.*was done with undefined).*Handle it in the chart/s,
  },
];

export const awkward: readonly Case[] = [
  {
    id: 'W1',
    about: 'completes: false and fails: []',
    machine: any(
      { id: 'clock', invoke: { src: 'tick', onSnapshot: {} } },
      { actors: { tick: fromObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) }) as never) } },
    ),
    tests: { services: { tick: { next: [1], completes: false, fails: [] } } },
    result: /^valid/,
  },
  {
    id: 'W5',
    about: '1,500 eventless steps that end, more than the tests follow',
    machine: any({
      id: 'drain',
      context: { n: 0 },
      initial: 'idle',
      states: {
        idle: { on: { GO: { target: 'work', actions: assign({ n: 1500 }) } } },
        work: {
          always: [
            {
              guard: ({ context }: any) => context.n > 0,
              actions: assign({ n: ({ context }: any) => context.n - 1 }),
              target: 'work',
              reenter: true,
            },
            { target: 'idle' },
          ],
        },
      },
    }),
    result: /^invalid/,
    failure: /The tests stop at 1000; XState itself has no limit.*options: { maxIterations: 10000 }/s,
  },
  {
    id: 'W6',
    about: 'an error is printed once',
    machine: any({
      id: 'twice',
      on: {
        GO: {
          actions: assign(() => {
            throw new Error('only once');
          }),
        },
      },
    }),
    result: /^invalid/,
    failure: /^(?!.*only once.*only once).*only once/s,
  },
  {
    id: 'W8',
    about: 'several inputs and a stored state in one run',
    machine: any({
      id: 'begins',
      context: ({ input }: any) => ({ n: input }),
      initial: 'a',
      states: { a: { on: { GO: { guard: ({ context }: any) => context.n === 1, target: 'b' } } }, b: { on: { BACK: 'a' } } },
    }),
    tests: {
      starts: [
        { input: 1 },
        { input: 2 },
        {
          snapshot: any({ id: 'begins', context: { n: 1 }, initial: 'a', states: { a: {}, b: {} } }).resolveState({
            value: 'b',
            context: { n: 1 },
          }),
        },
      ],
    },
    result: /^valid/,
  },
  {
    id: 'W9',
    about: 'a check that fails names its state',
    machine: any({ id: 'checked', initial: 'a', states: { a: { on: { GO: 'b' } }, b: { on: { BACK: 'a' } } } }),
    tests: {
      states: {
        b: () => {
          throw new Error('locator.waitFor: timeout');
        },
      },
    },
    result: /^invalid: "check of state b" after 1 step/,
    failure: /locator\.waitFor: timeout/,
  },
  {
    id: 'W12',
    about: 'a constant guard, referenced with its name',
    machine: any(
      { id: 'constant', initial: 'a', states: { a: { on: { GO: { guard: 'always', target: 'b' } } }, b: { on: { BACK: 'a' } } } },
      { guards: { always: (_: unknown) => true } },
    ),
    result: /^invalid: 1 not covered/,
    missing: /always reads neither context nor event/,
  },
];
