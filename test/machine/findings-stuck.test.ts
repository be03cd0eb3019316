/** Dead ends that only some contexts or results lead into, and machines that only look like them. Each machine must have exactly the findings that are named. */
import { assign, cancel, emit, log, raise, stateIn } from 'xstate';
import { chart, made, p, testFindings, type FindingCase } from './findings.fixture.js';
import type { MachineTests } from './options.js';

const cases: FindingCase[] = [];
const c = (name: string, machine: any, finds: readonly string[], tests: MachineTests = {}) =>
  cases.push([name, machine, finds, tests]);

const gate = (isOpen: (paid: boolean) => boolean, pay: object = { actions: assign({ isPaid: true }) }, more: object = {}) =>
  chart({
    context: { isPaid: false },
    initial: 'shut',
    states: {
      shut: { on: { PAY: pay, OPEN: { guard: ({ context }: any) => isOpen(context.isPaid), target: 'open' }, ...more } },
      open: { on: { SHUT: { target: 'shut', actions: assign({ isPaid: false }) } } },
    },
  });
c(
  'dead end by context: guard the wrong way round',
  gate((isPaid) => !isPaid),
  ['dead end shut'],
);
c(
  'no dead end by context: guard the right way round',
  gate((isPaid) => isPaid),
  [],
);
c(
  'no dead end by context: payload may change it',
  gate((isPaid) => !isPaid, { actions: assign({ isPaid: ({ event }: any) => event.ok ?? true }) }),
  [],
);
c(
  'no dead end by context: event has an action',
  gate((isPaid) => !isPaid, undefined, { ASK: { actions: emit({ type: 'told' }) } }),
  [],
);
c(
  'no dead end by context: timer changes it',
  chart({
    context: { n: 0 },
    initial: 'a',
    states: {
      a: {
        on: { GO: { guard: ({ context }: any) => context.n < 1, target: 'b' } },
        after: { 1000: { target: 'a', reenter: true, actions: assign({ n: 0 }) } },
      },
      b: { on: { BACK: { target: 'a', actions: assign({ n: 1 }) } } },
    },
  }),
  [],
);
c(
  'dead end after a result without a transition',
  made({ actors: { p } }).createMachine({
    initial: 'a',
    states: {
      a: { on: { GO: 'b' } },
      b: {
        invoke: {
          src: 'p',
          onDone: [
            { guard: ({ event }: any) => event.output === 'yes', target: 'a' },
            { guard: ({ event }: any) => event.output === 'no', target: 'a' },
          ],
          onError: 'a',
        },
      },
    },
  }),
  ['dead end b', 'wait without timeout b'],
  { services: { p: { done: ['yes', 'no', 'closed'] } } },
);
c(
  'no dead end while a child machine runs',
  made({
    actors: { kid: chart({ id: 'kid', initial: 'x', states: { x: { after: { 100: 'y' } }, y: { type: 'final' } } }) },
  }).createMachine({
    initial: 'a',
    states: { a: { on: { GO: 'b' } }, b: { invoke: { src: 'kid', id: 'kid', onDone: 'a' } } },
  }),
  [],
);

// ---- what only looks like a loop, or like a way out
c(
  'a timer that does nothing is no loop',
  chart({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: { after: { 100: { actions: log('x') } } } } }),
  ['dead end b'],
);
c(
  'a timer that starts again is a loop',
  chart({
    initial: 'a',
    states: { a: { on: { GO: 'b' } }, b: { after: { 100: { target: 'b', reenter: true, actions: log('x') } } } },
  }),
  ['cycle without exit b'],
);
c(
  'a cycle with an exit for which no sample is given',
  chart({
    initial: 'idle',
    states: {
      idle: { on: { GO: 'x' } },
      x: { on: { A: 'y', OUT: { guard: ({ event }: any) => event.code === 42, target: 'idle' } } },
      y: { on: { A: 'x' } },
    },
  }),
  [],
);
c(
  'regions that wait for each other',
  chart({
    type: 'parallel',
    states: {
      l: {
        initial: 'a',
        states: { a: { on: { X: 'b' } }, b: { always: { guard: stateIn('#ry'), target: 'c' } }, c: { type: 'final' } },
      },
      r: {
        initial: 'x',
        states: { x: { always: { guard: stateIn('#lc'), target: 'y' } }, y: { id: 'ry', type: 'final' } },
      },
      s: { initial: 'p', states: { p: {}, lc: { id: 'lc' } } },
    },
  }),
  ['dead end l.b + r.x + s.p'],
);
c(
  'a delayed event of its own limits the wait',
  made({ actors: { p } }).createMachine({
    initial: 'a',
    states: {
      a: { on: { GO: 'b' } },
      b: {
        entry: raise({ type: 'TIMEOUT' }, { delay: 5000, id: 't' }),
        exit: cancel('t'),
        invoke: { src: 'p', onDone: 'a', onError: 'a' },
        on: { TIMEOUT: 'a' },
      },
    },
  }),
  [],
);
c(
  'not reset: a number in an object',
  chart({
    context: { game: { lives: 3 } },
    initial: 'menu',
    states: {
      menu: { on: { START: 'play' } },
      play: {
        on: {
          HIT: [
            { guard: ({ context }: any) => context.game.lives <= 1, target: 'over' },
            { actions: assign({ game: ({ context }: any) => ({ lives: context.game.lives - 1 }) }) },
          ],
        },
      },
      over: { on: { AGAIN: 'menu' } },
    },
  }),
  ['context not reset game'],
);

testFindings(cases);
