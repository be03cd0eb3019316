import { createActor, createMachine, type AnyStateMachine } from 'xstate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chartDefinition } from '../../network/chart-definition.js';
import { reportActors } from '../live/actors.js';
import type { StepReport } from '../live/report.js';
import { readChart } from './chart.js';
import { passedBy } from './passed.js';
import { reportedBy } from './taken.js';

const log: string[] = [];
const ran = (name: string) => {
  const sendText = () => void log.push(name);
  Object.defineProperty(sendText, 'name', { value: name });
  return sendText;
};
const notified = { entry: 'in', exit: 'out' } as const;

/** The states of a config, each with an entry and an exit action that differ from all others. */
function noted(config: any, path: string): any {
  const states = Object.entries<any>(config.states ?? {}).map(([key, inner]) => [
    key,
    noted(inner, path === '' ? key : `${path}.${key}`),
  ]);
  const actions =
    config.type === 'history' ? {} : { entry: ran(`${notified.entry} ${path}`), exit: ran(`${notified.exit} ${path}`) };
  return { ...config, ...actions, ...(states.length > 0 && { states: Object.fromEntries(states) }) };
}

/** The actions of each event, as XState ran them and as the chart defines them; `null` where the chart leaves them open. */
function both(
  config: object,
  events: readonly string[],
): { readonly ran: readonly string[]; readonly reported: readonly string[] | null }[] {
  const machine = createMachine(noted({ id: 'm', ...config }, '')) as AnyStateMachine;
  const reports: StepReport[] = [];
  onTestFinished(reportActors((report) => reports.push(JSON.parse(JSON.stringify(report)) as StepReport)));
  const actor = createActor(machine).start();
  const chart = readChart('m', chartDefinition(machine));
  return events.map((type) => {
    const [before, from] = [actor.getSnapshot().value, reports.length];
    log.length = 0;
    actor.send({ type });
    const { selected } = reports[from]!;
    const taken = reportedBy({ taken: selected!.taken.map((one) => one) }, 'm', chart)!.taken;
    const passed = passedBy(chart, before, taken, actor.getSnapshot().value);
    const reported = passed?.flatMap(({ left, entered, ended }) => [
      ...left.map(({ path }) => `out ${path}`),
      ...entered.map(({ path }) => `in ${path}`),
      ...ended.map(({ path }) => `out ${path}`),
    ]);
    return { ran: [...log], reported: reported ?? null };
  });
}

const inner = { initial: 'x', states: { x: { on: { next: 'y' } }, y: {}, last: { type: 'history' } } };
const configs: readonly (readonly [string, object, readonly string[]])[] = [
  ['from state to state', { initial: 'a', states: { a: { on: { go: 'b' } }, b: { on: { go: 'a' } } } }, ['go', 'go']],
  [
    'into and out of states inside of states',
    {
      initial: 'a',
      states: {
        a: { on: { go: 'b' } },
        b: { ...inner, on: { go: 'a', over: '.y', same: 'b', anew: { target: 'b', reenter: true } } },
      },
    },
    ['go', 'next', 'same', 'over', 'anew', 'go'],
  ],
  ['nothing for a transition that stays', { initial: 'a', on: { go: { actions: () => {} } }, states: { a: {} } }, ['go']],
  [
    'what is left with all states',
    { initial: 'a', on: { go: { target: '.b', reenter: true } }, states: { a: {}, b: {} } },
    ['go', 'go'],
  ],
  [
    'a chain of transitions',
    {
      initial: 'a',
      states: { a: { on: { go: 'b' } }, b: { initial: 'x', states: { x: { always: 'y' }, y: { always: '#m.c' } } }, c: {} },
    },
    ['go'],
  ],
  [
    'both parts of a parallel state',
    {
      initial: 'a',
      states: {
        a: { on: { go: 'b' } },
        b: { type: 'parallel', states: { l: inner, r: { initial: 'p', states: { p: {} } } }, on: { back: 'a' } },
      },
    },
    ['go', 'next', 'back'],
  ],
  ['the end', { initial: 'a', states: { a: { on: { go: 'b' } }, b: { type: 'final' } } }, ['go']],
  [
    'what history remembers, at the end of a step',
    { initial: 'b', states: { b: { ...inner, on: { out: 'a' } }, a: { on: { back: 'b.last' } } } },
    ['next', 'out', 'back'],
  ],
];

describe("left and entered states match XState's actions", () => {
  test.each(configs)('%s', (_, config, events) => {
    for (const { ran, reported } of both(config, events)) expect(reported).toEqual(ran);
  });
});

test('of transitions that two parts take at once, each its own', () => {
  const part = { initial: 'p', states: { p: { on: { go: 'q' } }, q: {} } };
  const [step] = both({ type: 'parallel', states: { l: part, r: part } }, ['go']);
  expect(step!.reported).toEqual(['out l.p', 'in l.q', 'out r.p', 'in r.q']);
  // XState leaves with all of them before it enters with any.
  expect([...step!.ran].sort()).toEqual([...step!.reported!].sort());
});

test('the memory of a history state is unknown if the step continued', () => {
  const states = {
    b: { ...inner, on: { out: 'a' } },
    a: { on: { back: 'b.last' } },
  };
  const config = {
    initial: 'b',
    states: {
      ...states,
      b: {
        ...states.b,
        states: { ...inner.states, y: { always: { guard: ({ event }: any) => event.type === 'back', target: '#m.c' } } },
      },
      c: {},
    },
  };
  expect(both(config, ['next', 'out', 'back']).map(({ reported }) => reported === null)).toEqual([false, false, true]);
});

test('the result is unknown if the transitions lead to other states than the step', () => {
  const chart = readChart('m', { initial: 'a', states: { a: { on: { go: 'b' } }, b: {}, c: {} } });
  expect(passedBy(chart, 'c', chart.transitions, 'b')).toBeNull();
});
