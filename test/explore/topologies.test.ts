/** The number of connected graphs up to isomorphism equals the known number; more are kept where names matter. */
import { describe, expect, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import { election } from '../../machines/election/index.js';
import { setup } from 'xstate';
import { everyTopology } from './topologies.js';
import { explore } from './explore.js';
import { toy, type ToyInput } from './toys.fixtures.js';

const plain = toy({
  chart: setup({ types: { context: {} as ToyInput, input: {} as ToyInput } }).createMachine({
    context: ({ input }) => input,
    initial: 'only',
    states: { only: {} },
  }),
});

describe('connected graphs', () => {
  test.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 6],
    [5, 21],
  ])('of %i nodes: %i', (n, graphs) => {
    expect(everyTopology(n, { protocol: plain })).toHaveLength(graphs);
  });

  test('with one fixed node: the rooted graphs', () => {
    expect([2, 3, 4].map((n) => everyTopology(n, { protocol: plain, fixed: ['n0'] }).length)).toEqual([1, 3, 11]);
  });

  test('a protocol that compares identities: every labeled graph', () => {
    expect([2, 3, 4].map((n) => everyTopology(n, { protocol: election }).length)).toEqual([1, 4, 38]);
  });

  test('a root that the options do not name is still detected', () => {
    expect(everyTopology(3, { protocol: directory, options: { policy: 'ivy' } }).length).toBe(3);
  });

  test.each([0, 6, 2.5])('%s nodes are rejected', (n) => {
    expect(() => everyTopology(n, { protocol: plain })).toThrow('Pass a number from 1 to 5');
  });
});

test('the directory on every graph of three nodes, one request for each node', () => {
  const options = { policy: 'ivy', hold: 1 };
  const found = everyTopology(3, { protocol: directory, options }).map((topology) => {
    const commands = topology.nodes.map((node) => ({ do: 'command', name: 'request', node, fields: {} }) as const);
    const { verdict, states } = explore(directory, { topology, options, commands });
    return [verdict, states];
  });
  expect(found).toEqual([
    ['valid', 164],
    ['valid', 161],
    ['valid', 164],
  ]);
});
