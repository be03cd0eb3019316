/** The part of the cluster protocol that an application loads: roles of a member or client, routes of messages, and commands. */
import { integer, isIntegerOf, isObject, oneOf, refuseUnknown, TICKS_MAX } from '../checks.js';
import { coreOf } from '../core.js';
import { UsageError } from '../errors.js';
import type { CoreDescription, Instance, OutsideEvent, RoleStart } from '../protocol.js';
import { isAnything, isBoolean, isCount, isNode, isText, listOf, nullOr, recordOf, type ShapesOf } from '../shapes.js';
import { STORAGE, storageMachine, type Stored } from '../storage.js';
import type { NodeId } from '../effects.js';
import { hostMachine } from './host.js';
import type { HostInput } from './hosting.js';
import { HOST, REPLICA, SENDER, type ClusterMessage } from './messages.js';
import { KEPT, replicaMachine, type ReplicaState } from './replica.js';
import { senderMachine, type SenderInput } from './sender.js';

export interface ClusterProtocolOptions {
  /** Members, in the order of the topology; all others are clients, which host nothing. */
  readonly members: readonly NodeId[];
  /** Nodes that keep copies: the members, or one node that represents a shared storage. */
  readonly replicas: readonly NodeId[];
  readonly policy: HostInput['policy'];
  /** Ticks until an unanswered message is repeated. */
  readonly retry: number;
  readonly sendersMax: number;
  /** Ticks that a write to the storage takes; null for members without storage. */
  readonly storage: number | null;
  /** The limit of a restarted member's memory without storage: it may have forgotten everything below this fence. */
  readonly since: number;
}

const KEYS = ['clients', 'replicas', 'policy', 'retry', 'sendersMax', 'storage', 'since'] as const;

function clusterOptions(
  raw: Readonly<Record<string, unknown>>,
  { topology: { nodes } }: { readonly topology: { readonly nodes: readonly NodeId[] } },
): ClusterProtocolOptions {
  refuseUnknown(raw, KEYS);
  const { clients = [], replicas, storage = null } = raw;
  if (!Array.isArray(clients) || clients.length >= nodes.length || clients.some((client) => !nodes.includes(client)))
    throw new UsageError('options.clients must list nodes of the topology, and leave at least one member');
  if (replicas !== undefined && !isListOf(replicas, nodes))
    throw new UsageError('options.replicas must list at least one node of the topology');
  if (storage !== null && !isIntegerOf(storage, 0, TICKS_MAX))
    throw new UsageError('options.storage must be null for no storage, or the number of ticks that a write takes');
  const members = nodes.filter((node) => !clients.includes(node));
  return {
    members,
    replicas: (replicas as readonly NodeId[] | undefined) ?? members,
    policy: oneOf(raw, 'policy', ['stay', 'sender', 'balance'], 'stay'),
    retry: integer(raw, 'retry', { min: 1, max: TICKS_MAX, fallback: 100 }),
    sendersMax: integer(raw, 'sendersMax', { min: 1, fallback: 1_000 }),
    storage,
    since: integer(raw, 'since', { min: 0, fallback: 0 }),
  };
}

const isListOf = (value: unknown, nodes: readonly NodeId[]): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((node) => nodes.includes(node));

/**
 * The roles of one peer for one actor, with its own session. The candidates begin with the peer itself, if it can host the actor. With
 * policy `balance`, all peers ask the members in the `preferred` order of the actor. A member that is not fit has no machine for the actor:
 * it keeps a copy, and does not host.
 */
export function actorRoles(
  id: NodeId,
  { members, replicas, policy, retry, sendersMax }: ClusterProtocolOptions,
  session: string,
  replica: ReplicaState,
  preferred = members,
  isFit = true,
): readonly RoleStart[] {
  const isMember = isFit && members.includes(id);
  const isOwnFirst = isMember && policy !== 'balance';
  const candidates = isOwnFirst ? [id, ...preferred.filter((member) => member !== id)] : preferred;
  const sender: SenderInput = { session, candidates, retry, isMember };
  const host: HostInput = { id, members, replicas, policy, retry, sendersMax };
  return [
    // The replica reports to the host whether the actor has work.
    ...(isMember ? [{ role: HOST, chart: HOST, input: host }] : []),
    ...(replicas.includes(id) ? [{ role: REPLICA, chart: REPLICA, input: { ...replica, isMember } }] : []),
    { role: SENDER, chart: SENDER, input: sender },
  ];
}

