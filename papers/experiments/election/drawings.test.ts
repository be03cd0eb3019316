/** Figure 4.1: neighbors on one side only. Figure 6: a needless election under logical clocks, and none before it. */
import { expect, test } from 'vitest';
import { leaderOf } from '../../../machines/election/view.js';
import { fluctuatingFigure, fluctuatingStates, linksOf, needlessFigure, needlessStates, sampleFigure } from './drawings.js';

test('n4 elects itself in the end, although no node was ever cut off from n1', () => {
  const leaders = needlessStates().map(({ state }) => [...new Set([...state.nodes.values()].map(leaderOf))]);
  expect(leaders.slice(0, -1)).toEqual(leaders.slice(0, -1).map(() => ['n1']));
  expect(leaders.at(-1)).toContain('n4');
});

test('each link has one arrow, except between nodes that have not received news', () => {
  for (const { panels } of [sampleFigure(), needlessFigure()])
    for (const { arrows } of panels) {
      const keys = arrows.map(({ from, to }) => [from, to].sort().join());
      expect(new Set(keys).size).toBe(keys.length);
    }
});

test('at the start and end of the sample execution, all nodes lead down to one leader', () => {
  const [first, last] = [sampleFigure().panels.at(0)!, sampleFigure().panels.at(-1)!];
  const sinks = ({ nodes, arrows }: typeof first) =>
    nodes.map(({ id }) => id).filter((id) => arrows.every(({ from }) => from !== id));
  expect(sinks(first)).toEqual(['H']);
  expect(sinks(last)).toEqual(['G', 'H']);
});

test('after the channel fluctuated, v is a neighbor of u, and u remains forming at v', () => {
  const states = fluctuatingStates().map(({ state }) => state);
  expect(states.map((state) => linksOf(state, 'u').N)).toEqual(states.map(() => ['v', 'w']));
  expect(states.map((state) => linksOf(state, 'v'))).toEqual([
    { N: ['u', 'w'], forming: [] },
    { N: ['w'], forming: [] },
    { N: ['w'], forming: ['u'] },
    { N: ['w'], forming: [] },
    { N: ['w'], forming: ['u'] },
  ]);
  const towardU = fluctuatingFigure().panels.map(({ arrows }) => arrows.some(({ from, to }) => from === 'v' && to === 'u'));
  expect(towardU).toEqual([true, false, true, false, true]);
});
