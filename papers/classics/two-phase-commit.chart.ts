/**
 * Two-phase commit: all resource managers commit, or all abort. The charts of the transaction manager and of a resource manager.
 *
 * Paper: Gray, Lamport, "Consensus on Transaction Commit" (ACM TODS 31(1), 2006), section 3 and its TwoPhase specification. Assumes
 * channels that lose nothing; messages may come in any order and any number of times. States of the transaction manager. init: collects the
 * prepared managers. committed, aborted: has decided and notified all. States of a resource manager. working: may still abort by itself.
 * prepared: has promised to commit and waits for the decision, however long that takes. committed, aborted.
 */
import { assign, setup } from 'xstate';
import { effects, send, withEvent, type NodeId } from '../../index.js';

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
