/** Prepares a tested machine for the inspector: its test paths with their coverage, or the path to a failure. */
import { coverageKinds, kindOf, type Item } from '../coverage/items.js';
import type { ShownPaths } from '../failure-page.js';
import { waysOf } from '../paths/paths.js';
import type { MachineCounts } from './coverage.js';
import type { Failure, MachineEdge } from './graph.js';
import { edgesAlong, shownPath } from './plans.js';
import type { MachineTesting } from './testing.js';

export async function shownOf(testing: MachineTesting, counts: MachineCounts, failure?: Failure): Promise<ShownPaths> {
  const graph = await testing.graph();
  const isPainted = ([item]: [string, number]) => coverageKinds.includes(kindOf(item as Item));
  const painted = Object.entries(counts).map(([chart, items]) => [
    chart,
    Object.fromEntries(Object.entries(items).filter(isPainted)),
  ]);
  const ways = failure ? [edgesAlong(graph, failure.steps)] : (waysOf(graph, 'tour') as readonly (readonly MachineEdge[])[]);
  return {
    of: { name: testing.machine.id, charts: Object.fromEntries((await testing.subject()).originals) },
    paths: ways.map((way) => shownPath(graph, way)),
    coverage: Object.fromEntries(painted),
    ...(failure && { broken: { name: failure.rule, description: failure.description } }),
  };
}
