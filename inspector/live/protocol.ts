/** What the live nodes of one protocol have in common: the header of their trace, and their marks on the network. */
import { defineProtocol } from '../../machines/define.js';
import { protocols } from '../../machines/index.js';
import type { RunningCore } from '../../machines/core.js';
import type { Configuration, Core, Instance, LinksView, Protocol } from '../../machines/protocol.js';
import { chartDefinition } from '../../network/chart-definition.js';
import { TRACE_VERSION, type TraceHeader } from '../../network/trace.js';
import type { OverlayRule, Merger } from './merge.js';
import type { Inspectable } from './report.js';

/** What runs in an application may be the core alone; its checks and its view stand here. */
function wholeOf(core: RunningCore): Protocol {
  if ('properties' in core) return core as Protocol;
  const ours = protocols[core.name];
  return ours?.charts === core.charts ? ours : defineProtocol(core as Core);
}

export function headerOf({ protocol: core, instance, scenario }: Inspectable): TraceHeader {
  const protocol = wholeOf(core);
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
    properties: protocol.properties(instance).map(({ name, kind, description }) => ({ name, kind, description })),
    live: true,
  };
}

export function overlayRuleOf(core: RunningCore, instance: Instance<any>): OverlayRule {
  const protocol = wholeOf(core);
  return (node, view, merger) => {
    const c = configurationOf(instance, merger);
    try {
      return protocol.overlay?.(view, node, c.links, c);
    } catch {
      // Some marks ask for neighbors that have not reported yet.
      return undefined;
    }
  };
}

function configurationOf(instance: Instance<any>, { nodes, inFlight: flights, ports }: Merger): Configuration {
  const { links } = instance.topology;
  const view: LinksView = {
    up: (from, to) => links.some(([a, b]) => (a === from && b === to) || (a === to && b === from)),
    neighbors: (node) => links.flatMap(([a, b]) => (a === node ? [b] : b === node ? [a] : [])),
    port: (node, peer) => ports.get(node)?.[peer] ?? 0,
  };
  return { instance, nodes, flights, links: view };
}
