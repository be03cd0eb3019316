/**
 * Behavior of a protocol after any corruption: its small systems, searched from every state that its corruption can choose.
 *
 * A state is healthy if every invariant holds from then on. Another state may reach a healthy one on some run, or on none. The experiment
 * does not measure waiting times.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Configuration, Instance, Property, Protocol } from '../../machines/protocol.js';
import { explore, type ExploreOptions } from '../../test/explore/explore.js';
import { createTopology } from '../../network/topology/index.js';
import type { Table } from './experiment.js';

export interface RecoverySystem {
  readonly label: string;
  readonly topology: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Nodes in arbitrary states; channels between two of them are also arbitrary. */
  readonly corrupt: readonly NodeId[];
  readonly commands: NonNullable<ExploreOptions['commands']>;
  /** Numbers of corrupt states, of healthy ones among them, and of those that no run heals. */
  readonly expected: readonly [states: number, healthy: number, lost: number];
}

export interface Recovery {
  readonly states: number;
  readonly healthy: number;
  readonly lost: number;
  /** True if every fair run from each of them reaches a state in which all invariants hold. */
  readonly always: boolean;
}

export function recoveryOf(protocol: Protocol, { topology, corrupt, commands, options = {} }: RecoverySystem): Recovery {
  const { nodes, links } = createTopology(topology);
  const system = { topology: { nodes, links }, options, corrupt, commands };
  let invariants: readonly Property[] = [];
  const unjudged = {
    ...protocol,
    properties: (instance: Instance) => {
      invariants = protocol.properties(instance).filter(({ kind }) => kind === 'always' || kind === 'closed');
      return [];
    },
  };
  const isLegal = (c: Configuration): boolean =>
    invariants.every((property) => property.kind === 'eventually' || property.holds(c));
  const { firsts } = explore(unjudged, { ...system, goal: isLegal, goalLasts: true });
  if (!firsts)
    throw new Error('The search did not visit every state, so the set of recovering states is unknown. Use a smaller system.');
  const legalAgain: Property = {
    name: 'legal again',
    kind: 'converges',
    description: 'Every invariant holds again.',
    holds: isLegal,
    within: Infinity,
  };
  const { verdict } = explore(unjudged, { ...system, properties: [legalAgain] });
  return { states: firsts.states, healthy: firsts.atGoal, lost: firsts.doomed, always: verdict === 'valid' };
}

const PAIR = { kind: 'path', n: 2 };

/** For each protocol, the smallest systems in which its recovery is measured. */
export const recoverySystems: Readonly<Record<string, readonly RecoverySystem[]>> = {
  directory: ['arrow', 'ivy'].map((policy) => ({
    label: `two nodes, ${policy}, requests at any time`,
    topology: PAIR,
    options: { policy, hold: 1 },
    corrupt: ['n0', 'n1'],
    commands: { unlimited: ['request'] },
    expected: [4096, 14, policy === 'arrow' ? 3916 : 3956],
  })),
  queue: [{ label: 'one edge', topology: PAIR, corrupt: ['n0', 'n1'], commands: [], expected: [50_160, 4, 0] }],
  election: [
    { label: 'the leader of two, no change of links', topology: PAIR, corrupt: ['n0'], commands: [], expected: [3660, 2, 3658] },
    {
      label: 'the same, and the link is cut and joined',
      topology: PAIR,
      corrupt: ['n0'],
      commands: [
        { do: 'cut', link: ['n0', 'n1'] },
        { do: 'join', link: ['n0', 'n1'], weight: 1 },
      ],
      expected: [3660, 2, 0],
    },
  ],
  exclusion: [
    {
      label: 'one of two nodes, calls at any time',
      topology: PAIR,
      options: { priorities: 2, hold: 1 },
      corrupt: ['n0'],
      commands: { unlimited: ['lock'] },
      expected: [720, 84, 61],
    },
  ],
  controller: ['n0', 'n1'].map((node) => ({
    label: `${node === 'n0' ? 'the root' : 'the leaf'} of two, BASIC, M = 3, requests at any time`,
    topology: PAIR,
    options: { kind: 'basic', M: 3, W: 0 },
    corrupt: [node],
    commands: { unlimited: ['take'] },
    expected: node === 'n0' ? [96, 2, 80] : [108, 1, 103],
  })),
};

export function recoveryTable(protocol: Protocol): Table {
  return {
    title: 'From every corrupt state: which recover',
    columns: ['', 'corrupt states', 'healthy anyway', 'no run heals', 'every fair run heals all'],
    rows: recoverySystems[protocol.name]!.map((system) => {
      const { states, healthy, lost, always } = recoveryOf(protocol, system);
      const counts = [states, healthy, lost].map((value, i) => ({ value, expected: system.expected[i]! }));
      return { label: system.label, cells: [...counts, { value: always ? 'yes' : 'no' }] };
    }),
    note: 'Healthy: every invariant holds, whatever happens from then on. Counted by the checker, expected as recorded.',
  };
}
