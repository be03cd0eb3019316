/** The description of Lamport's bakery on messages. */
import { defineProtocol, shapes, type Property } from '../../index.js';
import { isIn, leaves, mutualExclusion, nodesIn, others, classicRole } from './common.js';
import { bakeryMachine, type BakeryContext } from './bakery.chart.js';

const firstComeFirstServed: Property = {
  name: 'in the order of numbers',
  description: 'A node that is inside has a smaller number than all that wait with a number.',
  kind: 'always',
  holds: (c) => {
    const [inside] = nodesIn(c, 'inside').map((node) => classicRole<BakeryContext>(c, node).context);
    const waiting = [...c.nodes.keys()].filter((node) => isIn(c, node, 'requesting.waiting'));
    const isAfter = ({ number, rank }: BakeryContext) =>
      number > inside!.number || (number === inside!.number && rank > inside!.rank);
    return !inside || waiting.every((node) => isAfter(classicRole<BakeryContext>(c, node).context));
  },
};

export const bakery = defineProtocol(
  {
    name: 'bakery',
    charts: { bakery: bakeryMachine },
    network: { reach: 'routed' },
    input: (id, graph) => ({ rank: graph.rank(id), others: others(id, graph) }),
    messages: { read: {}, value: { choosing: shapes.isBoolean, number: shapes.isCount, rank: shapes.isCount } },
    commands: { enter: { waits: true, completedBy: ['entered'] }, leave: { waits: true } },
    reactions: leaves,
  },
  { properties: () => [...mutualExclusion, firstComeFirstServed] },
  { paper: "Lamport: A New Solution of Dijkstra's Concurrent Programming Problem (CACM 17(8), 1974)" },
);
