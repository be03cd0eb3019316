/**
 * Two-phase commit (Gray, Lamport: Consensus on Transaction Commit) as charts. Messages stay readable forever after they were
 * sent.
 */
import { assign, setup } from 'xstate';
import { effects, send } from '../../machines/effects.js';
import type { Configuration, Protocol } from '../../machines/protocol.js';
import { completeGraph } from './fixtures.js';
import type { ExploreOptions } from './explore.js';
import { toy, type ToyInput } from './toys.fixtures.js';

type In = { context: ToyInput };

/** The transaction manager is n0; the others are the resource managers. */
export const manager = setup({
  types: { context: {} as ToyInput & { prepared: readonly string[] }, input: {} as ToyInput, events: {} as any },
  actions: {
    ...effects(),
    note: assign({ prepared: ({ context, event }) => [...new Set([...context.prepared, event.from])].sort() }),
  },
  guards: { allPrepared: ({ context }) => context.prepared.length === context.peers.length },
}).createMachine({
  context: ({ input }) => ({ ...input, prepared: [] }),
  initial: 'open',
  states: {
    open: {
      on: {
        prepared: { actions: 'note' },
        decide: {
          guard: 'allPrepared',
          target: 'committed',
          actions: send(({ context }: In) => ({ to: context.peers, message: { type: 'commit' } })),
        },
        undo: {
          target: 'aborted',
          actions: send(({ context }: In) => ({ to: context.peers, message: { type: 'abort' } })),
        },
      },
    },
    committed: {},
    aborted: {},
  },
});

export const resource = setup({
  types: { context: {} as ToyInput, input: {} as ToyInput, events: {} as any },
  actions: effects(),
}).createMachine({
  context: ({ input }) => input,
  initial: 'working',
  on: { commit: '.committed', abort: '.aborted' },
  states: {
    working: {
      on: {
        prepare: { target: 'prepared', actions: send(() => ({ to: 'n0', message: { type: 'prepared' } })) },
        giveUp: 'aborted',
      },
    },
    prepared: {},
    committed: {},
    aborted: {},
  },
});

export const twoPhaseCommit: Protocol = {
  ...toy({ chart: manager, commands: ['prepare', 'giveUp', 'decide', 'undo'] }),
  charts: { manager, resource },
  roles: (id, { topology }) => [
    {
      role: 'toy',
      chart: id === 'n0' ? 'manager' : 'resource',
      input: { id, peers: topology.nodes.filter((node) => node !== id) },
    },
  ],
};

export const value = (c: Configuration, node: string) => c.nodes.get(node)!['toy']!.value;
export const consistent = {
  name: 'consistent',
  description: 'No resource manager has committed while another has aborted.',
  kind: 'always' as const,
  holds: (c: Configuration) => {
    const [, ...managers] = [...c.nodes.keys()];
    const some = (state: string) => managers.some((node) => value(c, node) === state);
    return !(some('committed') && some('aborted'));
  },
};

/** A transaction manager and `managers` resource managers. */
export const among = (managers: number) =>
  ({
    topology: completeGraph(managers + 1),
    commands: 'unlimited',
    faults: { duplicate: Infinity },
    properties: [consistent],
  }) satisfies ExploreOptions;
