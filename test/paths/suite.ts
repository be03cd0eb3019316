/** Generates all test paths of a protocol and counts what they cover. */
import type { Protocol } from '../../machines/protocol.js';
import { createHost, type HostKind } from '../../network/world/hosts.js';
import { Coverage } from '../coverage/coverage.js';
import { isOpen, type Item } from '../coverage/items.js';
import type { ShownPaths } from '../failure-page.js';
import type { ChartGraph } from './graph.js';
import { pathKinds, pathsOf, type Path, type PathKind } from './paths.js';
import { describeDifference, walk, type Difference } from './walk.js';

/** The number of states in a row that may show nothing new before the search from a sample ends. */
export const SEARCH_PATIENCE = 40;

export interface PathSet {
  readonly graph: ChartGraph;
  readonly kind: PathKind;
  readonly paths: readonly Path[];
}

export interface PathFailure {
  readonly host: HostKind;
  readonly path: Path;
  readonly difference: Difference;
}

export const hostKinds = ['snapshots', 'actors'] as const satisfies readonly HostKind[];

export const pathSets = (graphs: readonly ChartGraph[]): readonly PathSet[] =>
  graphs.flatMap((graph) => pathKinds.map((kind) => ({ graph, kind, paths: pathsOf(graph, kind) })));

/** Writes a page about a failure: the path to it, and the difference from the expected state. */
export const shownFailure = (protocol: Protocol, failure: PathFailure): ShownPaths => ({
  of: protocol,
  paths: [pathAsWalked(failure)],
  coverage: {},
  broken: { name: 'the chart goes as expected', description: `on ${failure.host}, ${describeDifference(failure.difference)}` },
});

/** The part of a path that matches, and the chart's actual next step; if it throws, the path up to there. */
function pathAsWalked({ path, difference: { after, event, actual } }: PathFailure): Path {
  if (!event) return { ...path, first: typeof actual === 'string' ? path.first : actual, steps: [] };
  const steps = path.steps.slice(0, after.length);
  return { ...path, steps: typeof actual === 'string' ? steps : [...steps, { event, expected: actual }] };
}

/** Runs paths of a protocol on one kind of host, and returns the first failure. */
export function firstFailure(protocol: Protocol, paths: readonly Path[], kind: HostKind): PathFailure | null {
  const host = createHost(kind, protocol);
  for (const path of paths) {
    const difference = walk(path, host);
    if (difference) return { host: kind, path, difference };
  }
  return null;
}

/**
 * The coverage of the graphs' steps: the tours take every one that covers an item. Graphs show which types of messages exist. A type is
 * covered if a message travels between nodes.
 *
 * @param protocol the protocol.
 * @param graphs its graphs, from `graphsOf`.
 * @returns the covered items.
 * @public
 */
export function coverageOf(protocol: Protocol, graphs: readonly ChartGraph[]): Coverage {
  const coverage = new Coverage(protocol);
  const count = (chart: string, items: ReadonlySet<Item>) => {
    for (const item of items) coverage.add(chart, [item], isOpen(item) ? 0 : 1);
  };
  for (const { chart, items, vertices } of graphs) {
    count(chart, items);
    for (const { edges } of vertices) for (const edge of edges?.values() ?? []) count(chart, edge.items);
  }
  return coverage;
}
