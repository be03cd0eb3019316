/** What `createCluster` is given, and what is refused of it. */
import { StateMachine, type AnyStateMachine, type InputFrom } from 'xstate';
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
 * The version of a kind's machine, and how an older snapshot becomes one of it.
 *
 * @public
 */
export interface MachineVersion {
  /** Grows with every change that stored snapshots do not fit. @defaultValue 1 */
  readonly version: number;
  /** Makes a snapshot of this version from a stored one of an older `version`. */
  readonly migrate?: (snapshot: any, version: number) => unknown;
}

/**
 * What `createCluster` is given.
 *
 * @public
 */
export interface ClusterOptions<M extends Machines> extends InEnvironment {
  /** Connected by the cluster, closed by its owner. */
  readonly transport: Transport<Linked>;
  /** The members: they keep copies and host actors. All peers and clients give the same list. */
  readonly peers: readonly NodeId[];
  /** The machines of the application, by kind. All peers and clients give the same kinds. */
  readonly machines: M;
  /** Where this member keeps its copies when its process ends. Without it they are lost when more than half of the members have ended. */
  readonly storage?: PeerStorage | undefined;
  /** This process hosts nothing and keeps no copies: it sends and subscribes. @defaultValue false */
  readonly client?: boolean;
  /**
   * `stay`: an actor is activated at the member that uses it first, and stays there. `sender`: it moves to another member that sends eight
   * events in a row. `balance`: actors are spread over the members by their ids. The same for all members and clients. @defaultValue 'stay'
   */
  readonly placement?: 'stay' | 'sender' | 'balance';
  /** Versions of machines, by kind. */
  readonly versions?: { readonly [K in keyof M]?: MachineVersion };
  /** An actor without work, subscribers and events for so long is removed from memory, in milliseconds. @defaultValue 60000 */
  readonly idleMs?: number;
  /** Only peers of the same name share actors. @defaultValue 'cluster' */
  readonly name?: string;
}

/**
 * How a reference to an actor is made.
 *
 * @public
 */
export interface ActorOptions<M extends AnyStateMachine> {
  /** The input of the machine, if this reference creates the actor. */
  readonly input?: InputFrom<M>;
  /** Whether the actor is created if it does not exist. @defaultValue true */
  readonly create?: boolean;
}

const isMachines = (value: unknown): boolean =>
  isObject(value) && Object.values(value).length > 0 && Object.values(value).every((one) => one instanceof StateMachine);
const isVersion = (value: unknown): boolean =>
  isObject(value) && isIntegerOf(value['version'], 1) && (value['migrate'] === undefined || hasMethods(value, 'migrate'));

const CHECKS = {
  transport,
  peers,
  machines: must('machines of XState by kind, as in { order: orderMachine }', isMachines),
  storage: optional(storage),
  client: optional(flag),
  placement: optional(must('"stay", "sender" or "balance"', (value) => ['stay', 'sender', 'balance'].includes(value as string))),
  versions: optional(
    must(
      'versions by kind, as in { order: { version: 2, migrate } }',
      (value) => isObject(value) && Object.values(value).every(isVersion),
    ),
  ),
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
      `createCluster: peer "${transport.id}" is not among peers ${peers.join(', ')}; list it there, or give client: true`,
    );
  if (client && peers.includes(transport.id))
    throw new UsageError(`createCluster: "${transport.id}" is among peers; leave client: true out, or give it another id`);
  if (client && storage) throw new UsageError('createCluster: a client keeps no copies; leave storage out beside client: true');
  for (const kind of [...Object.keys(machines), ...Object.keys(versions)]) {
    if (!(kind in machines)) throw new UsageError(`createCluster: versions names "${kind}", which is not among machines`);
    if (!/^[^/]{1,100}$/.test(kind))
      throw new UsageError(`createCluster: machines has "${kind}"; give a kind 1 to 100 characters, and no slash`);
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

/** Characters of an id: together with the kind it is the name of a lock. */
const ID_LENGTH_MAX = 128;

export function checkActor(kind: string, id: unknown, options: unknown, kinds: ReadonlyMap<string, Kind>): void {
  if (!kinds.has(kind))
    throw new UsageError(`cluster.actor: unknown kind "${kind}"; machines has ${[...kinds.keys()].join(', ')}`);
  if (typeof id !== 'string' || id === '' || id.length > ID_LENGTH_MAX)
    throw new UsageError(`cluster.actor("${kind}", …) needs an id of 1 to ${ID_LENGTH_MAX} characters`);
  checkOptions(`cluster.actor("${kind}", "${id}")`, options, {
    input: optional(must('the input of the machine', () => true)),
    create: optional(flag),
  });
}