const EMPTY: ReplicaState = { promised: 0, copy: null, since: 0, genesis: 0 };

/** The replica of a restarted node: its stored state, or, without storage, one that has forgotten. */
const replicaAfter = (stored: Stored, { storage, since }: ClusterProtocolOptions): ReplicaState =>
  storage === null
    ? { promised: since, copy: null, since, genesis: 0 }
    : { ...EMPTY, ...(stored[KEPT] as Pick<ReplicaState, 'promised' | 'copy'> | undefined) };

const toReplica: readonly string[] = ['read', 'write', 'genesis'];
const toSender: readonly string[] = [
  'hosted',
  'acked',
  'refused',
  'unfit',
  'gone',
  'committed',
  'link.up',
  'link.down',
  'create',
  'send',
  'subscribe',
  'unsubscribe',
];

const isJson = (value: unknown): boolean => value !== undefined;
const failures = listOf(recordOf({ number: isCount, error: isJson }));
const seen = recordOf({ sender: isText(200), number: isCount, failures });
const copy = recordOf({
  fence: isCount,
  seq: isCount,
  state: isJson,
  isAwake: isBoolean,
  seen: listOf(seen),
  hasForgotten: isBoolean,
});
const creation = recordOf({ isAllowed: isBoolean, input: isAnything });

/** The description without the options of a scenario. */
const clusterDescription: CoreDescription<ClusterProtocolOptions> = {
  name: 'cluster',
  charts: { [HOST]: hostMachine, [REPLICA]: replicaMachine, [SENDER]: senderMachine, [STORAGE]: storageMachine },
  network: { reach: 'links', order: 'unordered', isLossy: true, isOpen: true },
  options: clusterOptions,
  roles: (id, { options }: Instance<ClusterProtocolOptions>) => [
    ...(options.storage === null || !options.replicas.includes(id)
      ? []
      : [{ role: STORAGE, chart: STORAGE, input: { stored: {}, delay: options.storage } }]),
    ...actorRoles(id, options, id, EMPTY),
  ],
  reload: (id, { options }: Instance<ClusterProtocolOptions>, stored) =>
    actorRoles(id, options, `${id}'`, replicaAfter(stored, options)),
  route: ({ type }: OutsideEvent) => (toReplica.includes(type) ? REPLICA : toSender.includes(type) ? SENDER : HOST),
  messages: {
    read: { fence: isCount },
    copy: { fence: isCount, copy: nullOr(copy), since: isCount, genesis: isCount },
    write: { copy },
    kept: { fence: isCount, seq: isCount },
    late: { fence: isCount },
    want: { creation, tried: isCount },
    find: {},
    gone: {},
    hosted: { host: isNode, fence: isCount },
    events: {
      sender: isText(200),
      base: isCount,
      isRepeated: isBoolean,
      events: listOf(recordOf({ number: isCount, event: isJson })),
    },
    acked: { fence: isCount, seq: isCount, settlements: listOf(recordOf({ sender: isText(200), upTo: isCount, failures })) },
    watch: {},
    unwatch: {},
    committed: { fence: isCount, seq: isCount, state: isJson, emitted: isAnything },
    refused: { error: isObject },
    unfit: {},
    come: {},
  } satisfies ShapesOf<ClusterMessage>,
  commands: {
    create: { event: ({ input = null }) => ({ type: 'create', creation: { isAllowed: true, input } }) },
    send: {
      fields: [{ name: 'event', type: 'integer' }],
      event: ({ event }) => ({ type: 'send', events: [event] }),
      completedBy: ['settled', 'failed'],
    },
    subscribe: {},
    unsubscribe: {},
    /** The lock was granted to this member, or lost. */
    granted: { fields: [{ name: 'fence', type: 'integer', min: 1 }] },
    lost: {},
    /** The actor has changed without an event, or has work and no host. */
    changed: {},
    wake: {},
    passivate: {},
    handOver: { fields: [{ name: 'to', type: 'node' }] },
  },
};

/** A cluster actor without its checks and view, for applications. */
export const clusterCore = /* @__PURE__ */ coreOf<ClusterProtocolOptions>(clusterDescription);
