/**
 * Theorems 4.2 and 4.4 on small trees: the states in which every edge is legal are exactly those that requests lead to.
 *
 * One side has all states that the definition allows, counted without running anything. Each edge has either one pointer across it or one
 * find on it, in one of the two directions, and a node points across one edge at most. The other side has all states of pointers and finds
 * that the checker reaches from the quiescent state at the root, for all requests and all orders of delivery. The guardians' timers do not
 * fire there, since no edge needs repair.
 */
import { assign } from 'xstate';
import { queue } from '../../../machines/queue/index.js';
import { GUARDIAN } from '../../../machines/queue/messages.js';
import { edgesOf, isFind, look, pointerIn } from '../../../machines/queue/view.js';
import type { NodeId } from '../../../machines/effects.js';
import type { Configuration, Property, Protocol } from '../../../machines/protocol.js';
import { explore } from '../../../test/explore/explore.js';
import type { Table } from '../experiment.js';

/** True if every edge is legal. */
export const isLegalState = (c: Configuration): boolean => edgesOf(c).every((edge) => look(c, edge).phi === 1);

export type Parents = Readonly<Record<NodeId, NodeId>>;

/** All states of a tree in which every edge is legal: the pointers, and the finds. */
export function legalStates(parents: Parents): Set<string> {
  const edges = Object.entries(parents).filter(([child, parent]) => child !== parent);
  const found = new Set<string>();
  const place = (edge: number, pointers: Readonly<Record<NodeId, NodeId>>, finds: readonly string[]): void => {
    if (edge === edges.length) {
      found.add(stateText(parents, pointers, finds));
      return;
    }
    const [child, parent] = edges[edge]!;
    for (const [from, to] of [
      [child, parent],
      [parent, child],
    ] as const) {
      if (!(from in pointers)) place(edge + 1, { ...pointers, [from]: to }, finds);
      place(edge + 1, pointers, [...finds, `${from}>${to}`]);
    }
  };
  place(0, {}, []);
  return found;
}

const stateText = (parents: Parents, pointers: Parents, finds: readonly string[]): string =>
  [...Object.keys(parents).map((node) => `${node}:${pointers[node] ?? node}`), ...finds.toSorted()].join(' ');

/** The pure arrow protocol: guardians that count nothing and never wake, and requests without a name. */
export const pointersAlone: Protocol = {
  ...queue,
  charts: { ...queue.charts, [GUARDIAN]: queue.charts[GUARDIAN]!.provide({ actions: { countSent: assign({}) } } as any) },
  mayFire: () => false,
};

/** All states that requests reach from the quiescent state at the root. `isLegal`: whether every edge was legal in all of them. */
export function reachedStates(
  parents: Parents,
  protocol: Protocol = pointersAlone,
): { readonly states: Set<string>; readonly isLegal: boolean } {
  const nodes = Object.keys(parents);
  const root = nodes.find((node) => parents[node] === node)!;
  const links = nodes.filter((node) => node !== root).map((node) => [parents[node]!, node, 1] as const);
  const states = new Set<string>();
  const noting: Property = {
    name: 'every edge is legal',
    kind: 'always',
    description: 'Theorem 4.2. Also records each state.',
    holds: (c: Configuration) => {
      const pointers = Object.fromEntries([...c.nodes].map(([id, node]) => [id, pointerIn(node)!.pointer]));
      states.add(
        stateText(
          parents,
          pointers,
          c.flights.filter(isFind).map(({ from, to }) => `${from}>${to}`),
        ),
      );
      return isLegalState(c);
    },
  };
  const { verdict } = explore(protocol, {
    topology: { nodes, links },
    options: { root, parents },
    commands: 'unlimited',
    properties: [noting],
  });
  return { states, isLegal: verdict === 'valid' };
}

const TREES: Readonly<Record<string, Parents>> = {
  'path of 2': { a: 'a', b: 'a' },
  'path of 3': { a: 'a', b: 'a', c: 'b' },
  'star of 3': { a: 'a', b: 'a', c: 'a' },
  'path of 4': { a: 'a', b: 'a', c: 'b', d: 'c' },
  'star of 4': { a: 'a', b: 'a', c: 'a', d: 'a' },
};

export function legalTable(): Table {
  return {
    title: 'Theorem 4.4: the states in which every edge is legal, and those that requests lead to',
    columns: ['', 'every edge legal', 'reached', 'the same states'],
    rows: Object.entries(TREES).map(([label, parents]) => {
      const legal = legalStates(parents);
      const { states, isLegal } = reachedStates(parents);
      const isSame = isLegal && legal.size === states.size && [...legal].every((state) => states.has(state));
      return {
        label,
        cells: [
          { value: legal.size },
          { value: states.size, expected: legal.size },
          { value: isSame ? 'yes' : 'no', expected: 'yes' },
        ],
      };
    }),
    note: 'Only from the quiescent state at the root: every other quiescent state is among the reached ones.',
  };
}
