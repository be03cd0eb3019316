/** The description of the echo algorithm. */
import { defineProtocol, type Configuration, type NodeId, type Property } from '../../index.js';
import { costPer, isIn, nodesIn, classicRole } from './common.js';
import { echoMachine, type EchoContext } from './echo.chart.js';

const parentOf = (c: Configuration, node: NodeId) => classicRole<EchoContext>(c, node).context.parent;
const leadsToInitiator = (c: Configuration, node: NodeId): boolean => {
  const way = new Set<NodeId>();
  for (let at: NodeId | null = node; at !== null && !way.has(at); at = parentOf(c, at)) way.add(at);
  return isIn(c, [...way].at(-1)!, 'initiator') || isIn(c, [...way].at(-1)!, 'decided');
};
const reached = (c: Configuration) => [...c.nodes.keys()].filter((node) => !isIn(c, node, 'asleep'));

const properties: readonly Property[] = [
  {
    name: 'all nodes participated',
    description: 'When the initiator decides, every other node has finished.',
    kind: 'always',
    holds: (c) => nodesIn(c, 'decided').length === 0 || nodesIn(c, 'finished').length === c.nodes.size - 1,
  },
  {
    name: 'a spanning tree',
    description: 'From every node that was reached, the parents lead to the initiator.',
    kind: 'always',
    holds: (c) => reached(c).every((node) => leadsToInitiator(c, node)),
  },
  {
    name: 'it decides',
    description: 'A node that starts eventually decides.',
    kind: 'eventually',
    when: (c, node) => isIn(c, node, 'initiator'),
    holds: (c, node) => isIn(c, node, 'decided'),
  },
];

export const echo = defineProtocol(
  {
    name: 'echo',
    charts: { echo: echoMachine },
    network: { reach: 'links' },
    input: (id, { topology: { links } }) => ({
      neighbors: links.flatMap(([u, v]) => (u === id ? [v] : v === id ? [u] : [])),
    }),
    messages: { wave: {} },
    commands: { begin: { completedBy: ['decided'] } },
  },
  { properties: () => properties },
  {
    paper: 'Chang: Echo Algorithms, Depth Parallel Operations on General Graphs (IEEE TSE 8(4), 1982)',
    observe: costPer('decided', ({ topology }) => 2 * topology.links.length),
    overlay: (node, id, _, c) => {
      const parent = parentOf(c, id);
      return { badge: String(node['echo']!.value), ...(parent !== null && { pointers: [{ to: parent }] }) };
    },
  },
);
