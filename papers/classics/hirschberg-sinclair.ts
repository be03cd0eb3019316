/** The description of Hirschberg and Sinclair's election, on a ring in the order of the nodes. */
import { defineProtocol, shapes, type Configuration, type NetworkGraph, type NodeId, type Property } from '../../index.js';
import { ringOptions } from '../../examples/own-protocol/index.js';
import { costPer, isIn, nodesIn, classicRole } from './common.js';
import { hirschbergSinclairMachine, type HirschbergSinclairContext } from './hirschberg-sinclair.chart.js';

const { isCount } = shapes;
const at = ({ topology: { nodes }, rank }: NetworkGraph, id: NodeId, steps: number) =>
  nodes.at((rank(id) + steps) % nodes.length)!;
const isGreatestAround = (c: Configuration, node: NodeId): boolean => {
  const { number, phase } = classicRole<HirschbergSinclairContext>(c, node).context;
  const reach = phase === 0 ? 0 : Math.min(2 ** (phase - 1), c.nodes.size - 1);
  const around = Array.from({ length: 2 * reach + 1 }, (_, i) => at(c.instance, node, i - reach));
  return around.every((other) => c.instance.rank(other) <= number);
};

const properties: readonly Property[] = [
  {
    name: 'the greatest leads',
    description: 'Only the node with the greatest number leads.',
    kind: 'always',
    holds: (c) => nodesIn(c, 'leader').every((node) => node === c.instance.topology.nodes.at(-1)),
  },
  {
    name: 'greatest around',
    description: 'A candidate in phase k has the greatest number within 2^(k - 1) steps to either side.',
    kind: 'always',
    holds: (c) => nodesIn(c, 'candidate').every((node) => isGreatestAround(c, node)),
  },
  {
    name: 'an election ends',
    description: 'If a node is a candidate, a leader is eventually elected.',
    kind: 'eventually',
    when: (c, node) => isIn(c, node, 'candidate'),
    holds: (c) => nodesIn(c, 'leader').length === 1,
  },
];

export const hirschbergSinclair = defineProtocol<object>(
  {
    name: 'hirschberg-sinclair',
    charts: { 'hirschberg-sinclair': hirschbergSinclairMachine },
    network: { reach: 'links' },
    options: ringOptions,
    input: (id, graph) => ({ number: graph.rank(id), sides: [at(graph, id, -1), at(graph, id, 1)] }),
    messages: { probe: { number: isCount, phase: isCount, hops: isCount }, reply: { number: isCount, phase: isCount } },
    commands: { call: { completedBy: ['elected'] } },
  },
  { properties: () => properties },
  {
    paper: 'Hirschberg, Sinclair: Decentralized Extrema-Finding in Circular Configurations of Processors (CACM 23(11), 1980)',
    observe: costPer('elected', ({ topology: { nodes } }) => 8 * nodes.length * (1 + Math.ceil(Math.log2(nodes.length)))),
  },
);
