/** Edge lists: a line `a b` or `a b weight` is a link, `#` begins a comment. Nodes are ordered by their first mention. */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { Link, Topology } from '../../machines/protocol.js';

export function parseEdgeList(text: string): Topology {
  const nodes = new Set<NodeId>();
  const links: Link[] = [];
  const lineOf = new Map<string, number>();
  let number = 0;
  for (const line of text.split('\n')) {
    number++;
    const [u, v, weight, ...more] = line.split('#', 1)[0]!.split(/\s+/).filter(Boolean);
    if (u === undefined) continue;
    const where = `line ${number} of the edge list`;
    if (v === undefined || more.length > 0)
      throw new UsageError(`${where} must be "a b" or "a b weight", and names contain no spaces.`);
    const length = weight === undefined ? 1 : Number(weight);
    if (!(length >= 0 && length < Infinity))
      throw new UsageError(`${where}: the weight "${weight}" must be a number of at least 0.`);
    if (u === v) throw new UsageError(`${where} links "${u}" to itself. Name two nodes.`);
    const key = u < v ? `${u} ${v}` : `${v} ${u}`;
    const first = lineOf.get(key);
    if (first !== undefined)
      throw new UsageError(`${where} repeats the link of line ${first}. List a link once, in either direction.`);
    lineOf.set(key, number);
    nodes.add(u).add(v);
    links.push([u, v, length]);
  }
  return { nodes: [...nodes], links };
}
