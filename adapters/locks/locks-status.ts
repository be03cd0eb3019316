/** What a peer knows of its locks at a moment: where it stands toward the others, and what is held and waited for here. */
import { auditTime, distinctUntilChanged, from, map, merge, startWith, switchMap, take, type Observable } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import type { ClientContext } from '../../machines/locks/client.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { isOfAllPresent } from '../../machines/locks/membership.js';
import { EPOCHS, type LockMode } from '../../machines/locks/messages.js';
import type { RoleView } from '../../machines/protocol.js';
import type { LiveNode } from '../node/node.js';
import type { LockQueue } from './lock-queue.js';

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
  /** With whom: at one that is a member no more, with whom it was last. Who votes `locks.members` tells. */
  readonly members: readonly NodeId[];
  /** Of a client alone: the peer through which its locks are granted, or that it has asked to; `null` while there is none. */
  readonly host?: NodeId | null;
  /** Who proposes epochs, as far as this peer knows; `null` for nobody, as at one that is not a member. A leader is not a lock. */
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

/** The status now, and then when it has changed, at most once a turn of the event loop. */
export const statusesOf = (
  notifications$: Observable<unknown>,
  nodes$: Observable<LiveNode>,
  status: () => LocksStatus,
): Observable<LocksStatus> =>
  nodes$.pipe(
    take(1),
    switchMap(({ environment: { clock } }) => {
      const steps$ = nodes$.pipe(switchMap((node) => merge(node.steps$, from(node.closed))));
      // Thousands of locks may change in one turn, and each status tells of all of them.
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
    // Who does not vote may propose, in vain, or be overruled: until it is added it is in no epoch still.
    state: isOutside && (state === 'preparing' || state === 'following') ? 'apart' : state,
    epoch: served.epoch,
    members: [...served.members],
    leader: isOutside ? null : leader,
    ...('host' in role.context && { host: role.context.host as NodeId | null }),
    missing: membership.voters.filter((voter) => voter !== id && !links.includes(voter)),
  };
}

export const topStateOf = (role: RoleView | undefined): string | undefined =>
  typeof role?.value === 'object' ? Object.keys(role.value as object)[0] : (role?.value as string | undefined);
