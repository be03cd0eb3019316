/** Options of `createCluster`, with their checks. */
import { StateMachine, type AnyStateMachine, type InputFrom, type Snapshot } from 'xstate';
import { isIntegerOf, isObject } from '../../machines/checks.js';
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { requireInternals } from '../../network/world/internals.js';
import type { InEnvironment } from '../environment.js';
import {
  checkOptions,
  environment,
  flag,
  hasMethods,
  milliseconds,
  must,
  optional,
  peers,
  someText,
  storage,
  transport,
} from '../options.js';
import type { PeerStorage } from '../storage/storage.js';
import type { Linked, Transport } from '../transports/transport.js';
import type { Kind } from './versions.js';

/** Machines by kind. @public */
export type Machines = Readonly<Record<string, AnyStateMachine>>;

/**
 * A stored snapshot, as XState persists it.
 *
 * @public
 */
export interface StoredSnapshot {
  readonly status: Snapshot<unknown>['status'];
  /** The active states. */
  readonly value: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  /** The other fields, such as `children`. */
  readonly [field: string]: unknown;
}

/**
 * The version of a kind's machine, and the migration of older snapshots.
 *
 * @public
 */
export interface MachineVersion {
  /** Grows with every change that is incompatible with stored snapshots. @defaultValue 1 */
  readonly version: number;
  /**
   * Converts a stored snapshot of an older `version` to this version. Delayed transitions of the new states keep their deadlines as
   * docs/cluster.md describes.
   */
  readonly migrate?: (snapshot: StoredSnapshot, version: number) => unknown;
}

/**
 * Options for `createCluster`.
 *
 * @public
 */
export interface ClusterOptions<M extends Machines> extends InEnvironment {
  /** The transport. The cluster connects it, and its owner closes it. */
  readonly transport: Transport<Linked>;
  /** The members: they keep copies and host actors. All peers and clients pass the same list. */
  readonly peers: readonly NodeId[];
  /** The machines of the application, by kind. All peers and clients pass the same kinds. */
  readonly machines: M;
  /** The storage of this member's copies. Without it, copies are lost when more than half of the members have ended. @defaultValue none */
  readonly storage?: PeerStorage | undefined;
  /** True for a process that hosts no actors and keeps no copies: it sends and subscribes. @defaultValue false */
  readonly client?: boolean;
  /**
   * The placement of actors. Pass the same value at all members and clients.
   *
   * - `stay`: an actor is activated at the member that uses it first, and stays there.
   * - `sender`: it moves to another member that sends eight events in a row.
   * - `balance`: actors are distributed over the members by their ids.
   *
   * @defaultValue 'stay'
   */
  readonly placement?: 'stay' | 'sender' | 'balance';
  /** Versions of machines, by kind. @defaultValue 1 for each kind */
  readonly versions?: { readonly [K in keyof M]?: MachineVersion };
  /** The time in milliseconds after which an actor without work, subscribers and events is removed from memory. @defaultValue 60000 */
  readonly idleMs?: number;
  /** The name of the cluster. Only peers with the same name share actors. @defaultValue 'cluster' */
  readonly name?: string;
}

/**
 * Options for a reference to an actor.
 *
 * @public
 */
export interface ActorOptions<M extends AnyStateMachine> {
  /** The input of the machine, if this reference creates the actor. */
  readonly input?: InputFrom<M>;
  /** True to create the actor if it does not exist. @defaultValue true */
  readonly create?: boolean;
}

const isRecord = (value: unknown): boolean => isObject(value) && Object.keys(value).length > 0;
const isVersion = (value: unknown): boolean =>
  isObject(value) &&
  isIntegerOf(value['version'], 1) &&
  (value['migrate'] === undefined || hasMethods(value, 'migrate')) &&
  Object.keys(value).every((key) => key === 'version' || key === 'migrate');

const CHECKS = {
  transport,
  peers,
  machines: must('machines of XState by kind, as in { order: orderMachine }', isRecord),
  storage: optional(storage),
  client: optional(flag),
  placement: optional(
    must('"stay", "sender" or "balance"', (value) => ['stay', 'sender', 'balance'].some((known) => known === value)),
  ),
  versions: optional(must('versions by kind, as in { order: { version: 2, migrate } }', isObject)),
  idleMs: optional(milliseconds(1)),
  name: optional(someText),
  ...environment,
};

export function checkCluster(options: ClusterOptions<Machines>): void {
  requireInternals('createCluster');
  checkOptions('createCluster', options, CHECKS);
  const { transport, peers, client = false, storage, machines, versions = {} } = options;
  if (!client && !peers.includes(transport.id))
    throw new UsageError(
      `createCluster: peer "${transport.id}" is not among peers ${peers.join(', ')}. List it there, or pass client: true`,
    );
  if (client && peers.includes(transport.id))
    throw new UsageError(`createCluster: "${transport.id}" is among peers. Remove client: true, or use another id`);
  if (client && storage) throw new UsageError('createCluster: a client keeps no copies. Remove storage or client: true');
  for (const kind of [...Object.keys(machines), ...Object.keys(versions)]) {
    if (!Object.hasOwn(machines, kind))
      throw new UsageError(
        `createCluster: versions names "${kind}", which is not a kind of machines. Add the machine, or remove the version`,
      );
    if (!(machines[kind] instanceof StateMachine))
      throw new UsageError(`createCluster: machines.${kind} is not a machine. Pass the result of createMachine`);
    if (Object.hasOwn(versions, kind) && versions[kind] !== undefined && !isVersion(versions[kind]))
      throw new UsageError(
        `createCluster: versions.${kind} is not a version. Pass { version, migrate }: an integer from 1 on, and a function or nothing`,
      );
    if (!/^[^/]{1,100}$/.test(kind))
      throw new UsageError(`createCluster: machines has "${kind}". Use a kind of 1 to 100 characters without a slash`);
  }
}

export const kindsOf = ({
  machines,
  versions = {},
}: Pick<ClusterOptions<Machines>, 'machines' | 'versions'>): ReadonlyMap<string, Kind> =>
  new Map(
    Object.entries(machines).map(([name, machine]) => {
      const { version = 1, migrate } = versions[name] ?? {};
      return [name, { name, machine, version, migrate }];
    }),
  );

/** Limit of an id in characters: together with the kind it is the name of a lock. */
const ID_LENGTH_MAX = 128;

export function checkActor(kind: string, id: unknown, options: unknown, kinds: ReadonlyMap<string, Kind>): void {
  if (!kinds.has(kind)) throw new UsageError(`cluster.actor: unknown kind "${kind}". Use one of ${[...kinds.keys()].join(', ')}`);
  if (typeof id !== 'string' || id === '' || id.length > ID_LENGTH_MAX)
    throw new UsageError(`cluster.actor("${kind}", …) needs an id. Pass a string of 1 to ${ID_LENGTH_MAX} characters`);
  checkOptions(`cluster.actor("${kind}", "${id}")`, options, {
    input: optional(must('the input of the machine', () => true)),
    create: optional(flag),
  });
}
