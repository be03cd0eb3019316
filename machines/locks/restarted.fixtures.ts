/** Peers that begin from different epochs, and peers that start again knowing nothing, for the searches. */
import { assign, createMachine, enqueueActions } from 'xstate';
import { createMetric } from '../../network/index.js';
import { explore, type ExploreOptions } from '../../test/index.js';
import type { NodeId } from '../effects.js';
import { election } from '../election/index.js';
import { locks } from './index.js';
import type { StewardContext } from './knowledge.js';
import { stewardMachine } from './steward.js';
import { nodes, type Commands } from './systems.fixtures.js';

/** Two of three are linked, so that a majority is there, and the third on its own. */
export const pair = { nodes, links: [['a', 'b', 1]] } satisfies ExploreOptions['topology'];
/** The one in the middle is in every majority. */
export const path = {
  nodes,
  links: [
    ['a', 'b', 1],
    ['b', 'c', 1],
  ],
} satisfies ExploreOptions['topology'];

export const told = (what: 'down' | 'up', u: string, v: string) => ({ do: what, channel: [u, v] }) as const;
export const forget = (node: string) => ({ do: 'command', name: 'forget', node, fields: {} }) as const;

export const searchOn = (
  topology: ExploreOptions['topology'],
  protocol: typeof locks,
  commands: Commands,
  { hold = 0, states = 400_000 }: { hold?: 0 | 1; states?: number } = {},
) => explore(protocol, { topology, options: { hold }, commands, bounds: { states } });

/** Nobody is in an epoch yet, and each has an epoch of its own to begin from. */
export const startingAt = (epochs: Readonly<Record<NodeId, number>>, protocol = locks): typeof locks => ({
  ...protocol,
  roles: (id, instance) => protocol.roles(id, { ...instance, options: { ...instance.options, epoch: epochs[id]!, members: [] } }),
});

const alone = createMetric({ nodes, links: [] });
const electionOf = (id: NodeId) => election.roles(id, { ...alone, options: election.options({ clock: 'logical' }, alone) })[0]!;

const blank = {
  links: [],
  members: [],
  holders: [],
  changes: 0,
  coordinator: null,
  reports: [],
  entries: [],
  open: [],
  early: [],
};

const isAlone = ({ context }: { context: StewardContext }) => context.links.length === 0;

const forgetAll = (firstEpoch: (promised: number) => number) =>
  assign(({ context: { id, promised } }: { context: StewardContext }) => {
    const epoch = firstEpoch(promised);
    return { ...blank, leader: id, epoch: 0, promised: epoch };
  });

const electAnew = enqueueActions(({ context, enqueue }) => {
  const start = electionOf((context as unknown as StewardContext).id);
  enqueue({ type: 'close', params: { role: start.role } });
  enqueue({ type: 'open', params: start });
});

/**
 * With a command `forget`: the process ends and starts again, from an epoch that depends on what it had promised. It is taken by a node
 * that has been told of the loss of all its links; what a process did before it was killed it did before that, and nothing since.
 */
export function forgetful(firstEpoch: (promised: number) => number): typeof locks {
  const { config, implementations } = stewardMachine;
  const forgetting = { guard: 'isAlone', target: '.starting', actions: ['forgetAll', 'electAnew'] };
  const machine = { ...config, on: { ...(config.on as object), forget: forgetting } };
  const actions = { ...implementations.actions, forgetAll: forgetAll(firstEpoch), electAnew };
  const steward = createMachine(machine as never, { actions, guards: { ...implementations.guards, isAlone } } as never);
  return {
    ...locks,
    charts: { ...locks.charts, steward },
    commands: { ...locks.commands, forget: { event: () => ({ type: 'forget' }), waits: true, completedBy: [] } },
  };
}
