/**
 * Converts live nodes of one protocol for the inspector: builds the header of their trace and computes how the network's picture shows
 * them.
 */
import { loaders } from '../../machines/by-name.js';
import type { RunningCore } from '../../machines/core.js';
import type { Configuration, Core, Instance, LinksView, Protocol } from '../../machines/protocol.js';
import { chartDefinition } from '../../network/chart-definition.js';
import { TRACE_VERSION, type TraceHeader } from '../../network/trace.js';
import type { KnownNodes, OverlayRule } from './merge.js';
import type { Inspectable } from './report.js';

/** The header of a page of programs, whose nodes and charts come with their reports. */
export const PROGRAMS: TraceHeader = {
  quiver: TRACE_VERSION,
  protocol: 'programs',
  scenario: null,
  seed: 0,
  nodes: [],
  links: [],
  charts: {},
  properties: [],
  live: true,
};

/** Loads all protocols, so that `completeProtocol` takes no time later. */
export async function loadProtocols(): Promise<void> {
  await Promise.all([...Object.values(loaders).map((load) => load()), import('../../machines/define.js')]);
}

/** Loads the complete protocol of a node. An application may run only its core, without checks and view. */
export async function completeProtocol(core: RunningCore): Promise<Protocol> {
  if ('properties' in core) return core as Protocol;
  const builtIn = await loaders[core.name]?.();
  if (builtIn?.charts === core.charts) return builtIn;
  const { defineProtocol } = await import('../../machines/define.js');
  return defineProtocol(core as Core);
}

/** The header of a trace of these nodes, which have one protocol and topology. */
export function headerOf(protocol: Protocol, [first, ...others]: readonly [Inspectable, ...Inspectable[]]): TraceHeader {
  const { instance, scenario } = first;
  const { topology } = instance;
  const own = others.flatMap(({ id, scenario: { options } }) =>
    JSON.stringify(options) === JSON.stringify(scenario.options) ? [] : [[id, options] as const],
  );
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
    ...(own.length > 0 && { ownOptions: Object.fromEntries(own) }),
  };
}

export function overlayRuleOf(protocol: Protocol, instance: Instance): OverlayRule {
  return (node, view, known) => {
    const c = configurationOf(instance, known);
    try {
      return protocol.overlay?.(view, node, c.links, c);
    } catch {
      // Some marks need neighbors that have not reported yet.
      return undefined;
    }
  };
}

function configurationOf(instance: Instance, { nodes, inFlight: flights, ports }: KnownNodes): Configuration {
  const { links } = instance.topology;
  const view: LinksView = {
    up: (from, to) => links.some(([a, b]) => (a === from && b === to) || (a === to && b === from)),
    neighbors: (node) => links.flatMap(([a, b]) => (a === node ? [b] : b === node ? [a] : [])),
    port: (node, peer) => ports.get(node)?.[peer] ?? 0,
  };
  return { instance, nodes, flights, links: view };
}
