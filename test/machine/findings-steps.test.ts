/** Dropped events, late results and context that is not reset, and machines that only look like them. Each machine must have exactly the findings that are named. */
import { assign, cancel, enqueueActions, forwardTo, log, raise, sendTo, spawnChild, stopChild } from 'xstate';
import { chart, made, p, testFindings, type FindingCase } from './findings.fixture.js';
import type { MachineTests } from './options.js';

const cases: FindingCase[] = [];
const c = (name: string, machine: any, finds: readonly string[], tests: MachineTests = {}) =>
  cases.push([name, machine, finds, tests]);
// ---- dropped
const light = chart({ id: 'light', initial: 'off', states: { off: { on: { ON: 'on' } }, on: { on: { OFF: 'off' } } } });
c(
  'dropped sendTo',
  made({ actors: { light } }).createMachine({
    invoke: { src: 'light', id: 'light' },
    on: { A: { actions: sendTo('light', { type: 'ON' }) }, B: { actions: sendTo('light', { type: 'OFF' }) } },
  }),
  ['light: dropped event ON of light', 'light: dropped event OFF of light'],
);
c(
  'dropped via enqueueActions',
  made({ actors: { light } }).createMachine({
    invoke: { src: 'light', id: 'light' },
    on: {
      A: {
        actions: enqueueActions(({ enqueue }: any) => {
          enqueue.sendTo('light', { type: 'BOOM' });
        }),
      },
    },
  }),
  ['light: dropped event BOOM of light!'],
);
c(
  'dropped forwardTo',
  made({ actors: { light } }).createMachine({
    invoke: { src: 'light', id: 'light' },
    on: { ON: { actions: forwardTo('light') }, OFF: { actions: forwardTo('light') } },
  }),
  ['light: dropped event ON of light', 'light: dropped event OFF of light'],
);
c(
  'not dropped: wildcard child',
  made({ actors: { kid: chart({ id: 'kid', on: { '*': { actions: log('x') } } }) } }).createMachine({
    invoke: { src: 'kid', id: 'kid' },
    on: { A: { actions: sendTo('kid', { type: 'ANY' }) } },
  }),
  [],
);
c(
  'not dropped: ignored explicitly',
  made({
    actors: { kid: chart({ id: 'kid', initial: 'x', states: { x: { on: { A: 'y', B: {} } }, y: { on: { B: 'x', A: {} } } } }) },
  }).createMachine({
    invoke: { src: 'kid', id: 'kid' },
    on: { A: { actions: sendTo('kid', { type: 'A' }) }, B: { actions: sendTo('kid', { type: 'B' }) } },
  }),
  [],
);
c(
  'dropped: guard false in child is not dropped',
  made({
    actors: {
      kid: chart({
        id: 'kid',
        context: { n: 0 },
        on: { T: { guard: ({ context }: any) => context.n < 1, actions: assign({ n: ({ context }: any) => context.n + 1 }) } },
      }),
    },
  }).createMachine({ invoke: { src: 'kid', id: 'kid' }, on: { T: { actions: sendTo('kid', { type: 'T' }) } } }),
  [],
);
c(
  'dropped by ref in context',
  made({ actors: { light } }).createMachine({
    context: ({ spawn }: any) => ({ ref: spawn('light', { id: 'l1' }) }),
    on: {
      OFF_ALL: { actions: sendTo(({ context }: any) => context.ref, { type: 'OFF' }) },
      ON_ALL: { actions: sendTo(({ context }: any) => context.ref, { type: 'ON' }) },
    },
  }),
  ['light: dropped event OFF of l1', 'light: dropped event ON of l1'],
);
c(
  'dropped: to ended child',
  made({
    actors: { kid: chart({ id: 'kid', initial: 'x', states: { x: { on: { END: 'z' } }, z: { type: 'final' } } }) },
  }).createMachine({ invoke: { src: 'kid', id: 'kid' }, on: { T: { actions: sendTo('kid', { type: 'END' }) } } }),
  ['kid: dropped event END of kid'],
);

const lampKid = chart({ id: 'lamp', initial: 'off', states: { off: { on: { TOGGLE: 'on' } }, on: { on: { TOGGLE: 'off' } } } });
const forwarding = made({ actors: { lampKid } }).createMachine({
  invoke: { src: 'lampKid', id: 'lamp' },
  on: { '*': { actions: forwardTo('lamp') } },
});
c('not dropped: an event invented for a wildcard that forwards', forwarding, []);
c('dropped, a warning: a sample that a wildcard forwards', forwarding, ['lampKid: dropped event HELP of lamp'], {
  events: { HELP: [{}], TOGGLE: [{}] },
});

