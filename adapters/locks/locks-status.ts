/** Describes the state of locks at a peer for monitoring: whether it takes part, and which locks it holds and waits for. */
import { auditTime, distinctUntilChanged, from, map, merge, startWith, switchMap, take, type Observable } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import type { ClientContext } from '../../machines/locks/client.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { isOfAllPresent, type MembershipChange } from '../../machines/locks/membership.js';
import { EPOCHS, type LockMode } from '../../machines/locks/messages.js';
import type { RoleView } from '../../machines/protocol.js';
import type { LiveNode } from '../node/node.js';
import type { LockQueue } from './lock-queue.js';

/** A change of members that is not decided yet, and the peer that requested it; `null` for a list that was already proposed. */
export interface PendingChange extends MembershipChange {
  readonly by: NodeId | null;
}

/**
 * The status of locks at a peer. `locks.status()` returns the present one, and `locks.status$` emits each change.
 *
 * @public
 */
export interface LocksStatus {
  /**
   * The state of the peer in the life of an epoch (docs/locks.md). A voter grants locks while it is `serving`. A client is `attached` to a
   * peer, through which its locks are granted, or is `seeking` one. `connecting`: before it participates. `closed`: after it has ended.
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
  /** The last epoch that this peer has served; 0 before the first one and after the end. */
  readonly epoch: number;
  /** The members of that epoch. The present voters are in `locks.members`. */
  readonly members: readonly NodeId[];
  /** Only at a client: the peer to which it is attached, or has sent an attachment; `null` if there is none. */
  readonly host?: NodeId | null;
  /**
   * The peer that proposes epochs, as far as this peer knows; `null` if it knows none, or is not a member. The leader does not hold any
   * lock by that.
   */
  readonly leader: NodeId | null;
  /**
   * Only while a change of members is pending: requested here, or promised here and not decided. It may still be decided after its caller
   * has stopped waiting.
   */
  readonly changing?: PendingChange;
  /** The other peers that are not connected with this one; all of them in state `connecting`. */
  readonly missing: readonly NodeId[];
  /** The locks that are held here, sorted by name. A lock with several readers is listed once. */
  readonly held: readonly { readonly name: string; readonly fence: number; readonly mode: LockMode }[];
  /** The locks that are waited for here, sorted by name, with the number of waiting callers. */
  readonly waiting: readonly { readonly name: string; readonly callers: number }[];
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

/** A copy of the status, which its receiver may change. */
export function statusOf(
  node: LiveNode,
  peers: readonly NodeId[],
  queues: ReadonlyMap<string, LockQueue>,
  isClosed: boolean,
): LocksStatus {
  const all = [...queues].map(([name, { fence, inside, pending }]) => ({
    name,
    fence,
    mode: inside[0],
    callers: pending.length,
  }));
  return {
    ...standingOf(node, peers, isClosed),
    held: all.flatMap(({ name, fence, mode }) => (fence === undefined || !mode ? [] : [{ name, fence, mode }])).sort(byName),
    waiting: all.flatMap(({ name, callers }) => (callers === 0 ? [] : [{ name, callers }])).sort(byName),
  };
}

/** The present status, followed by each change, at most once for each turn of the event loop. */
export const statusesOf = (
  notifications$: Observable<unknown>,
  nodes$: Observable<LiveNode>,
  status: () => LocksStatus,
): Observable<LocksStatus> =>
  nodes$.pipe(
    take(1),
    switchMap(({ environment: { clock } }) => {
      const steps$ = nodes$.pipe(switchMap((node) => merge(node.steps$, from(node.closed))));
      // Thousands of locks may change in one turn, and each status contains all of them.
      return merge(notifications$, steps$).pipe(auditTime(0, clock));
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
  const state = topStateOf(role) as Standing['state'];
  const isOutside = !isOfAllPresent(membership) && !membership.voters.includes(id);
  return {
    // A node that does not vote may prepare or follow without effect. Until it is added, it is in no epoch.
    state: isOutside && (state === 'preparing' || state === 'following') ? 'apart' : state,
    epoch: served.epoch,
    members: [...served.members],
    leader: isOutside ? null : leader,
    ...changeIn(role.context as Partial<EpochsContext>),
    ...('host' in role.context && { host: role.context.host as NodeId | null }),
    missing: membership.voters.filter((voter) => voter !== id && !links.includes(voter)),
  };
}

/** The pending change of members: the requested one, or the difference to a promised list that is not decided yet. */
export function changeIn({ wanted, promised, membership }: Partial<EpochsContext>): Pick<LocksStatus, 'changing'> {
  if (wanted) return { changing: { add: wanted.add, remove: wanted.remove, by: wanted.by } };
  if (!promised || !membership || promised.next.version <= membership.version) return {};
  const without = (voters: readonly NodeId[], others: readonly NodeId[]) =>
    voters.find((voter) => !others.includes(voter)) ?? null;
  const [before, after] = [membership.voters, promised.next.voters];
  return { changing: { add: without(after, before), remove: without(before, after), by: null } };
}

export const topStateOf = (role: RoleView | undefined): string | undefined =>
  typeof role?.value === 'object' ? Object.keys(role.value)[0] : role?.value;
