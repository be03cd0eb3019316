/** Checks the options of local mutual exclusion in a scenario and adds defaults. */
import { holdOf, integer, isObject, oneOf, refuseUnknown, isIntegerOf } from '../checks.js';
import type { NodeId } from '../effects.js';
import { UsageError } from '../errors.js';
import type { NetworkGraph, PortedLink } from '../protocol.js';
import { ruleSets, type Rules } from './machine.js';
import type { PortNumber, Ports } from './ports.js';

export interface ExclusionOptions {
  /** Number of different priorities (K). */
  readonly priorities: number;
  readonly rules: Rules;
  /** Ticks after which a neighborhood is unlocked automatically; `null` leaves that to events. */
  readonly hold: number | null;
  /** Every initial link with its ports. */
  readonly ports: readonly PortedLink[];
  readonly inUse: Readonly<Record<NodeId, Ports>>;
  /** First draws of each node. */
  readonly draws: Readonly<Record<NodeId, readonly number[]>>;
}

const KEYS = ['priorities', 'rules', 'hold', 'ports', 'draws'] as const;

export function exclusionOptions(raw: Readonly<Record<string, unknown>>, graph: NetworkGraph): ExclusionOptions {
  refuseUnknown(raw, KEYS);
  const priorities = integer(raw, 'priorities', { min: 2, fallback: 16 });
  const plugged = plugIn(raw['ports'], graph);
  const rules = oneOf(raw, 'rules', ruleSets, 'corrected');
  const hold = holdOf(raw);
  if (graph.roundTrip === 0 && graph.topology.links.length > 0 && hold !== 0 && rules !== 'deferred')
    throw new UsageError(
      `options.hold is ${hold}, and with a latency of 0 a waiting node would repeat its request forever within one tick. Use a latency of at least 1, "hold": 0 or "rules": "deferred".`,
    );
  return {
    priorities,
    rules,
    hold,
    ...plugged,
    draws: drawsOf(raw['draws'], priorities, graph),
  };
}

/** Assigns ports: links in `wanted` get the given ports, the others the lowest free ones, in the order of the topology. */
function plugIn(wanted: unknown, { topology, rank }: NetworkGraph): Pick<ExclusionOptions, 'ports' | 'inUse'> {
  if (wanted !== undefined && !Array.isArray(wanted)) {
    throw new UsageError(
      'options.ports must be a list with an item for each link: [node, its port number, other node, its port number].',
    );
  }
  const taken = new Map(topology.nodes.map((node) => [node, new Set<PortNumber>()]));
  const given = new Map<string, PortedLink>();
  const key = (u: NodeId, v: NodeId) => (rank(u) < rank(v) ? `${rank(u)} ${rank(v)}` : `${rank(v)} ${rank(u)}`);
  const linked = new Set(topology.links.map(([u, v]) => key(u, v)));
  for (const [i, entry] of (wanted ?? []).entries()) {
    const link = portedLink(entry, `options.ports[${i}]`);
    const [u, portOfU, v, portOfV] = link;
    if (!linked.has(key(u, v)))
      throw new UsageError(`options.ports[${i}]: no link connects ${u} and ${v}. Add it to the topology.`);
    if (given.has(key(u, v)))
      throw new UsageError(
        `options.ports[${i}]: the ports of the link between ${u} and ${v} are already set. List each link once.`,
      );
    take(taken.get(u)!, portOfU, `options.ports[${i}]`, u);
    take(taken.get(v)!, portOfV, `options.ports[${i}]`, v);
    given.set(key(u, v), link);
  }
  const ports = topology.links.map(
    ([u, v]): PortedLink => given.get(key(u, v)) ?? [u, takeLowest(taken.get(u)!), v, takeLowest(taken.get(v)!)],
  );
  return { ports, inUse: Object.fromEntries([...taken].map(([node, set]) => [node, [...set].sort((a, b) => a - b)])) };
}

function portedLink(entry: unknown, where: string): PortedLink {
  const [u, portOfU, v, portOfV] = Array.isArray(entry) ? entry : [];
  const isPort = (port: unknown) => isIntegerOf(port, 1);
  if (typeof u === 'string' && isPort(portOfU) && typeof v === 'string' && isPort(portOfV)) return [u, portOfU, v, portOfV];
  throw new UsageError(
    `${where} is ${JSON.stringify(entry)}. Use [node, its port, other node, its port], with ports counted from 1.`,
  );
}

function take(taken: Set<PortNumber>, port: PortNumber, where: string, node: NodeId): void {
  if (taken.has(port)) throw new UsageError(`${where}: another link uses port ${port} of ${node}. Choose a free port.`);
  taken.add(port);
}

function takeLowest(taken: Set<PortNumber>): PortNumber {
  let port = 1;
  while (taken.has(port)) port++;
  taken.add(port);
  return port;
}

function drawsOf(draws: unknown, priorities: number, { rank }: NetworkGraph): ExclusionOptions['draws'] {
  if (draws === undefined) return {};
  if (!isObject(draws))
    throw new UsageError('options.draws must contain the priorities that nodes draw in turn, as in { "n0": [1, 0] }.');
  for (const [node, values] of Object.entries(draws)) {
    if (rank(node) < 0)
      throw new UsageError(
        `options.draws names ${JSON.stringify(node)}, which is not a node of the topology. Use the topology's nodes.`,
      );
    const isPriority = (value: unknown) => isIntegerOf(value, 0, priorities - 1);
    if (!Array.isArray(values) || !values.every(isPriority)) {
      throw new UsageError(`options.draws.${node} must be a list of priorities between 0 and ${priorities - 1}.`);
    }
  }
  return draws as ExclusionOptions['draws'];
}
