/** Constant guards, and machines that only look like they had one. Each machine must have exactly the findings that are named. */
import { assign, emit, enqueueActions, fromTransition, not, sendTo } from 'xstate';
import { chart, made, testFindings, type FindingCase } from './findings.fixture.js';
import type { MachineTests } from './options.js';

const cases: FindingCase[] = [];
const c = (name: string, machine: any, finds: readonly string[], tests: MachineTests = {}) =>
  cases.push([name, machine, finds, tests]);
// ---- constant guards
c(
  'constant true',
  chart({
    initial: 'a',
    context: { xs: [] },
    states: { a: { on: { GO: { guard: ({ context }: any) => context.xs.length >= 0, target: 'b' } } }, b: { on: { GO: 'a' } } },
  }),
  ['constant guard a: GO'],
);
c(
  'not constant: event',
  chart({
    initial: 'a',
    states: { a: { on: { GO: { guard: ({ event }: any) => event.ok === true, target: 'b' } } }, b: { on: { GO: 'a' } } },
  }),
  [],
);
c(
  'constant always',
  chart({
    initial: 'a',
    context: { n: 1 },
    states: {
      a: { on: { GO: 'b' } },
      b: { always: [{ guard: ({ context }: any) => context.n > 5, target: 'c' }, { target: 'a' }] },
      c: { on: { GO: 'a' } },
    },
  }),
  ['constant guard b: always'],
);
c(
  'constant via not()',
  made({ guards: { no: () => false } }).createMachine({
    initial: 'a',
    states: { a: { on: { GO: { guard: not('no'), target: 'b' } } }, b: { on: { GO: 'a' } } },
  }),
  ['constant guard a: GO'],
);
c(
  'constant with params',
  made({ guards: { gt: ({ context }: any, params: any) => context.n > params.min } }).createMachine({
    context: { n: 3 },
    initial: 'a',
    states: { a: { on: { GO: { guard: { type: 'gt', params: { min: 1 } }, target: 'b' } } }, b: { on: { GO: 'a' } } },
  }),
  ['constant guard a: GO'],
);
c(
  'not constant: params from event',
  made({ guards: { gt: (_: any, params: any) => params.v > 1 } }).createMachine({
    initial: 'a',
    states: {
      a: { on: { GO: { guard: { type: 'gt', params: ({ event }: any) => ({ v: event.v }) }, target: 'b' } } },
      b: { on: { GO: 'a' } },
    },
  }),
  [],
);
c(
  'enqueueActions check',
  made({ guards: { big: ({ context }: any) => context.n > 1 } }).createMachine({
    context: { n: 0 },
    on: {
      GO: {
        actions: enqueueActions(({ enqueue, check }: any) => {
          enqueue.assign({ n: ({ context }: any) => (context.n + 1) % 4 });
          if (check('big')) enqueue.emit({ type: 'big' });
        }),
      },
    },
  }),
  [],
);
c(
  'emit & reenter',
  chart({
    context: { n: 0 },
    initial: 'a',
    states: {
      a: {
        entry: [emit({ type: 'hi' })],
        on: { GO: { target: 'a', reenter: true, actions: assign({ n: ({ context }: any) => (context.n + 1) % 2 }) }, OUT: 'b' },
      },
      b: { on: { BACK: 'a' } },
    },
  }),
  [],
);
c(
  'transition actor',
  made({
    actors: { t: fromTransition((s: any, e: any) => (e.type === 'INC' ? { n: (s.n + 1) % 3 } : s), { n: 0 }) },
  }).createMachine({ invoke: { src: 't', id: 't' }, on: { INC: { actions: sendTo('t', { type: 'INC' }) } } }),
  [],
);

testFindings(cases);
