/** The description of Suzuki and Kasami's mutual exclusion; the first node begins with the token. */
import { defineProtocol, shapes, type Property } from '../../index.js';
import { costPer, inFlight, leaves, mutualExclusion, others, classicRoles } from './common.js';
import { suzukiKasamiMachine, type SuzukiKasamiInput } from './suzuki-kasami.chart.js';

const oneToken: Property = {
  name: 'one token',
  description: 'One token is held or in flight.',
  kind: 'always',
  holds: (c) =>
    classicRoles<SuzukiKasamiInput>(c).filter(({ context }) => context.token !== null).length + inFlight(c, 'token') === 1,
};
const isCounts: shapes.FieldCheck = (value, instance) =>
  shapes.recordOf(Object.fromEntries(instance.topology.nodes.map((node) => [node, shapes.isCount])))(value, instance);

export const suzukiKasami = defineProtocol(
  {
    name: 'suzuki-kasami',
    charts: { 'suzuki-kasami': suzukiKasamiMachine },
    network: { reach: 'routed' },
    input: (id, graph): SuzukiKasamiInput => {
      const none = Object.fromEntries(graph.topology.nodes.map((node) => [node, 0]));
      const token = graph.rank(id) === 0 ? { type: 'token' as const, served: none, queue: [] } : null;
      return { id, others: others(id, graph), requested: none, token };
    },
    messages: {
      request: { number: shapes.isCount },
      token: { served: isCounts, queue: shapes.listOf(shapes.isNode) },
    },
    commands: { enter: { waits: true, completedBy: ['entered'] }, leave: { waits: true } },
    reactions: leaves,
  },
  { properties: () => [...mutualExclusion, oneToken] },
  {
    paper: 'Suzuki, Kasami: A Distributed Mutual Exclusion Algorithm (ACM TOCS 3(4), 1985)',
    observe: costPer('entered', ({ topology }) => topology.nodes.length),
  },
);
