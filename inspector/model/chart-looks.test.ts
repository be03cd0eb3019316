/** The viewer's operations on a chart: folding, searching, counting visits, and finding the nodes in a state. */
import { describe, expect, test } from 'vitest';
import { directoryMachine } from '../../machines/directory/machine.js';
import { chartDefinition } from '../../network/chart-definition.js';
import { directoryTrace } from '../page/testing/traces.js';
import { groupsByState } from './by-state.js';
import { layOutChart } from './chart-layout.js';
import { aroundPart, partsWith } from './chart-search.js';
import { readChart, type ChartTransition } from './chart.js';
import { fold } from './fold.js';
import { elkHere } from './elk.fixture.js';
import { Moment } from './moment.js';
import { ReadTrace } from './recording.js';
import { heatLevel, HEAT_LEVELS } from './visits.js';

const directory = readChart('directory', chartDefinition(directoryMachine));
const charts = new Map([['directory', directory]]);

function recorded(text: string): ReadTrace {
  const trace = new ReadTrace();
  trace.push(text);
  trace.close();
  return trace;
}

describe('a folded state', () => {
  const { chart, seen } = fold(directory, new Set(['holding']));

  test('hides its inner states, and represents them', () => {
    expect([...chart.states.keys()].filter((path) => path.startsWith('holding'))).toEqual(['holding']);
    expect(chart.states.get('holding')!.children).toEqual([]);
    expect(seen('holding.using.last')).toBe('holding');
    expect(seen('waiting.last')).toBe('waiting.last');
  });

  test('keeps the lines that cross its border, and no others of those within', async () => {
    const isWithin = ({ source, targets }: ChartTransition) =>
      source.startsWith('holding.') && targets.every((target) => target.startsWith('holding'));
    expect(directory.transitions.filter(isWithin).length).toBeGreaterThan(2);
    expect(chart.transitions).toEqual(directory.transitions.filter((one) => !isWithin(one)));
    const { edges } = await layOutChart(directory, elkHere, { folded: new Set(['holding']) });
    const ends = edges.map(({ transition }) => [seen(transition.source), ...transition.targets.map(seen)]);
    expect(ends).toContainEqual(['holding', 'idle']);
    expect(ends).toContainEqual(['waiting.last', 'holding']);
  });

  test('within another one is not seen, and nothing folded is the chart', () => {
    expect(fold(directory, new Set(['holding', 'holding.using'])).seen('holding.using.last')).toBe('holding');
    expect(fold(directory, new Set()).chart).toEqual(directory);
  });
});

test('the search covers states, events, guards and actions, in any case', () => {
  const words = (sought: string) =>
    [...partsWith(directory, sought)].map((part) => (typeof part === 'string' ? part : `${part.source}: ${part.event}`));
  expect(words('USING')).toEqual(['holding.using', 'holding.using.last', 'holding.using.followed']);
  expect(words('parentIsToBeDrawn')).toContain('idle: find');
  expect(words('adoptparent')).toContain('idle: find');
  expect(words('token')).toContain('waiting.last: token');
  expect(words(' ')).toEqual([]);
  expect(aroundPart(directory, 'holding.using.last')).toEqual(['holding.using', 'holding']);
  const token = directory.transitions.find(({ source }) => source === 'waiting.last')!;
  expect(aroundPart(directory, token)).toEqual(['waiting.last', 'waiting']);
});

describe('visits', () => {
  const trace = recorded(directoryTrace());
  const heat = trace.visits.of('directory');
  const steps = Array.from({ length: trace.end }, (_, line) => trace.step(line)).filter((step) => step !== null);

  test('states are counted by entries over all nodes, transitions by uses', () => {
    const notified = steps.flatMap(({ taken = [] }) => taken);
    expect(notified.length).toBeGreaterThan(20);
    for (const transition of directory.transitions) {
      const { source, event, index } = transition;
      const times = notified.filter(([, state, name, place]) => state === source && name === event && place === index).length;
      expect(heat.taken(transition)).toBe(times);
    }
    // Five nodes; each of the five requests makes one of them wait, and then hold.
    expect(heat.states.get('waiting')).toBe(4 + 1);
    expect(heat.states.get('holding.using')).toBe(5);
    expect(heat.states.get('starting')).toBe(undefined);
    expect(heat.hottestState).toBe(Math.max(...heat.states.values()));
  });

  test('a chart without nodes was never visited', () => {
    expect(trace.visits.of('another')).toMatchObject({ hottestState: 0, hottestTransition: 0 });
  });

  test('levels: none for never, the highest for the hottest, and what is rare is seen', () => {
    expect([0, 1, 10, 1000].map((count) => heatLevel(count, 1000))).toEqual([0, 1, 2, HEAT_LEVELS]);
    expect(heatLevel(1, 1)).toBe(HEAT_LEVELS);
  });
});

test('all nodes by their states, in the order of the chart', () => {
  const trace = recorded(directoryTrace());
  const groups = (line: number) =>
    groupsByState(new Moment(trace, line), trace.nodes.size, charts).map(({ value, nodes }) => [
      value,
      nodes.map((node) => trace.nodes.names[node]),
    ]);
  expect(groups(-1)).toEqual([]);
  expect(groups(4)).toEqual([
    ['idle', ['n1', 'n2', 'n3', 'n4']],
    [{ holding: 'idle' }, ['n0']],
  ]);
  expect(groups(5)).toEqual([
    ['idle', ['n1', 'n3', 'n4']],
    [{ waiting: 'last' }, ['n2']],
    [{ holding: 'idle' }, ['n0']],
  ]);
});
