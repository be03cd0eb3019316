/** What the live nodes of one protocol have in common: the header of their trace, and their marks on the network. */
import type { Configuration, LinksView, Protocol, Instance } from '../../machines/protocol.js';
import { chartDefinition } from '../../network/chart-definition.js';
import { TRACE_VERSION, type TraceHeader } from '../../network/trace.js';
import type { Marks, Merger } from './merge.js';
import type { Inspectable } from './report.js';

export function headerOf({ protocol, instance, scenario }: Inspectable): TraceHeader {
  const { topology } = instance;
  const charts = Object.entries(protocol.charts).map(([name, chart]) => [name, chartDefinition(chart)]);
  return {
    quiver: TRACE_VERSION,
    protocol: protocol.name,
    scenario,
    seed: 0,
    nodes: topology.nodes,
    links: topology.links,
    charts: Object.fromEntries(charts),
    properties: protocol.properties(instance).map(({ name, kind, says }) => ({ name, kind, says })),
    live: true,
  };
}

export const marksOf =
  (protocol: Protocol, instance: Instance<any>): Marks =>
  (node, view, merger) => {
    const c = configurationOf(instance, merger);
    try {
      return protocol.overlay?.(view, node, c.links, c);
    } catch {
      // Some marks ask for neighbours that have not reported yet.
      return undefined;
    }
  };

function configurationOf(instance: Instance<any>, { nodes, flights, ports }: Merger): Configuration {
  const { links } = instance.topology;
  const view: LinksView = {
    up: (from, to) => links.some(([a, b]) => (a === from && b === to) || (a === to && b === from)),
    neighbours: (node) => links.flatMap(([a, b]) => (a === node ? [b] : b === node ? [a] : [])),
    port: (node, peer) => ports.get(node)?.[peer] ?? 0,
  };
  return { instance, nodes, flights, links: view };
}
