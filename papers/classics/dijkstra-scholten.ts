/** The description of Dijkstra and Scholten's termination detection. */
import { defineProtocol, type Configuration, type NodeId, type Property } from '../../index.js';
import { inFlight, isIn, nodesIn, classicRole } from './common.js';
import { dijkstraScholtenMachine, type DijkstraScholtenContext } from './dijkstra-scholten.chart.js';

const isEnded = (c: Configuration) => nodesIn(c, 'engaged.active').length === 0 && inFlight(c, 'work') === 0;
const parentOf = (c: Configuration, node: NodeId) => classicRole<DijkstraScholtenContext>(c, node).context.parent;

const properties: readonly Property[] = [
  {
    name: 'over is over',
    description: 'When the root reports termination, no node works and no work is in flight.',
    kind: 'always',
    holds: (c) => nodesIn(c, 'over').length === 0 || (isEnded(c) && nodesIn(c, 'engaged').length === 0),
  },
  {
    name: 'a tree of the engaged',
    description: 'The parent of an engaged node is also engaged.',
    kind: 'always',
    holds: (c) => nodesIn(c, 'engaged').every((node) => parentOf(c, node) === null || isIn(c, parentOf(c, node)!, 'engaged')),
  },
  {
    name: 'the end is noticed',
    description: 'When no node works any more and no work is in flight, the root eventually reports termination.',
    kind: 'eventually',
    when: (c, node) => isIn(c, node, 'engaged') && parentOf(c, node) === null && isEnded(c),
    holds: (c, node) => isIn(c, node, 'over') || !isEnded(c),
  },
];

export const dijkstraScholten = defineProtocol(
  {
    name: 'dijkstra-scholten',
    charts: { 'dijkstra-scholten': dijkstraScholtenMachine },
    network: { reach: 'routed' },
    messages: { work: {}, signal: {} },
    commands: {
      begin: { completedBy: ['over'] },
      pass: { fields: [{ name: 'to', type: 'node' }], waits: true },
      rest: { waits: true },
    },
  },
  { properties: () => properties },
  {
    paper: 'Dijkstra, Scholten: Termination Detection for Diffusing Computations (Information Processing Letters 11(1), 1980)',
    overlay: (node, id, _, c) => {
      const parent = parentOf(c, id);
      const { deficit } = classicRole<DijkstraScholtenContext>(c, id).context;
      const badge = isIn(c, id, 'engaged') ? `owed ${deficit}` : String(node['dijkstra-scholten']!.value);
      return { badge, ...(parent !== null && { pointers: [{ to: parent }] }) };
    },
  },
);
