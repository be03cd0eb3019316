/** The description of Naimi and Trehel's mutual exclusion. The first node begins with the token, and all nodes know it. */
import { defineProtocol, shapes, type Property } from '../../index.js';
import { costPer, inFlight, isIn, leaves, mutualExclusion, nodesIn, classicRole } from './common.js';
import { naimiTrehelMachine, type NaimiTrehelContext } from './naimi-trehel.chart.js';

const oneToken: Property = {
  name: 'one token',
  description: 'One token is held or in flight.',
  kind: 'always',
  holds: (c) => nodesIn(c, 'inside').length + nodesIn(c, 'outside.holding').length + inFlight(c, 'token') === 1,
};

export const naimiTrehel = defineProtocol(
  {
    name: 'naimi-trehel',
    charts: { 'naimi-trehel': naimiTrehelMachine },
    network: { reach: 'routed' },
    input: (id, { topology: { nodes } }) => ({ id, last: id === nodes[0] ? null : nodes[0]! }),
    messages: { request: { requester: shapes.isNode }, token: {} },
    commands: { enter: { waits: true, completedBy: ['entered'] }, leave: { waits: true } },
    reactions: leaves,
  },
  { properties: () => [...mutualExclusion, oneToken] },
  {
    paper: 'Naimi, Trehel, Arnold: A log(N) Distributed Mutual Exclusion Algorithm Based on Path Reversal (JPDC 34(1), 1996)',
    observe: costPer('entered', ({ topology }) => topology.nodes.length),
    overlay: (_, id, __, c) => {
      const { last } = classicRole<NaimiTrehelContext>(c, id).context;
      return {
        badge: isIn(c, id, 'inside') ? 'inside' : isIn(c, id, 'requesting') ? 'asks' : '',
        ...(last !== null && { pointers: [{ to: last }] }),
      };
    },
  },
);