// ---- late
const ticking = { entry: raise({ type: 'TICK' }, { delay: 100, id: 't' }) };
const tick = { TICK: { actions: raise({ type: 'TICK' }, { delay: 100, id: 't' }) } };
const twoStates = { initial: 'a', states: { a: { on: { GO: 'b' } }, b: { on: { GO: 'a' } } } };
c('not late: the root arms the timer again and again', chart({ ...twoStates, ...ticking, on: tick }), []);
c(
  'not late: the root spawns the promise and takes its result',
  made({ actors: { p } }).createMachine({
    ...twoStates,
    context: { r: null },
    entry: spawnChild('p', { id: 'load' }),
    on: { 'xstate.done.actor.load': { actions: assign({ r: ({ event }: any) => event.output }) } },
  }),
  [],
  { services: { p: { fails: [] } } },
);
c(
  'not late: a state that arms it itself is still there, another region has moved',
  chart({
    type: 'parallel',
    states: {
      l: { initial: 'a', states: { a: { on: { KEY: { actions: raise({ type: 'SAVE' }, { delay: 9, id: 's' }) }, SAVE: {} } } } },
      r: twoStates,
    },
  }),
  [],
);
c(
  'late: the state is entered again without asking again',
  made({ actors: { p } }).createMachine({
    context: { r: null },
    initial: 'list',
    states: {
      list: { on: { OPEN: { target: 'detail', actions: spawnChild('p', { id: 'load' }) }, PEEK: 'detail' } },
      detail: { on: { CLOSE: 'list', 'xstate.done.actor.load': { actions: assign({ r: ({ event }: any) => event.output }) } } },
    },
  }),
  ['late result load'],
  { services: { p: { fails: [] } } },
);
c(
  'late: the state is entered again by history',
  made({ actors: { p } }).createMachine({
    context: { r: null },
    initial: 'work',
    states: {
      work: {
        initial: 'x',
        on: { LEAVE: 'away' },
        states: {
          x: { on: { ASK: { target: 'y', actions: spawnChild('p', { id: 'load' }) } } },
          y: { on: { 'xstate.done.actor.load': { target: 'x', actions: assign({ r: ({ event }: any) => event.output }) } } },
          h: { type: 'history' },
        },
      },
      away: { on: { BACK: 'work.h' } },
    },
  }),
  ['late result load'],
  { services: { p: { fails: [] } } },
);
c(
  'late: spawned promise, result assigned',
  made({ actors: { p } }).createMachine({
    context: { r: null },
    initial: 'list',
    on: { 'xstate.done.actor.load': { actions: assign({ r: ({ event }: any) => event.output }) } },
    states: { list: { on: { OPEN: 'detail' } }, detail: { entry: spawnChild('p', { id: 'load' }), on: { CLOSE: 'list' } } },
  }),
  ['late result load'],
  { services: { p: { fails: [] } } },
);
c(
  'not late: stopped on exit',
  made({ actors: { p } }).createMachine({
    context: { r: null },
    initial: 'list',
    on: { 'xstate.done.actor.load': { actions: assign({ r: ({ event }: any) => event.output }) } },
    states: {
      list: { on: { OPEN: 'detail' } },
      detail: { entry: spawnChild('p', { id: 'load' }), exit: stopChild('load'), on: { CLOSE: 'list' } },
    },
  }),
  [],
  { services: { p: { fails: [] } } },
);
c(
  'late event: raise delay',
  chart({
    initial: 'a',
    states: {
      a: { on: { GO: 'b', TICK: 'c' } },
      b: { entry: raise({ type: 'TICK' }, { delay: 100, id: 't' }), on: { BACK: 'a' } },
      c: { on: { BACK: 'a' } },
    },
  }),
  ['late event TICK'],
);
c(
  'not late: canceled on exit',
  chart({
    initial: 'a',
    states: {
      a: { on: { GO: 'b', TICK: 'c' } },
      b: { entry: raise({ type: 'TICK' }, { delay: 100, id: 't' }), exit: cancel('t'), on: { BACK: 'a', TICK: 'c' } },
      c: { on: { BACK: 'a' } },
    },
  }),
  [],
);
c(
  'late: spawn in assign in action',
  made({ actors: { p } }).createMachine({
    context: { ref: null, r: 0 },
    initial: 'idle',
    on: { 'xstate.done.actor.q': { actions: assign({ r: ({ event }: any) => event.output }) } },
    states: {
      idle: { on: { FIND: { target: 'busy', actions: assign({ ref: ({ spawn }: any) => spawn('p', { id: 'q' }) }) } } },
      busy: { on: { CANCEL: 'idle' } },
    },
  }),
  ['late result q'],
  { services: { p: { done: [1], fails: [] } } },
);

