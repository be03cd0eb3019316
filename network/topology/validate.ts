/** Checks that a topology is valid, whether it was generated, listed or read from a file. */
import { TICKS_MAX } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type { NodeId } from '../../machines/effects.js';
import type { Link, Topology } from '../../machines/protocol.js';
import { shownValue } from '../scenario/read.js';
import type { Metric } from './metric.js';

const NAME_LENGTH_MAX = 200;

/**
 * Rejects an empty topology, bad names, and links that are to unknown nodes, loops, repeated or have a bad weight. `where` precedes the
 * names of places in errors.
 */
export function validateTopology(topology: Topology, where = 'topology.'): Topology {
  const { nodes, links } = topology;
  if (nodes.length === 0) throw new UsageError(`${where}nodes is empty. Name at least one node.`);
  const known = new Set<NodeId>();
  nodes.forEach((node, i) => {
    checkName(node, `${where}nodes[${i}]`);
    if (known.has(node)) throw new UsageError(`${where}nodes[${i}] repeats ${shownValue(node)}. Names must be unique.`);
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
      throw new UsageError(`${place} repeats links[${first}], ${u} - ${v}. List a link once, in either direction.`);
    places.set(key, i);
  });
  return topology;
}

/** Rejects a topology in which some nodes cannot reach each other. */
export function requireConnected(metric: Metric, why: string): void {
  const [first, ...rest] = metric.topology.nodes;
  const lost = rest.find((node) => metric.distance(first!, node) === Infinity);
  if (lost !== undefined) {
    throw new UsageError(
      `topology is not connected: no path leads from ${shownValue(first)} to ${shownValue(lost)}. Add links or remove nodes, because ${why}.`,
    );
  }
}

function checkName(node: NodeId, where: string): void {
  if (node === '' || node.length > NAME_LENGTH_MAX || /\p{Cc}/u.test(node)) {
    throw new UsageError(`${where} must be a name of 1 to ${NAME_LENGTH_MAX} printable characters, but is ${shownValue(node)}.`);
  }
  // Reports and contexts are records keyed by node, and every object has a property such as "constructor".
  if (node in {})
    throw new UsageError(`${where} is ${shownValue(node)}, a property of every JavaScript object. Choose another name.`);
}

function checkLink([u, v, weight]: Link, where: string, known: ReadonlySet<NodeId>): void {
  for (const end of [u, v]) {
    if (!known.has(end))
      throw new UsageError(`${where} names ${shownValue(end)}, which is not a node of the topology. Add it to nodes.`);
  }
  if (u === v) throw new UsageError(`${where} links ${shownValue(u)} to itself. Name two nodes.`);
  if (!(weight >= 0 && weight <= TICKS_MAX)) {
    throw new UsageError(`${where} must have a weight from 0 to ${TICKS_MAX}, but has ${shownValue(weight)}.`);
  }
}
