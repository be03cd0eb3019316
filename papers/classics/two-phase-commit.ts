/**
 * Two-phase commit: all resource managers commit, or all abort. The charts of the transaction manager and of a resource manager.
 *
 * Paper: Gray, Lamport, "Consensus on Transaction Commit" (ACM TODS 31(1), 2006), section 3 and its TwoPhase specification. Assumes
 * channels that lose nothing; messages may come in any order and any number of times. States of the transaction manager. init: collects the
 * prepared managers. committed, aborted: has decided and notified all. States of a resource manager. working: may still abort by itself.
 * prepared: has promised to commit and waits for the decision, however long that takes. committed, aborted.
 */
import { assign, setup } from 'xstate';
import { effects, send, withEvent, type NodeId, defineProtocol, type Configuration, type Property } from '../../index.js';
import { isIn } from './common.js';

export interface Manager {
  readonly resources: readonly NodeId[];
  /** tmPrepared, in the order of names. */
  readonly prepared: readonly NodeId[];
}
type Decision = { readonly type: 'commit' | 'abort' };
type Prepared = { readonly type: 'prepared' };
type InManager = { context: Manager };

const commit = ({ context: { resources } }: InManager) => ({ to: resources, message: { type: 'commit' as const } });
const abort = ({ context: { resources } }: InManager) => ({ to: resources, message: { type: 'abort' as const } });
const prepared = ({ context: { manager } }: { context: { manager: NodeId } }) => ({
  to: manager,
  message: { type: 'prepared' as const },
});

export const manager = setup({
  types: {} as {
    context: Manager;
    input: Pick<Manager, 'resources'>;
    events: (Prepared & { from: NodeId }) | { type: 'decide' } | { type: 'undo' };
  },
  actions: {
    ...effects<Decision>(),
    note: assign(({ context }, { from }: { from: NodeId }) => ({
      prepared: [...new Set([...context.prepared, from])].toSorted(),
    })),
  },
  guards: { allPrepared: ({ context }) => context.prepared.length === context.resources.length },
}).createMachine({
  id: 'transaction manager',
  context: ({ input: { resources } }) => ({ resources, prepared: [] }),
  initial: 'init',
  states: {
    init: {
      on: {
        prepared: { actions: withEvent('note') },
        decide: { guard: 'allPrepared', target: 'committed', actions: send(commit) },
        undo: { target: 'aborted', actions: send(abort) },
      },
    },
    committed: {},
    aborted: {},
  },
});

export const resource = setup({
  types: {} as {
    context: { manager: NodeId };
    input: { manager: NodeId };
    events: (Decision & { from: NodeId }) | { type: 'prepare' } | { type: 'giveUp' };
  },
  actions: effects<Prepared>(),
}).createMachine({
  id: 'resource manager',
  context: ({ input }) => input,
  initial: 'working',
  on: { commit: '.committed', abort: '.aborted' },
  states: {
    working: { on: { prepare: { target: 'prepared', actions: send(prepared) }, giveUp: 'aborted' } },
    prepared: {},
    committed: {},
    aborted: {},
  },
});

/** The description of two-phase commit: the first node is the transaction manager, the others are resource managers. */
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
