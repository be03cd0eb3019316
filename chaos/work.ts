/**
 * The work of a peer with the object of a round, until it may stop. Each grant is written down.
 *
 * Uses only the interface `WorkingPeer` of a process. Real processes (start-peer.ts) and the world of a rehearsal (in-world.fixture.ts)
 * both run it under the same rules, which shows how realistic the world is.
 */
import { createNames } from '../adapters/names.js';
import { createQuota } from '../adapters/quota.js';
import { setTimeout as pause } from 'node:timers/promises';
import { createCluster } from '../adapters/cluster/cluster.js';
import { createElection } from '../adapters/election.js';
import { ForgottenError, LostError, StorageError } from '../adapters/transports/errors.js';
import { createLocks, type Locks } from '../adapters/locks/locks.js';
import { UsageError } from '../machines/errors.js';
import { notedLogMachine, logWriter } from '../testing/cluster-log.js';
import type { MembershipChange } from '../machines/locks/membership.js';
import type { ChaosPeer } from './peer.js';
import type { RoundSubject } from './plan.js';

export const BUDGET = 2_000;
/** The maximum number of permits at each peer. */
export const SHARE = 20;

/** How long locks are used after all peers have been served: longer than the effects of faults. */
const CALM_MS = 1_800;
const SHORT_LOCKS = ['x', 'y'];
/** A lock that is held while other peers come and go. */
const LONG_LOCK = 'z';
const LONG_MS = { min: 50, max: 400 };

/** The interface of a process to its work. */
export type WorkingPeer = Pick<
  ChaosPeer,
  'peers' | 'transport' | 'storage' | 'phase' | 'left' | 'until' | 'changing' | 'watch' | 'note' | 'answered' | 'notify'
> & { readonly started: Pick<ChaosPeer['started'], 'role'> };

/** The objects of a peer, released when it is disposed; `done` resolves when the peer may stop. */
export interface ChaosWork {
  readonly object: AsyncDisposable;
  readonly done: Promise<unknown>;
}

function locksOf({ transport, storage, peers, started: { role } }: WorkingPeer): Locks {
  if (role === 'client') return createLocks({ transport, peers, client: true });
  return createLocks({ transport, storage, ...(role === 'joining' ? { join: true } : { peers }) });
}

/** A new member may not be connected yet. */
async function change(locks: Locks, { add, remove }: MembershipChange): Promise<unknown> {
  for (;;) {
    try {
      if (add === null) return await locks.removeMember(remove!);
      return await (remove === null ? locks.addMember(add) : locks.replaceMember(remove, add));
    } catch (error) {
      if (!(error instanceof UsageError) || !error.message.includes('is not connected')) throw error;
      await pause(50);
    }
  }
}

function locks(peer: WorkingPeer): ChaosWork {
  const all = peer.watch(locksOf(peer));
  peer.changing((wanted) => change(all, wanted));
  reportHosts(peer, all);
  let end = Infinity;
  void peer.until('settled').then(() => (end = performance.now() + CALM_MS));
  const isClient = peer.started.role === 'client';
  const short = async () => {
    for (let turn = 0; performance.now() < end; turn++) {
      const asked = peer.phase;
      const mode = turn % 3 === 0 || isClient ? 'exclusive' : 'shared';
      const held = await all.acquire(SHORT_LOCKS[turn % SHORT_LOCKS.length]!, { mode });
      peer.answered(asked);
      await pause(Math.random() * 4);
      held.release();
      await pause(Math.random() * 4);
    }
  };
  const long = async () => {
    while (performance.now() < end) {
      const held = await all.acquire(LONG_LOCK);
      await pause(LONG_MS.min + Math.random() * (LONG_MS.max - LONG_MS.min));
      held.release();
      await pause(Math.random() * LONG_MS.min);
    }
  };
  return { object: all, done: Promise.all([short(), long()]) };
}

function reportHosts(peer: WorkingPeer, { status$ }: Locks): void {
  let last: string | null | undefined;
  status$.subscribe(({ host }) => {
    if (host && host !== last) peer.note('hosted', { host });
    last = host;
  });
}

