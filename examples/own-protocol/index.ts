/** The description of the protocol. */
import { defineCore, defineProtocol, shapes, UsageError, type NetworkGraph, type NodeId } from '../../index.js';
import { checks, view } from './checks.js';
import { ringMachine } from './machine.js';

const nextOf = (node: NodeId, { topology: { nodes }, rank }: NetworkGraph) => nodes[(rank(node) + 1) % nodes.length]!;

/** Checks that an election has no options, and that the network is a ring in the order of the nodes. */
export function ringOptions(raw: object, graph: NetworkGraph): object {
  const [unknown] = Object.keys(raw);
  if (unknown !== undefined) throw new UsageError(`Unknown option options.${unknown}. This election has no options.`);
  const { nodes, links } = graph.topology;
  const cut = nodes.find((node) => !links.some((link) => link.includes(node) && link.includes(nextOf(node, graph))));
  if (cut === undefined) return {};
  const missing = `topology has no link from ${cut} to ${nextOf(cut, graph)}`;
  throw new UsageError(`${missing}; this election runs on a ring, in the order of the nodes`);
}

export const ringCore = defineCore({
  name: 'ring',
  charts: { ring: ringMachine },
  network: { reach: 'links' },
  options: ringOptions,
  input: (node, graph) => ({ number: graph.rank(node), next: nextOf(node, graph) }),
  messages: { probe: { number: shapes.isCount }, victory: { number: shapes.isCount } },
  commands: { call: { completedBy: ['elected'] } },
});

export const ring = defineProtocol(ringCore, checks, view);
