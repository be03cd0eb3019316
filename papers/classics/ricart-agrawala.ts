/** The description of Ricart and Agrawala's mutual exclusion. */
import { defineProtocol, shapes, type Property } from '../../index.js';
import { costPer, isIn, leaves, mutualExclusion, nodesIn, others, classicRole } from './common.js';
import { ricartAgrawalaMachine, type RicartAgrawalaContext } from './ricart-agrawala.chart.js';

const goesBefore = (a: RicartAgrawalaContext, b: RicartAgrawalaContext) =>
  a.number < b.number || (a.number === b.number && a.rank < b.rank);
const inOrder: Property = {
  name: 'in the order of numbers',
  description: 'A node that is inside precedes all that request.',
  kind: 'always',
  holds: (c) => {
    const [inside] = nodesIn(c, 'inside').map((node) => classicRole<RicartAgrawalaContext>(c, node).context);
    const requesting = [...c.nodes.keys()].filter((node) => isIn(c, node, 'requesting'));
    return !inside || requesting.every((node) => goesBefore(inside, classicRole<RicartAgrawalaContext>(c, node).context));
  },
};

export const ricartAgrawala = defineProtocol(
  {
    name: 'ricart-agrawala',
    charts: { 'ricart-agrawala': ricartAgrawalaMachine },
    network: { reach: 'routed' },
    input: (id, graph) => ({ rank: graph.rank(id), others: others(id, graph) }),
    messages: { request: { number: shapes.isCount, rank: shapes.isCount }, reply: {} },
    commands: { enter: { waits: true, completedBy: ['entered'] }, leave: { waits: true } },
    reactions: leaves,
  },
  { properties: () => [...mutualExclusion, inOrder] },
  {
    paper: 'Ricart, Agrawala: An Optimal Algorithm for Mutual Exclusion in Computer Networks (CACM 24(1), 1981)',
    observe: costPer('entered', ({ topology }) => 2 * (topology.nodes.length - 1)),
  },
);
