/** The larger systems of the specification's section 11, and their additional states with changing links. */
import { describe, expect, test } from 'vitest';
import { explore } from '../../test/explore/explore.js';
import { exclusion } from './index.js';
import { C4, cut, finely, join, K3, P2, P3, S3, shipped } from './systems.fixtures.js';

describe('cut as finely as in the paper', () => {
  test.each([
    { name: 'two nodes, two calls each, three priorities', topology: P2, calls: [2, 2], priorities: 3, states: 44_353 },
    { name: 'two nodes, two calls each, four priorities', topology: P2, calls: [2, 2], priorities: 4, states: 64_189 },
    { name: 'an end and the middle of a path of three', topology: P3, calls: [1, 1], priorities: 2, states: 26_285 },
    { name: 'two nodes of a triangle', topology: K3, calls: [1, 1], priorities: 2, states: 127_693 },
    { name: 'two leaves of a star', topology: S3, calls: [0, 1, 1], priorities: 2, states: 5449 },
    { name: 'opposite corners of a square', topology: C4, calls: [1, 0, 1], priorities: 2, states: 102_789 },
  ])('$name: $states states', ({ topology, calls, priorities, states }) => {
    expect(finely(topology, calls, { priorities })).toEqual({ states, doomed: 0, violated: [] });
  });
});

/** A link that is cut and joined this number of times. */
const flapping = (times: number) => Array.from({ length: times }, () => [cut('n0', 'n1'), join('n0', 'n1')]).flat();

describe('as shipped, links changing', () => {
  test.each([
    {
      name: 'two nodes, two calls each, cut and joined twice',
      topology: P2,
      calls: [2, 2],
      changes: flapping(2),
      states: 58_101,
    },
    { name: 'a path of three, one cut', topology: P3, calls: [1, 1], changes: [cut('n0', 'n1')], states: 13_071 },
    {
      name: 'the ends of a path of three, both cut',
      topology: P3,
      calls: [1, 0, 1],
      changes: [cut('n0', 'n1'), cut('n1', 'n2')],
      states: 3831,
    },
    {
      name: 'a path of three that turns round',
      topology: P3,
      calls: [1, 0, 1],
      changes: [cut('n0', 'n1'), join('n0', 'n2')],
      states: 125_363,
    },
    { name: 'two nodes of a triangle', topology: K3, calls: [1, 1], changes: [], states: 55_928 },
    { name: 'opposite corners of a square', topology: C4, calls: [1, 0, 1], changes: [], states: 40_624 },
  ])('$name: $states states', ({ topology, calls, changes, states }) => {
    expect(shipped(topology, calls, changes)).toMatchObject({ verdict: 'valid', states, doomed: 0 });
  });
});

test('a path of three, all requesting forever: all are served, 1,362,646 states', () => {
  const result = explore(exclusion, {
    topology: P3,
    options: { priorities: 2, hold: 1 },
    commands: { unlimited: ['lock'] },
  });
  expect(result).toMatchObject({ verdict: 'valid', states: 1_362_646, doomed: 0 });
});
