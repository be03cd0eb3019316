/** The search finds exactly the states and transitions of the naive oracle, for the directory and for random charts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import type { Protocol } from '../../machines/protocol.js';
import { createMetric } from '../../network/topology/metric.js';
import { explore, type ExploreOptions } from './explore.js';
import { completeGraph, names } from './fixtures.js';
import { oracle, type OracleOptions } from './oracle.fixture.js';
import { anyTable, chartOf } from './random-charts.fixture.js';
import { toy } from './toys.fixtures.js';

/** The identity of a message in flight of the directory: the sender of a token is never read. */
const directoryFlight: OracleOptions['identityOf'] = ({ from, to, message }) =>
  message.type === 'token' ? [to, message] : [from, to, message];

describe('the directory', () => {
  test.each([
    ['ivy', 1, 'unordered'],
    ['random', 0, 'unordered'],
    ['arrow', 1, 'fifo'],
    ['random', 1, 'fifo'],
  ] as const)('policy %s, hold %i, %s', (policy, hold, order) => {
    const options = { topology: completeGraph(3), options: { policy, hold }, order, commands: { unlimited: ['request'] } };
    const { states, transitions } = explore(directory, { ...options, properties: [] });
    const graph = createMetric(options.topology);
    const identityOf = order === 'unordered' ? { identityOf: directoryFlight } : {};
    const slow = oracle(
      directory,
      { ...graph, options: directory.options(options.options, graph) },
      { order, unlimited: [{ type: 'request' }], depth: 1000, ...identityOf },
    );
    expect({ states, transitions }).toEqual(slow);
  });
});

function same(protocol: Protocol, options: ExploreOptions, slow: OracleOptions) {
  const graph = createMetric(options.topology);
  const { states, transitions } = explore(protocol, { ...options, bounds: { depth: slow.depth }, properties: [] });
  expect({ states, transitions }).toEqual(oracle(protocol, { ...graph, options: {} }, slow));
}

describe('random charts', () => {
  const unlimited = [{ type: 'go' }];

  test.each(['unordered', 'fifo'] as const)('routed, %s, with losses and duplicates', (order) => {
    fc.assert(
      fc.property(anyTable, fc.nat(1), fc.nat(1), fc.nat(1), (table, loss, duplicate, after) => {
        const reactions = () => [{ on: 'did', event: { type: 'react' }, after }];
        const protocol = toy({ chart: chartOf(table), commands: ['go'], network: { order }, reactions });
        const identityOf = order === 'unordered' ? { identityOf: ({ to, message }: any) => [to, message] } : {};
        same(
          protocol,
          { topology: completeGraph(2), commands: 'unlimited', faults: { loss, duplicate } },
          { order, unlimited, loss, duplicate, depth: 4, ...identityOf },
        );
      }),
      { numRuns: 15 },
    );
  });

  test.each(['unordered', 'fifo'] as const)('neighbors, %s, with links that change', (order) => {
    const topology = {
      nodes: names(3),
      links: [
        ['n0', 'n1', 1],
        ['n1', 'n2', 1],
      ],
    } as const;
    fc.assert(
      fc.property(anyTable, (table) => {
        const protocol = toy({ chart: chartOf(table), commands: ['go'], network: { order, reach: 'links' } });
        const commands = [
          { do: 'cut', link: ['n0', 'n1'] },
          { do: 'join', link: ['n0', 'n1'], weight: 1 },
          { do: 'up', channel: ['n0', 'n2'] },
          { do: 'command', name: 'go', node: 'n1', fields: {} },
          { do: 'command', name: 'go', node: 'n1', fields: {} },
        ] as const;
        const toggles = [
          ['n0', 'n1', 2],
          ['n1', 'n0', 2],
          ['n0', 'n2', 1],
        ] as const;
        same(
          protocol,
          { topology, commands },
          { order, unlimited: [], script: { n1: [...unlimited, ...unlimited] }, toggles, depth: 4 },
        );
      }),
      { numRuns: 15 },
    );
  });
});
