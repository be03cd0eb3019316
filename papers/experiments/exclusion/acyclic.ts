/** Lemma 4.6 in every interleaving: under the printed rules nodes wait for each other in a cycle, under the corrected rules they do not. */
import { explore } from '../../../test/explore/explore.js';
import { exclusion } from '../../../machines/exclusion/index.js';
import { noCycleOfWaiting } from '../../../machines/exclusion/properties.js';
import { createTopology } from '../../../network/topology/index.js';
import type { Table, TableCell } from '../experiment.js';

interface Competition {
  readonly label: string;
  readonly topology: Readonly<Record<string, unknown>>;
  /** Nodes that call Lock. */
  readonly callers: readonly string[];
  /** True if two callers share two participants, so that the printed rules fail. */
  readonly fails: boolean;
}

export const competitions: readonly Competition[] = [
  { label: 'two nodes', topology: { kind: 'path', n: 2 }, callers: ['n0', 'n1'], fails: true },
  { label: 'path of three, both ends', topology: { kind: 'path', n: 3 }, callers: ['n0', 'n2'], fails: false },
  { label: 'path of three, end and middle', topology: { kind: 'path', n: 3 }, callers: ['n0', 'n1'], fails: true },
  { label: 'square, opposite corners', topology: { kind: 'ring', n: 4 }, callers: ['n0', 'n2'], fails: true },
];

/** Searches for a cycle of waiting. */
export function searchCycle({ topology, callers }: Competition, rules: string) {
  const { nodes, links } = createTopology(topology);
  const { verdict, states } = explore(exclusion, {
    topology: { nodes, links },
    options: { priorities: 2, hold: 1, rules },
    commands: callers.map((node) => ({ do: 'command' as const, name: 'lock', node, fields: {} })),
    properties: [noCycleOfWaiting],
  });
  if (verdict === 'unknown') throw new Error('The search of all interleavings ended at a limit, so its result is unknown.');
  return { hasCycle: verdict === 'invalid', states };
}

export function acyclicTable(): Table {
  const columns = ['', 'printed rules: cycle', 'corrected rules: cycle', 'states', 'deferred rules: cycle', 'states'];
  const rows = competitions.map((competition) => {
    const found = (rules: string, expected: boolean): TableCell[] => {
      const { hasCycle, states } = searchCycle(competition, rules);
      const word = (has: boolean) => (has ? 'found' : 'none');
      const cell = { value: word(hasCycle), expected: word(expected) };
      return rules === 'printed' ? [cell] : [cell, { value: states }];
    };
    const cells = [...found('printed', competition.fails), ...found('corrected', false), ...found('deferred', false)];
    return { label: competition.label, cells };
  });
  return {
    title: 'Lemma 4.6: do nodes wait for each other in a cycle? Every interleaving, K = 2',
    columns,
    rows,
    note: 'A first request on its way counts only after its sender is a candidate: the corrected rules refuse it if it would wait.',
  };
}
