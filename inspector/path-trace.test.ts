import { expect, test } from 'vitest';
import { fromPromise, setup, type AnyStateMachine } from 'xstate';
import { directory } from '../machines/directory/index.js';
import { chartDefinition } from '../network/chart-definition.js';
import { itemsOf } from '../test/coverage/items.js';
import { coverageOf, SEARCH_PATIENCE } from '../test/paths/suite.js';
import { graphsOf } from '../test/paths/graph.js';
import { pathsOf } from '../test/paths/paths.js';
import { readChart } from './model/chart.js';
import { stateItem, transitionItem } from './model/coverage.js';
import { Moment } from './model/moment.js';
import { sentence } from './model/words.js';
import { readTrace } from './page/testing/traces.js';
import { traceOfPaths } from './path-trace.js';

const graphs = graphsOf(directory, SEARCH_PATIENCE);
const paths = graphs.flatMap((graph) => pathsOf(graph, 'shortest'));
const read = (...of: Parameters<typeof traceOfPaths>) =>
  readTrace(Array.from(traceOfPaths(...of), (line) => JSON.stringify(line)).join('\n'));
const recording = read(directory, paths, coverageOf(directory, graphs).toJSON());

test('each path is a node that walks its chart', () => {
  expect(recording.problem).toBeNull();
  expect(recording.nodes.size).toBe(paths.length);
  expect(recording.end).toBe(paths.reduce((sum, { steps }) => sum + 1 + steps.length, 0));
  for (const [node, { steps, first }] of paths.entries()) {
    const walked = recording.steps[node]!.map((line) => new Moment(recording, line).roles(node)[0]!.view.value);
    expect(walked).toEqual([first, ...steps.map(({ expected }) => expected)].map(({ value }) => value));
  }
});

test('a violation of the paths is the verdict, with the observation', () => {
  const broken = read(directory, paths.slice(0, 1), {}, { name: 'the chart goes as expected', description: 'it went on' });
  expect(broken.problem).toBeNull();
  expect(sentence(broken.line(broken.end - 1))).toMatch(/^verdict: invalid.*the chart goes as expected/);
  expect(broken.header!.properties).toEqual([{ name: 'the chart goes as expected', description: 'it went on', kind: 'always' }]);
});

test('every state and transition of a chart has the name that coverage counts it by', () => {
  const chart = readChart('directory', recording.header!.charts['directory']);
  const counted = (kind: string) =>
    Object.keys(recording.header!.coverage!['directory']!).filter((item) => item.startsWith(`${kind} `));
  expect(chart.transitions.map(transitionItem).sort()).toEqual(counted('transition').sort());
  expect(
    [...chart.states.keys()]
      .filter((path) => path !== '')
      .map(stateItem)
      .sort(),
  ).toEqual(counted('state').sort());
});

test('so have those of an application: by time, services and inner ends', () => {
  const loads = setup({ actors: { load: fromPromise(async () => 1) } }).createMachine({
    id: 'app',
    initial: 'a',
    always: [{ guard: () => false, actions: () => {} }],
    states: {
      a: {
        invoke: [
          { src: 'load', onDone: 'b', onError: [{ guard: () => true, target: 'b' }, { target: 'a' }] },
          { src: 'load', onDone: 'b' },
          { src: fromPromise(async () => 2), onDone: 'b' },
          { src: 'load', id: 'mine', onError: 'b', onSnapshot: { actions: () => {} } },
        ],
        after: { 100: 'b', slow: 'b' },
      },
      b: { initial: 'in', onDone: 'a', states: { in: { on: { X: 'out' } }, out: { type: 'final' } } },
    },
  } as never) as unknown as AnyStateMachine;
  const chart = readChart('app', JSON.parse(JSON.stringify(chartDefinition(loads))));
  const counted = itemsOf(loads).filter((item) => item.startsWith('transition '));
  expect(counted).toHaveLength(12);
  expect(chart.transitions.map(transitionItem).sort()).toEqual([...counted].sort());
});

test('child machines are roles of the path, as long as they run', () => {
  const seen = (value: string, children: Record<string, { chart: string; value: string; context: string }>) => ({
    value,
    context: '{}',
    effects: [],
    children,
  });
  const line = { chart: 'line', value: 'checking', context: '{}' };
  const path = {
    chart: 'order',
    first: seen('open', {}),
    steps: [
      { event: { type: 'ADD' }, expected: seen('open', { line }) },
      { event: { type: 'SUBMIT' }, expected: seen('done', {}) },
    ],
  };
  const own = (value: string) => ({ order: { chart: 'order', value, context: '{}' } });
  const [, ...lines] = traceOfPaths({ name: 'order', charts: {} } as never, [path], {});
  expect(lines.map((one) => 'roles' in one && one.roles)).toEqual([
    own('open'),
    { ...own('open'), line },
    { ...own('done'), line: null },
  ]);
});
