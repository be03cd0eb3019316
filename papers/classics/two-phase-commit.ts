/** The description of two-phase commit: the first node is the transaction manager, the others are resource managers. */
import { defineProtocol, type Configuration, type Property } from '../../index.js';
import { isIn } from './common.js';
import { manager, resource } from './two-phase-commit.chart.js';

const split = (c: Configuration) => {
  const [first, ...resources] = c.instance.topology.nodes;
  return { first: first!, resources };
};
const some = (c: Configuration, state: string) => split(c).resources.some((node) => isIn(c, node, state));

const properties: readonly Property[] = [
  {
    name: 'consistent',
    description: 'No resource manager has committed while another has aborted (TCConsistent).',
    kind: 'always',
    holds: (c) => !(some(c, 'committed') && some(c, 'aborted')),
  },
  {
    name: 'no commit without all',
    description: 'If a resource manager has committed, none is still working.',
    kind: 'always',
    holds: (c) => !(some(c, 'committed') && some(c, 'working')),
  },
  {
    name: 'a decision reaches all nodes',
    description: 'When the transaction manager has decided, each prepared resource manager eventually learns the decision.',
    kind: 'eventually',
    when: (c, node) => !isIn(c, split(c).first, 'init') && isIn(c, node, 'prepared'),
    holds: (c, node) => !isIn(c, node, 'prepared'),
  },
];

export const twoPhaseCommit = defineProtocol(
  {
    name: 'two-phase-commit',
    charts: { manager, resource },
    network: { reach: 'routed' },
    roles: (id, { topology: { nodes } }) =>
      id === nodes[0]
        ? [{ role: 'process', chart: 'manager', input: { resources: nodes.slice(1) } }]
        : [{ role: 'process', chart: 'resource', input: { manager: nodes[0]! } }],
    route: () => 'process',
    messages: { prepared: {}, commit: {}, abort: {} },
    commands: { prepare: {}, giveUp: {}, decide: { waits: true }, undo: {} },
  },
  { properties: () => properties },
  { paper: 'Gray, Lamport: Consensus on Transaction Commit (ACM TODS 31(1), 2006)' },
);
