/**
 * Every way in which small systems can go: all interleavings of messages that overtake each other, all draws, all moments of a cut.
 * Larger systems: checked.deep.ts.
 */
import { describe, expect, test } from 'vitest';
import { explore } from '../../test/explore/explore.js';
import { exclusion } from './index.js';
import { cut, finely, join, P2, P3, shipped } from './systems.fixtures.js';

describe('with the steps of the paper, the state counts match the spec, and none is doomed', () => {
  test.each([
    { name: 'two nodes, one call each', topology: P2, calls: [1, 1], states: 6625 },
    { name: 'two nodes, two calls each', topology: P2, calls: [2, 2], states: 27_837 },
    { name: 'the ends of a path of three', topology: P3, calls: [1, 0, 1], states: 5449 },
  ])('$name: $states states', ({ topology, calls, states }) => {
    expect(finely(topology, calls)).toEqual({ states, doomed: 0, violated: [] });
  });
});

describe('as shipped: all invariants hold, every request succeeds, no state is doomed', () => {
  test.each([
    { name: 'two nodes', topology: P2, calls: [1, 1], changes: [], states: 3672 },
    {
      name: 'two nodes, cut and joined twice',
      topology: P2,
      calls: [1, 1],
      changes: [cut('n0', 'n1'), join('n0', 'n1'), cut('n0', 'n1'), join('n0', 'n1')],
      states: 13_848,
    },
    { name: 'the ends of a path of three', topology: P3, calls: [1, 0, 1], changes: [], states: 2237 },
  ])('$name: $states states', ({ topology, calls, changes, states }) => {
    expect(shipped(topology, calls, changes)).toMatchObject({ verdict: 'valid', states, doomed: 0, vacuous: [] });
  });

  test('two nodes, deferred rules: 3892 states', () => {
    expect(shipped(P2, [1, 1], [], { rules: 'deferred' })).toMatchObject({ verdict: 'valid', states: 3892, doomed: 0 });
  });
});

test.each([
  { rules: 'corrected', states: 4113 },
  { rules: 'deferred', states: 4301 },
])('$rules rules: all are served although the neighbor keeps asking, $states states', ({ rules, states }) => {
  const result = explore(exclusion, {
    topology: P2,
    options: { priorities: 2, hold: 1, rules },
    commands: { unlimited: ['lock'] },
  });
  expect(result).toMatchObject({ verdict: 'valid', states, vacuous: [] });
});

describe('the printed rules', () => {
  test('two requesting nodes: 448 of 6033 states are doomed', () => {
    expect(finely(P2, [1, 1], { rules: 'printed' })).toEqual({ states: 6033, doomed: 448, violated: ['goal can be reached'] });
  });

  test('as shipped 128 of 2137, and the shortest way into the deadlock has 16 steps', () => {
    const { counterexample, ...result } = shipped(P2, [1, 1], [], { rules: 'printed' });
    expect(result).toMatchObject({ verdict: 'invalid', states: 2137, doomed: 128 });
    expect(counterexample).toMatchObject({ property: 'every request succeeds' });
    expect(counterexample!.choices).toHaveLength(16);
  });
});
