/** Dead ends, cycles without an exit and waits without a timeout, and machines that only look like them. Each machine must have exactly the findings that are named. */
import { assign, log, sendTo, spawnChild } from 'xstate';
import { cb, chart, made, p, testFindings, type FindingCase } from './findings.fixture.js';
import type { MachineTests } from './options.js';

const cases: FindingCase[] = [];
const c = (name: string, machine: any, finds: readonly string[], tests: MachineTests = {}) =>
  cases.push([name, machine, finds, tests]);

// ---- dead ends
c(
  'dead end nested',
  chart({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: { initial: 'x', states: { x: { on: { N: 'y' } }, y: {} } } } }),
  ['dead end b.y'],
);
c(
  'dead end nested but parent leads out',
  chart({
    initial: 'a',
    states: { a: { on: { GO: 'b' } }, b: { on: { BACK: 'a' }, initial: 'x', states: { x: { on: { N: 'y' } }, y: {} } } },
  }),
  [],
);
c(
  'final child, no onDone',
  chart({
    initial: 'a',
    states: { a: { on: { GO: 'b' } }, b: { initial: 'x', states: { x: { on: { N: 'y' } }, y: { type: 'final' } } } },
  }),
  ['dead end b.y'],
);
c(
  'final child with onDone',
  chart({
    initial: 'a',
    states: { a: { on: { GO: 'b' } }, b: { onDone: 'a', initial: 'x', states: { x: { on: { N: 'y' } }, y: { type: 'final' } } } },
  }),
  [],
);
c(
  'parallel both rest forever',
  chart({
    initial: 'off',
    states: {
      off: { on: { ON: 'p' } },
      p: {
        type: 'parallel',
        states: {
          l: { initial: 'a', states: { a: { on: { X: 'b' } }, b: {} } },
          r: { initial: 'c', states: { c: { on: { Y: 'd' } }, d: {} } },
        },
      },
    },
  }),
  ['dead end p.l.b + p.r.d'],
);
c(
  'parallel final regions with onDone',
  chart({
    initial: 'off',
    states: {
      off: { on: { ON: 'p' } },
      p: {
        type: 'parallel',
        onDone: 'off',
        states: {
          l: { initial: 'a', states: { a: { on: { X: 'b' } }, b: { type: 'final' } } },
          r: { initial: 'c', states: { c: { on: { Y: 'd' } }, d: { type: 'final' } } },
        },
      },
    },
  }),
  [],
);
c(
  'one region parallel final, other rests',
  chart({
    initial: 'off',
    states: {
      off: { on: { ON: 'p' } },
      p: {
        type: 'parallel',
        onDone: 'off',
        states: {
          l: { initial: 'a', states: { a: { on: { X: 'b' } }, b: { type: 'final' } } },
          r: { initial: 'c', states: { c: { on: { Y: 'd' } }, d: {} } },
        },
      },
    },
  }),
  ['dead end p.l.b + p.r.d'],
);
c('dead end with only ignored event', chart({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: { on: { GO: {} } } } }), [
  'dead end b',
]);
c(
  'dead end that only leads to itself',
  chart({ initial: 'a', states: { a: { on: { GO: 'b', END: 'c' } }, b: { on: { X: 'b' } }, c: { type: 'final' } } }),
  ['dead end b'],
);
c(
  'no dead end: it leads to itself and restarts its timer',
  chart({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: { on: { X: { target: 'b', reenter: true } }, entry: log('b') } } }),
  [],
);
c(
  'dead end with only action',
  chart({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: { on: { LOG: { actions: log('x') } } } } }),
  [],
);
c(
  'dead end guarded exit never true',
  chart({
    context: { ok: false },
    initial: 'a',
    states: { a: { on: { GO: 'b' } }, b: { on: { OUT: { guard: ({ context }: any) => context.ok, target: 'a' } } } },
  }),
  ['dead end b', 'constant guard b: OUT'],
);
c(
  'single-state app with actions',
  chart({
    context: { n: 0 },
    initial: 'idle',
    states: { idle: { on: { INC: { actions: assign({ n: ({ context }: any) => (context.n + 1) % 3 }) } } } },
  }),
  [],
);
c(
  'terminal state after error, with retry',
  chart({ initial: 'a', states: { a: { on: { FAIL: 'err' } }, err: { on: { RETRY: 'a' } } } }),
  [],
);
c(
  'dead end where child runs',
  made({
    actors: { kid: chart({ id: 'kid', initial: 'q', states: { q: { on: { T: 'r' } }, r: { on: { T: 'q' } } } }) },
  }).createMachine({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: { invoke: { src: 'kid', id: 'kid' } } } }),
  [],
  { children: { kid: { T: [{}] } } },
);
c(
  'dead end in child machine',
  made({
    actors: {
      kid: chart({ id: 'kid', initial: 'q', states: { q: { on: { T: 'stuck', U: 'end' } }, stuck: {}, end: { type: 'final' } } }),
    },
  }).createMachine({
    id: 'par',
    initial: 'a',
    states: {
      a: { invoke: { src: 'kid', id: 'kid', onDone: 'b' }, on: { T: { actions: sendTo('kid', { type: 'T' }) } } },
      b: { type: 'final' },
    },
  }),
  ['kid: dead end stuck', 'kid: dropped event T of kid'],
);
c('root on leads out', chart({ initial: 'a', on: { RESET: '.a' }, states: { a: { on: { GO: 'b' } }, b: {} } }), []);
c('wildcard leads out', chart({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: { on: { '*': 'a' } } } }), []);
const counted = { actions: assign({ n: ({ context }: any) => Math.min(3, context.n + 1) }) };
c(
  'a wildcard that only assigns leads nowhere',
  chart({ context: { n: 0 }, initial: 'a', states: { a: { on: { GO: 'b', '*': counted } }, b: { on: { '*': counted } } } }),
  ['dead end b'],
);
c(
  'a wildcard that passes events on is no dead end',
  chart({
    initial: 'a',
    states: { a: { on: { GO: 'b' } }, b: { on: { '*': { actions: sendTo('elsewhere', { type: 'X' }) } } } },
  }),
  [],
);
c(
  'a wildcard in the only state collects',
  chart({ context: { n: 0 }, initial: 'a', states: { a: { on: { '*': counted } } } }),
  [],
);
c('forbidden wildcard', chart({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: { on: { '*': {} } } } }), ['dead end b']);
c(
  'history leads back',
  chart({
    initial: 'on',
    states: {
      on: {
        initial: 'x',
        on: { PAUSE: 'off' },
        states: { x: { on: { N: 'y' } }, y: { on: { N: 'x' } }, h: { type: 'history' } },
      },
      off: { on: { RESUME: 'on.h' } },
    },
  }),
  [],
);
c('route leads out', chart({ initial: 'a', states: { a: { id: 'a', route: {}, on: { GO: 'b' } }, b: {} } }), []);