// ---- not reset
const rounds = (over: object) =>
  chart({
    context: { n: 0 },
    initial: 'menu',
    states: {
      menu: { on: { START: 'play' } },
      play: {
        on: {
          R: [
            { guard: ({ context }: any) => context.n >= 2, target: 'over' },
            { actions: assign({ n: ({ context }: any) => context.n + 1 }) },
          ],
          QUIT: 'menu',
        },
      },
      over,
    },
  });
c('not reset', rounds({ on: { AGAIN: 'menu' } }), ['context not reset n']);
c('reset', rounds({ on: { AGAIN: { target: 'menu', actions: assign({ n: 0 }) } } }), []);
c(
  'not reset: C6 shape',
  chart({
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
  ['context not reset rounds'],
);
c(
  'not reset: list',
  chart({
    context: { xs: [] },
    initial: 'edit',
    states: {
      edit: {
        on: {
          ADD: {
            guard: ({ context }: any) => context.xs.length < 2,
            actions: assign({ xs: ({ context }: any) => [...context.xs, 1] }),
          },
          SEND: { guard: ({ context }: any) => context.xs.length > 0, target: 'sent' },
        },
      },
      sent: { on: { NEW: 'edit' } },
    },
  }),
  ['context not reset xs'],
);
c(
  'not reset: retries with always',
  made({ actors: { p } }).createMachine({
    context: { t: 0 },
    initial: 'idle',
    states: {
      idle: { on: { GO: 'try' } },
      try: {
        invoke: {
          src: 'p',
          onDone: 'idle',
          onError: { target: 'check', actions: assign({ t: ({ context }: any) => context.t + 1 }) },
        },
        after: { 100: 'idle' },
      },
      check: { always: [{ guard: ({ context }: any) => context.t >= 3, target: 'failed' }, { target: 'try' }] },
      failed: { on: { RETRY: 'idle' } },
    },
  }),
  ['context not reset t'],
);
c(
  'lifetime limit: attempts then locked out (final)',
  chart({
    context: { t: 0 },
    initial: 'form',
    states: {
      form: {
        on: {
          WRONG: [
            { guard: ({ context }: any) => context.t >= 2, target: 'locked' },
            { actions: assign({ t: ({ context }: any) => context.t + 1 }) },
          ],
          RIGHT: 'in',
        },
      },
      in: { on: { OUT: 'form' } },
      locked: { type: 'final' },
    },
  }),
  [],
);
c(
  'not reset flag',
  chart({
    context: { seen: false },
    initial: 'a',
    states: {
      a: { on: { GO: [{ guard: ({ context }: any) => !context.seen, target: 'tour' }, { target: 'b' }] } },
      tour: { on: { OK: { target: 'b', actions: assign({ seen: true }) } } },
      b: { on: { BACK: 'a' } },
    },
  }),
  [],
);
c(
  'page counter going up and down',
  chart({
    context: { p: 0 },
    initial: 'r',
    states: {
      r: {
        on: {
          NEXT: { guard: ({ context }: any) => context.p < 2, actions: assign({ p: ({ context }: any) => context.p + 1 }) },
          PREV: { guard: ({ context }: any) => context.p > 0, actions: assign({ p: ({ context }: any) => context.p - 1 }) },
          OUT: 'm',
        },
      },
      m: { on: { IN: 'r' } },
    },
  }),
  [],
);
c(
  'lives decreasing',
  chart({
    context: { lives: 2 },
    initial: 'menu',
    states: {
      menu: { on: { START: 'play' } },
      play: {
        on: {
          HIT: [
            { guard: ({ context }: any) => context.lives <= 0, target: 'over' },
            { actions: assign({ lives: ({ context }: any) => context.lives - 1 }) },
          ],
        },
      },
      over: { on: { AGAIN: 'menu' } },
    },
  }),
  ['context not reset lives'],
);

testFindings(cases);
