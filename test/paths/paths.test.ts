import { assign, createMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../machines/errors.js';
import { toy } from '../explore/toys.fixtures.js';
import { graphsOf } from './graph.js';
import { light, lightChart } from './light.fixtures.js';
import { pathsOf, type Path } from './paths.js';
import { coverageOf, firstFailure, hostKinds, pathSets } from './suite.js';
import { describeDifference } from './walk.js';

const eventsOf = ({ steps }: Path): string => steps.map(({ event }) => event.type).join(' ');

describe('the states of a chart', () => {
  test('all that the samples lead to, with every step', () => {
    const [graph] = graphsOf(light(), 100);
    expect(graph!.isComplete).toBe(true);
    expect(graph!.vertices.map(({ value, edges }) => [value, [...edges!.values()].map(({ to }) => to.value)])).toEqual([
      ['red', ['green', 'red']],
      ['green', ['green', 'red']],
      ['red', ['broken', 'red']],
      ['broken', ['broken', 'broken']],
    ]);
  });

  test('a context that grows without limit ends the search; the graph is incomplete', () => {
    const chart = createMachine({ context: { n: 0 }, on: { go: { actions: assign({ n: ({ context }) => context.n + 1 }) } } });
    const [graph] = graphsOf(toy({ chart, samples: { toy: [{ input: {}, events: () => [{ type: 'go' }] }] } }), 10);
    expect(graph).toMatchObject({ isComplete: false, vertices: { length: 12 } });
    expect(pathsOf(graph!, 'shortest').map(({ steps }) => steps.length)).toEqual([11]);
  });

  test('a context that is not plain JSON is rejected: its states would be equal', () => {
    const chart = createMachine({ context: { seen: new Set() } });
    expect(() => graphsOf(light(chart), 10)).toThrow(
      new ProtocolError(
        'the state of chart toy[1].seen is a Set. Use plain JSON with every key present in contexts and messages.',
      ),
    );
  });

  test('a chart that throws is named with its state and event', () => {
    const chart = lightChart.provide({
      guards: {
        isFull: () => {
          throw new Error('full of what?');
        },
      },
    });
    expect(() => graphsOf(light(chart), 10)).toThrow(
      /chart toy, start 0 fails when it takes {"type":"go",} in "red": .*full of what\?/,
    );
  });

  test('samples of a chart that is not there are refused', () => {
    expect(() => graphsOf({ ...light(), charts: {} }, 10)).toThrow(/samples for "toy", which is not one of its charts/);
  });
});

describe('paths', () => {
  const [graph] = graphsOf(light(), 100);

  test('a shortest path to every state', () => {
    expect(pathsOf(graph!, 'shortest').map(eventsOf)).toEqual(['go stop go']);
  });

  test('simple paths visit no state twice', () => {
    expect(pathsOf(graph!, 'simple').map(eventsOf)).toEqual(['go stop go']);
  });

  test('the tour takes every transition and decides every guard as the samples can', () => {
    const tour = pathsOf(graph!, 'tour');
    expect(tour.map(eventsOf)).toEqual(['go stop go stop']);
    expect(tour[0]!.steps[0]!.expected).toEqual({
      value: 'green',
      context: { count: 1, max: 1 },
      effects: [{ type: 'send', to: 'n0', message: { type: 'go' } }],
    });
  });

  test('a tour begins again where nothing leads on', () => {
    const chart = createMachine({
      initial: 'fork',
      states: { fork: { on: { go: 'left', stop: 'right' } }, left: {}, right: {} },
    });
    const [fork] = graphsOf(light(chart), 100);
    expect(pathsOf(fork!, 'tour').map(eventsOf)).toEqual(['go', 'stop']);
  });
});

describe('walking', () => {
  const sets = (protocol: ReturnType<typeof light>) => pathSets(graphsOf(protocol, 100)).flatMap(({ paths }) => paths);

  test.each(hostKinds)('on %s a chart follows its paths', (host) => {
    expect(firstFailure(light(), sets(light()), host)).toBeNull();
  });

  test.each(hostKinds)('on %s a chart that remembers outside its context is caught', (host) => {
    let tries = 0;
    const moody = light(lightChart.provide({ guards: { isFull: () => ++tries % 3 === 0 } }));
    expect(firstFailure(moody, sets(moody), host)).not.toBeNull();
  });

  test.each(hostKinds)('on %s a different effect is reported with its place', (host) => {
    const quiet = lightChart.provide({ actions: { count: assign({ count: 7 }) } });
    const { difference } = firstFailure(light(quiet), sets(light()), host)!;
    expect(describeDifference(difference)).toMatch(
      /^after the start: {"type":"go"} has the result .*"count":7.* instead of .*"count":1/,
    );
  });

  test('a chart that throws on the way differs, too', () => {
    const broken = lightChart.provide({
      guards: {
        isFull: () => {
          throw new Error('no');
        },
      },
    });
    expect(firstFailure(light(broken), sets(light()), 'snapshots')!.difference.actual).toMatch(/no/);
  });
});

test('paths cover the graph; messages are left to whole systems', () => {
  const graphs = graphsOf(light(), 100);
  expect(coverageOf(light(), graphs).missing()).toEqual([
    'toy: transition broken: stop',
    'toy: guard broken: stop is true',
    'toy: sent go',
  ]);
});