// ---- cycles
c(
  'cycle after',
  chart({
    initial: 'off',
    states: { off: { on: { ON: 'red' } }, red: { after: { 10: 'green' } }, green: { after: { 10: 'red' } } },
  }),
  ['cycle without exit green, red'],
);
c(
  'cycle by events after wizard',
  chart({ initial: 'start', states: { start: { on: { GO: 'x' } }, x: { on: { A: 'y' } }, y: { on: { A: 'x' } } } }),
  ['cycle without exit x, y'],
);
c(
  'self loop in last state',
  chart({ initial: 'start', states: { start: { on: { GO: 'x' } }, x: { after: { 10: { target: 'x', reenter: true } } } } }),
  ['cycle without exit x'],
);
c(
  'main app after login: cycle w/ logout',
  chart({
    initial: 'out',
    states: { out: { on: { IN: 'home' } }, home: { on: { P: 'profile', OUT: 'out' } }, profile: { on: { BACK: 'home' } } },
  }),
  [],
);
c(
  'cycle with final',
  chart({
    initial: 's',
    states: { s: { on: { GO: 'x' } }, x: { on: { A: 'y' } }, y: { on: { A: 'x', END: 'z' } }, z: { type: 'final' } },
  }),
  [],
);
c(
  'cycle in parallel child',
  chart({
    initial: 'off',
    states: {
      off: { on: { ON: 'p' } },
      p: {
        type: 'parallel',
        states: {
          l: { initial: 'a', states: { a: { on: { X: 'b' } }, b: { on: { X: 'a' } } } },
          r: { initial: 'c', states: { c: { on: { Y: 'd' } }, d: { on: { Y: 'c' } } } },
        },
      },
    },
  }),
  ['cycle without exit p.l.a + p.r.c, p.l.a + p.r.d, p.l.b + p.r.c, p.l.b + p.r.d'],
);
c(
  'cycle retry forever (promise)',
  made({ actors: { p } }).createMachine({
    initial: 'idle',
    states: {
      idle: { on: { GO: 'try' } },
      try: { invoke: { src: 'p', onDone: 'ok', onError: 'wait' } },
      wait: { after: { 10: 'try' } },
      ok: { type: 'final' },
    },
  }),
  ['wait without timeout try'],
);

