/** Three voters, and the events and mutants for the searches. */
import { assign, createMachine, enqueueActions } from 'xstate';
import { createMetric } from '../../network/topology/metric.js';
import { explore, type ExploreOptions } from '../../test/explore/explore.js';
import type { NodeId } from '../effects.js';
import { election } from '../election/index.js';
import type { Property, Protocol, RoleStart } from '../protocol.js';
import type { LocksProtocolOptions } from './options.js';
import { clientMachine } from './client.js';
import { epochsMachine } from './epochs.js';
import { locks } from './index.js';
import type { Enqueuing, EpochsContext, EpochsInput } from './knowledge.js';
import { learn } from './lists.js';
import { lockMachine } from './lock.js';
import { NO_MEMBERSHIP } from './membership.js';
import { EPOCHS, lockRole, STANDING, type Memory } from './messages.js';
import { beginningOf, cliqueOf, isClique, type PromiseReport } from './promises.js';

type Topology = ExploreOptions['topology'];
export type Commands = NonNullable<ExploreOptions['commands']> & readonly unknown[];

export const nodes = ['a', 'b', 'c'];
export const all: Topology = {
  nodes,
  links: [
    ['a', 'b', 1],
    ['a', 'c', 1],
    ['b', 'c', 1],
  ],
};
/** Two of three are linked, which is a majority, and the third has no links. */
export const pair = (u: NodeId, v: NodeId): Topology => ({ nodes, links: [[u, v, 1]] });
export const apart: Topology = { nodes, links: [] };
/** The middle node is in every majority. */
export const path: Topology = {
  nodes,
  links: [
    ['a', 'b', 1],
    ['b', 'c', 1],
  ],
};

export const ask = (node: string, lock?: string) =>
  ({ do: 'command', name: 'request', node, fields: lock === undefined ? {} : { lock } }) as const;
/** Cancels the request. */
export const cancel = (node: string) => ({ do: 'command', name: 'cancel', node, fields: {} }) as const;
/** The transport reports that the process of a peer has ended. */
export const ended = (node: string, peer: string) => ({ do: 'command', name: 'ended', node, fields: { peer } }) as const;
/** Requests the lock as a reader. */
export const read = (node: string) => ({ do: 'command', name: 'share', node, fields: {} }) as const;
export const cut = (u: string, v: string) => ({ do: 'cut', link: [u, v] }) as const;
export const join = (u: string, v: string) => ({ do: 'join', link: [u, v], weight: 1 }) as const;
export const notified = (what: 'down' | 'up', u: string, v: string) => ({ do: what, channel: [u, v] }) as const;
/** A node stops. The others are notified sooner or later, or suspect it before it has stopped. */
export const crash = (node: string) => [
  { do: 'crash', node } as const,
  ...nodes.filter((peer) => peer !== node).map((peer) => ({ do: 'down', channel: [peer, node] }) as const),
];
/** A node continues from where it stopped, as a suspended process does. */
export const restart = (node: string) => ({ do: 'restart', node }) as const;

/** A process stops and restarts with its stored state; each end of its links is notified. */
export const reload = (node: NodeId) => [{ do: 'crash', node } as const, { do: 'reload', node } as const];

/** Requests a change of the voters on a node. */
export const change = (node: NodeId, fields: { readonly add?: NodeId; readonly remove?: NodeId }) =>
  ({ do: 'command', name: 'change', node, fields }) as const;

const command = (name: string, node: string) => ({ do: 'command', name, node, fields: {} }) as const;
/** The leader proposes again. */
export const again = (node: string) => command(`again ${node}`, node);
/** A node proposes although another one leads, because the election has briefly named it as the leader. */
export const rival = (node: string) => command(`rival ${node}`, node);
/** A process stops and restarts without memory. */
export const forget = (node: string) => command('forget', node);
export const bootstrap = (node: string) => command('bootstrap', node);

/** Adds the commands `again` and `rival` of each node. */
export function withProposals(protocol: typeof locks): typeof locks {
  const propose = (event: object) => ({ event: () => event as { type: string }, waits: false, completedBy: [] });
  const rivals = nodes.map((leader) => [`rival ${leader}`, propose({ type: 'leader', leader, term: 1 })] as const);
  const notified = (from: NodeId) => propose({ type: 'changed', from, membership: NO_MEMBERSHIP });
  const agains = nodes.map((node) => [`again ${node}`, notified(node)] as const);
  return { ...protocol, commands: { ...protocol.commands, ...Object.fromEntries([...agains, ...rivals]) } };
}

export interface Search {
  readonly hold?: 0 | 1 | null;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly states?: number;
  /** Properties in addition to those of the protocol. */
  readonly properties?: readonly Property[];
  /** The name of the only property that is judged. @defaultValue all properties */
  readonly only?: string;
}

export function searchOn(
  topology: Topology,
  protocol: typeof locks,
  commands: Commands,
  { hold = 0, options = {}, states = 400_000, properties = [], only }: Search = {},
) {
  const own = protocol.properties({} as never);
  return explore(withProposals(protocol), {
    topology,
    options: { hold, ...options },
    commands,
    bounds: { states },
    properties: [...own, ...properties].filter(({ name }) => only === undefined || name === only),
  });
}

export type Changes = Parameters<typeof epochsMachine.provide>[0];
export const mutant = (
  changes: Changes,
  ofLock: Parameters<typeof lockMachine.provide>[0] = {},
  ofClient: Parameters<typeof clientMachine.provide>[0] = {},
): typeof locks => ({
  ...locks,
  charts: {
    ...locks.charts,
    epochs: epochsMachine.provide(changes),
    lock: lockMachine.provide(ofLock),
    client: clientMachine.provide(ofClient),
  },
});

