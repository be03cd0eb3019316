/** What every topology must satisfy, wherever it comes from. */
import { TICKS_MAX } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type { NodeId } from '../../machines/effects.js';
import type { Link, Topology } from '../../machines/protocol.js';
import { shownValue } from '../scenario/read.js';
import type { Metric } from './metric.js';

const NAME_LENGTH_MAX = 200;

/**
 * Refuses an empty topology, bad names, and links to nowhere, to oneself, doubled or with a bad weight.
 * `where` is before the names of places in complaints.
 */
export function validateTopology(topology: Topology, where = 'topology.'): Topology {
  const { nodes, links } = topology;
  if (nodes.length === 0) throw new UsageError(`${where}nodes is empty; name at least one node`);
  const known = new Set<NodeId>();
  nodes.forEach((node, i) => {
    checkName(node, `${where}nodes[${i}]`);
    if (known.has(node)) throw new UsageError(`${where}nodes[${i}] names ${shownValue(node)} a second time; names must differ`);
    known.add(node);
  });
  const places = new Map<string, number>();
  links.forEach((link, i) => {
    const place = `${where}links[${i}]`;
    checkLink(link, place, known);
    const [u, v] = link;
    const key = u < v ? `${u}\n${v}` : `${v}\n${u}`;
    const first = places.get(key);
    if (first !== undefined)
      throw new UsageError(`${place} doubles links[${first}], ${u} - ${v}; list a link once, in any direction`);
    places.set(key, i);
  });
  return topology;
}

/** Refuses a topology in which some node cannot be reached. */
export function requireConnected(metric: Metric, why: string): void {
  const [first, ...rest] = metric.topology.nodes;
  const lost = rest.find((node) => metric.distance(first!, node) === Infinity);
  if (lost !== undefined) {
    throw new UsageError(
      `topology is not connected: no path from ${shownValue(first)} to ${shownValue(lost)}; ${why}, so add links or leave nodes out`,
    );
  }
}

function checkName(node: NodeId, where: string): void {
  if (node === '' || node.length > NAME_LENGTH_MAX || /\p{Cc}/u.test(node)) {
    throw new UsageError(`${where} must be a name of 1 to ${NAME_LENGTH_MAX} printable characters, but is ${shownValue(node)}`);
  }
  // Reports and contexts are records keyed by node: "constructor" would find what every object has.
  if (node in {})
    throw new UsageError(`${where} is ${shownValue(node)}, a name that every JavaScript object has; choose another`);
}

function checkLink([u, v, weight]: Link, where: string, known: ReadonlySet<NodeId>): void {
  for (const end of [u, v]) {
    if (!known.has(end))
      throw new UsageError(`${where} names ${shownValue(end)}, which is no node of the topology; add it to nodes`);
  }
  if (u === v) throw new UsageError(`${where} links ${shownValue(u)} to itself; name two nodes`);
  if (!(weight >= 0 && weight <= TICKS_MAX)) {
    throw new UsageError(`${where} must have a weight of 0 to ${TICKS_MAX}, but it is ${shownValue(weight)}`);
  }
}
