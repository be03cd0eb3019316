import { expect, test } from 'vitest';
import { directory } from '../machines/directory/index.js';
import { coverageOf, SEARCH_PATIENCE } from '../test/paths/suite.js';
import { graphsOf } from '../test/paths/graph.js';
import { pathsOf } from '../test/paths/paths.js';
import { readChart } from './model/chart.js';
import { stateItem, transitionItem } from './model/coverage.js';
import { Moment } from './model/moment.js';
import { Recording } from './model/recording.js';
import { traceOfPaths } from './path-trace.js';

const graphs = graphsOf(directory, SEARCH_PATIENCE);
const paths = graphs.flatMap((graph) => pathsOf(graph, 'shortest'));
const recording = new Recording();
for (const line of traceOfPaths(directory, paths, coverageOf(directory, graphs).toJSON()))
  recording.push(`${JSON.stringify(line)}\n`);
recording.close();

test('each path is a node that walks its chart', () => {
  expect(recording.problem).toBeNull();
  expect(recording.nodes.size).toBe(paths.length);
  expect(recording.end).toBe(paths.reduce((sum, { steps }) => sum + 1 + steps.length, 0));
  for (const [node, { steps, first }] of paths.entries()) {
    const walked = recording.steps[node]!.map((line) => new Moment(recording, line).roles(node)[0]!.view.value);
    expect(walked).toEqual([first, ...steps.map(({ expected }) => expected)].map(({ value }) => value));
  }
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