function leaders(peer: WorkingPeer): ChaosWork {
  const { transport, peers } = peer;
  const election = createElection({ transport, peers });
  election.addEventListener('change', () => peer.note('leader', { leader: election.leader }));
  const work = async () => {
    await peer.until('healed');
    await election.ready;
    peer.answered('healed');
    await peer.until('settled');
  };
  return { object: election, done: work() };
}

type AskingPeer = Pick<WorkingPeer, 'phase' | 'note' | 'answered' | 'notify'>;
type AskedLocks = { readonly node: Pick<Locks['node'], 'addEventListener'> };

function unlessLost(error: unknown): null {
  if (error instanceof LostError && error.isRetryable) return null;
  throw error;
}

/**
 * Requests until it may stop. If too many peers have lost their state, the request fails with that error and counts as served. If it is
 * unknown whether a transfer counts, the request fails, is not served, and is repeated, as docs/evidence/chaos.md describes.
 */
export async function askRepeatedly(peer: AskingPeer, all: AskedLocks, once: () => Promise<boolean>): Promise<void> {
  all.node.addEventListener('lock.lost', () => peer.note('interrupted'));
  try {
    for (let goesOn = true; goesOn;) {
      const asked = peer.phase;
      const answer = await once().catch(unlessLost);
      if (answer === null) continue;
      goesOn = answer;
      peer.answered(asked);
    }
  } catch (error) {
    if (!(error instanceof ForgottenError)) throw error;
    peer.note('forgotten');
    peer.notify('served');
  }
}

function quota(peer: WorkingPeer): ChaosWork {
  const all = locksOf(peer);
  const budget = createQuota({ locks: all, budget: BUDGET, waste: SHARE * peer.peers.length });
  const done = askRepeatedly(peer, all, async () => {
    const { ok } = await budget.take();
    if (ok) peer.note('took', { n: 1 });
    else peer.note('refused');
    // At the end, take all remaining permits.
    if (peer.phase !== 'settled') await pause(Math.random() * 10);
    return ok || peer.phase === 'faulty' || peer.phase === 'healed';
  });
  return { object: all, done };
}

function names(peer: WorkingPeer): ChaosWork {
  const all = locksOf(peer);
  const numbers = createNames({ locks: all });
  const done = askRepeatedly(peer, all, async () => {
    peer.note('named', { name: await numbers.next() });
    await pause(Math.random() * 4);
    return peer.phase !== 'settled';
  });
  return { object: all, done };
}

function actors(peer: WorkingPeer): ChaosWork {
  const { transport, storage, peers } = peer;
  const note: WorkingPeer['note'] = (what, fields) => peer.note(what, fields);
  const cluster = createCluster({ transport, peers, storage: storage!, machines: { log: notedLogMachine(note) } });
  const write = logWriter(cluster, note, crypto.randomUUID().slice(0, 8));
  const work = async () => {
    for (let goesOn = true; goesOn;) {
      const asked = peer.phase;
      await write();
      peer.answered(asked);
      await pause(Math.random() * 40);
      goesOn = asked !== 'settled';
    }
  };
  return { object: cluster, done: work() };
}

export const WORK: Readonly<Record<RoundSubject, (peer: WorkingPeer) => ChaosWork>> = {
  locks,
  leaders,
  members: locks,
  quota,
  clients: locks,
  names,
  actors,
};

/** Works until the peer may stop, then releases everything. True if the disk accepted all writes; other errors are thrown. */
export async function workUntilStopped(peer: WorkingPeer, { object, done }: ChaosWork): Promise<boolean> {
  const areNotified = Promise.race([peer.left, peer.until('ended')]);
  const finished = done.then(() => peer.notify('done'));
  let isStored = true;
  await Promise.race([finished, areNotified]).catch((error: unknown) => {
    if (!(error instanceof StorageError)) throw error;
    peer.note('unstored');
    isStored = false;
  });
  if (isStored) await areNotified;
  await object[Symbol.asyncDispose]();
  await peer.transport.close();
  return isStored;
}