const forgettingAll = (report: PromiseReport): PromiseReport => ({ ...report, served: 0, pending: [], using: [] });
/** Rule 6, left out at the leader: if not all reach each other, it names nodes in the order of their names, and waits for none. */
export const namingByName = mutant({
  actions: {
    nameClique: assign({
      clique: ({ context: { reports, membership, promised } }) =>
        cliqueOf(reports.map(forgettingAll), membership, promised!.next),
    }) as never,
  },
  guards: {
    leavesOutUsersNewly: () => false,
    mustNameFewer: ({ context: { id, leader, reports, promised, membership } }) =>
      id === leader &&
      reports.length === promised!.members.length &&
      !isClique(reports) &&
      cliqueOf(reports.map(forgettingAll), membership, promised!.next) !== null,
  },
});

type States = Readonly<Record<string, { readonly states: States; readonly on?: Readonly<Record<string, unknown>> }>>;
/** Effects that wait for storage happen at once: a promise is sent, or an epoch served, that a crash makes forgotten. */
export function unsaved(state: 'following' | 'beginning'): typeof locks {
  const { config, implementations } = epochsMachine;
  const hasty = ({ on: { stored, ...on } = {}, ...saving }: any) => ({ ...saving, on, always: stored });
  const { [state]: changed, ...others } = config.states as unknown as States;
  const instead =
    state === 'beginning'
      ? hasty(changed)
      : { ...changed, states: { ...changed!.states, saving: hasty(changed!.states['saving']) } };
  const epochs = createMachine({ ...config, states: { ...others, [state]: instead } } as never, implementations as never);
  return { ...locks, charts: { ...locks.charts, epochs: epochs as never } };
}

/** Rule 9, changed: a list of voters is learned and announced as soon as enough nodes have promised it. */
export const notifiedBeforeStored: typeof locks = mutant({
  actions: {
    conclude: enqueueActions((args: Enqueuing) => {
      const served = beginningOf(args.context);
      args.enqueue.assign({ served });
      learn({ ...args, context: { ...args.context, served }, event: { type: 'stored', key: STANDING } });
    }) as never,
  },
});

/** Some voters start in another way than the common options define. */
export const starting = (inputs: Readonly<Record<NodeId, Partial<EpochsInput>>>, protocol = locks): typeof locks => ({
  ...protocol,
  roles: (id, instance) =>
    protocol
      .roles(id, instance)
      .map((start): RoleStart =>
        start.role === EPOCHS ? { ...start, input: { ...(start.input as object), ...inputs[id] } } : start,
      ),
});

export const remembering = (memories: Readonly<Record<NodeId, Memory>>, protocol = locks): typeof locks =>
  starting(Object.fromEntries(Object.entries(memories).map(([id, memory]) => [id, { memory }])), protocol);

/** Under the locks the nodes of an election are ordered by name. */
const alone = { ...createMetric({ nodes, links: [] }), rank: () => 0 };
const electionOf = (id: NodeId) => election.roles(id, { ...alone, options: election.options({ clock: 'logical' }, alone) })[0]!;

/**
 * Adds a command `forget`, for a node that was notified of the loss of all its links: a killed process did its last step before that.
 * `floor` is the number of its clock, from the number that it had promised.
 */
export function forgetful(
  floor: (promised: number) => number,
  protocol: Protocol<LocksProtocolOptions> = locks,
  memory: Memory = 'forgotten',
): Protocol<LocksProtocolOptions> {
  const chart = protocol.charts['epochs'] as typeof epochsMachine;
  const { config, implementations } = chart;
  const forgetAll = assign(({ context: { id, promised, membership } }: { context: EpochsContext }) => ({
    memory,
    floor: floor(promised?.epoch ?? 0),
    leader: id,
    promised: null,
    served: { epoch: 0, members: [], kept: [], membership },
    pending: [],
    above: 0,
    claims: [],
    clients: [],
    wants: [],
    records: [],
    locks: [],
    early: [],
    missed: null,
    cutOff: [],
    differing: [],
  }));
  const restart = enqueueActions(({ context, enqueue }) => {
    const { id, locks: open } = context as unknown as EpochsContext;
    const start = electionOf(id);
    enqueue({ type: 'close', params: { role: [start.role, ...open.map(lockRole)] } });
    enqueue({ type: 'open', params: start });
  });
  const isAlone = ({ context }: { context: EpochsContext }) => context.links.length === 0;
  const forgetting = { guard: 'isAlone', target: '.starting', actions: ['restart', 'forgetAll'] };
  const machine = { ...config, on: { ...(config.on as object), forget: forgetting } };
  const actions = { ...implementations.actions, forgetAll, restart };
  const epochs = createMachine(machine as never, { actions, guards: { ...implementations.guards, isAlone } } as never);
  return {
    ...protocol,
    charts: { ...protocol.charts, epochs },
    commands: { ...protocol.commands, forget: { event: () => ({ type: 'forget' }), waits: true, completedBy: [] } },
  };
}

/** One, two or three voters, and x, which is linked with all of them. */
export const among = (voters: readonly string[], linked: readonly string[] = voters): Topology => ({
  nodes: [...voters, 'x'],
  links: [
    ...voters.flatMap((u, i) => voters.slice(i + 1).map((v) => [u, v, 1] as [string, string, number])),
    ...linked.map((v) => [v, 'x', 1] as [string, string, number]),
  ],
});

/** A node stops, and every node that was linked with it is notified. */
export const stop = (node: string, peers: readonly string[]) => [
  { do: 'crash', node } as const,
  ...peers.map((peer) => ({ do: 'down', channel: [peer, node] }) as const),
];

/** Rule 11, left out: locks are not disowned. */
export const neverDisowned = mutant({ actions: { disown: assign(() => ({})) as never } });