// ---- waits
c(
  'wait invoke only',
  made({ actors: { p } }).createMachine({
    initial: 'a',
    states: { a: { on: { GO: 'b' } }, b: { invoke: { src: 'p', onDone: 'a', onError: 'a' } } },
  }),
  ['wait without timeout b'],
);
c(
  'wait with cancel at parent',
  made({ actors: { p } }).createMachine({
    initial: 'a',
    on: { CANCEL: '.a' },
    states: { a: { on: { GO: 'b' } }, b: { invoke: { src: 'p', onDone: 'a', onError: 'a' } } },
  }),
  [],
);
c(
  'wait with after at parent',
  made({ actors: { p } }).createMachine({
    initial: 'a',
    states: {
      a: { on: { GO: 'w' } },
      w: {
        after: { 1000: 'a' },
        initial: 'b',
        states: { b: { invoke: { src: 'p', onDone: 'c', onError: 'c' } }, c: { on: { OUT: 'b' } } },
      },
    },
  }),
  [],
);
c(
  'wait in nested: two invokes',
  made({ actors: { p } }).createMachine({
    initial: 'a',
    states: {
      a: { on: { GO: 'b' } },
      b: {
        invoke: [
          { id: 'one', src: 'p', onDone: 'a', onError: 'a' },
          { id: 'two', src: 'p', onError: 'a' },
        ],
      },
    },
  }),
  ['wait without timeout b'],
);
c(
  'wait in parallel region',
  made({ actors: { p } }).createMachine({
    initial: 'a',
    states: {
      a: { on: { GO: 'b' } },
      b: {
        type: 'parallel',
        onDone: 'a',
        states: {
          l: { initial: 'w', states: { w: { invoke: { src: 'p', onDone: 'd', onError: 'd' } }, d: { type: 'final' } } },
          r: { initial: 'x', states: { x: { on: { K: 'y' } }, y: { type: 'final' } } },
        },
      },
    },
  }),
  ['wait without timeout b.l.w'],
);
c(
  'wait on a callback which sends',
  made({ actors: { cb } }).createMachine({
    initial: 'a',
    states: { a: { on: { GO: 'b' } }, b: { invoke: { src: 'cb' }, on: { 'socket.open': 'a' } } },
  }),
  ['wait without timeout b'],
  { services: { cb: { sends: [{ type: 'socket.open' }] } } },
);
c('wait without any invoke: events', chart({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: { on: { OK: 'a' } } } }), []);
c(
  'wait: child machine with own timeout',
  made({
    actors: { kid: chart({ id: 'kid', initial: 'x', states: { x: { after: { 100: 'y' } }, y: { type: 'final' } } }) },
  }).createMachine({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: { invoke: { src: 'kid', id: 'kid', onDone: 'a' } } } }),
  [],
);
c(
  'wait: after only logs',
  made({ actors: { p } }).createMachine({
    initial: 'a',
    states: {
      a: { on: { GO: 'b' } },
      b: { after: { 500: { actions: log('slow') } }, invoke: { src: 'p', onDone: 'a', onError: 'a' } },
    },
  }),
  ['wait without timeout b'],
);
c(
  'wait: event ignored only',
  made({ actors: { p } }).createMachine({
    initial: 'a',
    states: { a: { on: { GO: 'b' } }, b: { on: { GO: {} }, invoke: { src: 'p', onDone: 'a', onError: 'a' } } },
  }),
  ['wait without timeout b'],
);
c(
  'wait: spawned promise in entry',
  made({ actors: { p } }).createMachine({
    initial: 'a',
    states: {
      a: { on: { GO: 'b' } },
      b: { entry: spawnChild('p', { id: 'job' }), on: { 'xstate.done.actor.job': 'a', 'xstate.error.actor.job': 'a' } },
    },
  }),
  ['wait without timeout b'],
);

testFindings(cases);
