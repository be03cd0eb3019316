/** What a peer knows of its locks at a moment: where it stands towards the others, and what is held and waited for here. */
import {
  auditTime,
  distinctUntilChanged,
  from,
  map,
  merge,
  startWith,
  Subscription,
  switchMap,
  take,
  type Observable,
} from 'rxjs';
import type { Message, NodeId } from '../../machines/effects.js';
import { isMajority } from '../../machines/locks/epoch.js';
import { isOfAllPresent } from '../../machines/locks/membership.js';
import type { ClientContext } from '../../machines/locks/client.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { EPOCHS, type LockMode } from '../../machines/locks/messages.js';
import type { RoleView } from '../../machines/protocol.js';
import type { LiveNode } from '../node/node.js';
import { ClosedError } from '../transports/errors.js';
import { later } from '../transports/later.js';
import { escape } from '../transports/reading.js';
import type { LockDesk } from './lock-desk.js';

/**
 * What a peer knows of its locks at a moment: `locks.status()` says it, `locks.status$` whenever it has changed.
 *
 * @public
 */
export interface LocksStatus {
  /**
   * Where the peer is in the life of an epoch, as docs/locks.md tells it: locks are granted here while it is `serving`; of a client,
   * whether it is `attached` to a peer, through which its locks are granted, or is `seeking` one. `connecting` before it takes part, `closed`
   * after.
   */
  readonly state:
    | 'connecting'
    | 'apart'
    | 'preparing'
    | 'following'
    | 'beginning'
    | 'serving'
    | 'attached'
    | 'seeking'
    | 'closed';
  /** The last epoch that this peer has served, 0 before the first and after the end. */
  readonly epoch: number;
  /** With whom. */
  readonly members: readonly NodeId[];
  /** Of a client alone: the peer through which its locks are granted, or that it has asked to; `null` while there is none. */
  readonly host?: NodeId | null;
  /** Who proposes epochs, as far as this peer knows; `null` for nobody. A leader is no lock. */
  readonly leader: NodeId | null;
  /** The other peers that this one does not reach; while it is `connecting` all of them. */
  readonly missing: readonly NodeId[];
  /** The locks that are held here, by name: each once, however many read. */
  readonly held: readonly { readonly name: string; readonly fence: number; readonly mode: LockMode }[];
  /** The locks that are waited for here, by name, and by how many callers. */
  readonly waiting: readonly { readonly name: string; readonly callers: number }[];
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

/** A copy: whoever is given it may do with it what they like. */
export function statusOf(
  node: LiveNode,
  peers: readonly NodeId[],
  desks: ReadonlyMap<string, LockDesk>,
  isClosed: boolean,
): LocksStatus {
  const all = [...desks].map(([name, { fence, inside, pending }]) => ({ name, fence, mode: inside[0], callers: pending.length }));
  return {
    ...standingOf(node, peers, isClosed),
    held: all.flatMap(({ name, fence, mode }) => (fence === undefined || !mode ? [] : [{ name, fence, mode }])).sort(byName),
    waiting: all.flatMap(({ name, callers }) => (callers === 0 ? [] : [{ name, callers }])).sort(byName),
  };
}

/** The status now, and then when it has changed, at most once a turn of the event loop. */
export const statusesOf = (
  notices$: Observable<unknown>,
  nodes$: Observable<LiveNode>,
  status: () => LocksStatus,
): Observable<LocksStatus> =>
  nodes$.pipe(
    take(1),
    switchMap(({ environment: { clock } }) => {
      const steps$ = nodes$.pipe(switchMap((node) => merge(node.steps$, from(node.closed))));
      // Thousands of locks may change in one turn, and each status tells of all of them.
      return merge(notices$, steps$).pipe(auditTime(0, clock));
    }),
    startWith(null),
    map(status),
    distinctUntilChanged(
      (a, b) => a === b,
      (now) => JSON.stringify(now),
    ),
  );

type Standing = Omit<LocksStatus, 'held' | 'waiting'>;

function standingOf(node: LiveNode, peers: readonly NodeId[], isClosed: boolean): Standing {
  const role = node.role(EPOCHS);
  const none = { epoch: 0, members: [], leader: null };
  if (!role && isClosed) return { state: 'closed', ...none, missing: [] };
  if (!role) return { state: 'connecting', ...none, missing: peers.filter((peer) => peer !== node.id) };
  const { id, served, leader = null, membership, links } = role.context as Partial<EpochsContext> & ClientContext;
  return {
    state: stateOf(role) as Standing['state'],
    epoch: served.epoch,
    members: [...served.members],
    leader,
    ...('host' in role.context && { host: role.context.host as NodeId | null }),
    missing: membership.voters.filter((voter) => voter !== id && !links.includes(voter)),
  };
}

const stateOf = (role: RoleView | undefined): string | undefined =>
  typeof role?.value === 'object' ? Object.keys(role.value as object)[0] : (role?.value as string | undefined);

/** Longer than a start, a failure and its detection take. */
const UNSERVED_MS = 10_000;

/** Warns, and tells the node's listeners, when nobody has been served here for so long: once, until somebody is served again. */
export function warnWhenUnserved(node: LiveNode, status: () => LocksStatus): void {
  const { id, name } = node;
  let timer = new Subscription();
  let isServed = true;
  const warn = () => {
    const now = status();
    const seconds = UNSERVED_MS / 1000;
    console.warn(escape(`"${name}" of peer "${id}" has granted nothing for ${seconds} s: ${whyUnserved(node, now)}`));
    node.notify({ type: 'unserved', ms: UNSERVED_MS, missing: now.missing } as Message);
  };
  const look = () => {
    if (isServed === ['serving', 'attached'].includes(stateOf(node.role(EPOCHS)) ?? '')) return;
    isServed = !isServed;
    timer.unsubscribe();
    timer = new Subscription();
    if (!isServed) later(timer, node.environment.clock, warn, UNSERVED_MS);
  };
  node.steps$.subscribe({ next: look, complete: () => timer.unsubscribe() });
  look();
}

/** An error ends the locks, and nobody waits here who would hear of it. Who closes them, or the transport, knows. */
export function warnOfEnd({ id, name }: LiveNode, error: Error): void {
  if (error instanceof ClosedError) return;
  console.warn(
    escape(
      `"${name}" of peer "${id}" has ended: ${error.message}; every request rejects with this ${error.name}, and so ` +
        'does locks.ready before it has served; docs/locks.md, "When the locks of a peer end"',
    ),
  );
}

/** Nobody hears a peer that is not in their lists. */
const joining = (id: NodeId): string =>
  `; where they serve and were not given "${id}" in their peers, name it in the peers of their linked, start it with join: true and call addMember("${id}") on one of them`;

/** Who is missing, and what would help. */
function whyUnserved(node: LiveNode, { missing }: LocksStatus): string {
  const role = node.role(EPOCHS);
  if (!role) return 'its transport is not connected';
  const context = role.context as EpochsContext;
  const { memory, membership, served } = context;
  const { voters } = membership;
  if ('host' in role.context)
    return `it is a client, and none of ${voters.join(', ')} takes it; it reaches ${voters.filter((voter) => !missing.includes(voter)).join(', ') || 'none of them'}`;
  const differing = context.differing.filter(({ hasGivenWay }) => !hasGivenWay).map(({ node }) => `"${node}"`);
  if (differing.length > 0)
    return `${differing.join(', ')} was given another list of peers than ${voters.join(', ')}; start it again with this list, or this peer with its list`;
  if (isOfAllPresent(membership)) return 'a tab that is there does not answer; close it, or stop debugging it';
  if (!voters.includes(node.id)) {
    const members = voters.length === 0 ? 'a member' : `one of ${voters.join(', ')}`;
    return `it is no member; call addMember("${node.id}") on ${members}, where it is named in the peers of linked`;
  }
  const isStranger = served.epoch === 0 && missing.length === voters.length - 1;
  const without = missing.length === 0 ? 'it reaches everybody' : `it does not reach ${missing.join(', ')}`;
  if (!isMajority(voters.length - missing.length, voters))
    return `${without}, and more than half of the peers must be there${isStranger ? joining(node.id) : ''}`;
  const later = undecided(context);
  if (later) return `${without}; ${later}`;
  if (memory !== 'forgotten' || missing.length === 0) return `${without}; locks.status() of all peers tells more`;
  return (
    `${without}, and peers without storage begin once all are there, or locks.bootstrap() was called on one of a cluster that is new; ` +
    `if ${missing.join(', ')} was removed since, nobody here remembers it: stop all peers, and start them with the peers of now`
  );
}

/** A list of voters that another one has proposed, and whom of it this peer does not reach. */
function undecided({ id, promised, pending, membership, links }: EpochsContext): string | undefined {
  const ballots = [...pending, ...(promised ? [promised] : [])];
  const later = ballots.findLast(({ proposer, next }) => proposer !== id && next.version > membership.version)?.next;
  const absent = later?.voters.filter((voter) => voter !== id && !links.includes(voter)) ?? [];
  if (!later || absent.length === 0) return undefined;
  return (
    `the members were being changed to ${later.voters.join(', ')}, which may be decided, and of these it does not reach ` +
    `${absent.join(', ')}; start them: more than half of these must remember what they promised, or all be there`
  );
}
