/** Small systems of a protocol for the checker: two nodes, three in a row, three in a ring, with its options as they are by default. */
import { UsageError } from '../../machines/errors.js';
import type { Protocol, Topology } from '../../machines/protocol.js';
import { explore } from '../explore/index.js';

export type System = Topology;

/** Enough for two nodes of any of our protocols, and soon over. */
const STATES_MAX = 3000;

const topologies: readonly Topology[] = [
  { nodes: ['n0', 'n1'], links: [['n0', 'n1', 1]] },
  {
    nodes: ['n0', 'n1', 'n2'],
    links: [
      ['n0', 'n1', 1],
      ['n1', 'n2', 1],
    ],
  },
  {
    nodes: ['n0', 'n1', 'n2'],
    links: [
      ['n0', 'n1', 1],
      ['n1', 'n2', 1],
      ['n2', 'n0', 1],
    ],
  },
];

/** Those that the protocol can do without being told more. */
export const smallSystems = (protocol: Protocol): readonly System[] =>
  topologies.filter((topology) => {
    try {
      explore(protocol, { topology, commands: 'unlimited', bounds: { states: 1 } });
      return true;
    } catch (error) {
      if (error instanceof UsageError) return false;
      throw error;
    }
  });

/** What the checker found, as text to compare. */
export type Outcome = string;

export function outcomeOn(protocol: Protocol, topology: System): Outcome {
  try {
    const { verdict, states, transitions } = explore(protocol, {
      topology,
      commands: 'unlimited',
      bounds: { states: STATES_MAX },
    });
    return `${verdict}, ${states} states, ${transitions} transitions`;
  } catch (error) {
    return (error as Error).message;
  }
}
