/** What a peer does with the object that a round is about, until it may go. Whoever is given something writes it down. */
import { setTimeout as pause } from 'node:timers/promises';
import { createElection } from '../adapters/election.js';
import { ForgottenError } from '../adapters/transports/errors.js';
import { createLastingNames } from '../adapters/locks/lasting-names.js';
import { createLastingQuota } from '../adapters/locks/lasting-quota.js';
import { createLocks, type Locks } from '../adapters/locks/locks.js';
import type { ChaosPeer } from './peer.js';
import { PEERS, type RoundSubject } from './plan.js';

export const BUDGET = 2_000;
/** So many of them may lie at each peer. */
export const SHARE = 20;

/** How long locks are used on after everybody has been served. */
const CALM_MS = 200;
const LOCKS = ['x', 'y'];

/** Resolves when the peer may go, with what it lets go of then. */
type Work = (peer: ChaosPeer) => Promise<AsyncDisposable>;

const locks: Work = async (peer) => {
  const { id, transport, storage } = peer;
  const all = createLocks({ transport, peers: PEERS, storage });
  all.node.notices$.subscribe(({ type }) => {
    if (type === 'apart') peer.write({ what: 'apart', peer: id });
  });
  const settled = peer.until('settled').then(() => performance.now());
  let end = Infinity;
  void settled.then((at) => (end = at + CALM_MS));
  for (let turn = 0; performance.now() < end; turn++) {
    const lock = LOCKS[turn % LOCKS.length]!;
    const asked = peer.phase;
    const held = await all.acquire(lock, { mode: turn % 3 === 0 ? 'exclusive' : 'shared' });
    const line = { peer: id, lock, fence: held.fence, mode: held.mode };
    peer.write({ what: 'granted', ...line });
    held.signal.addEventListener('abort', () => peer.write({ what: 'lost', ...line }));
    peer.answered(asked);
    await pause(Math.random() * 4);
    if (!held.signal.aborted) peer.write({ what: 'released', ...line });
    held.release();
    await pause(Math.random() * 4);
  }
  return all;
};

const leaders: Work = async (peer) => {
  const { id, transport } = peer;
  const election = createElection({ transport, peers: PEERS });
  election.addEventListener('change', () => peer.write({ what: 'follows', peer: id, leader: election.leader ?? 'nobody' }));
  await peer.until('healed');
  await election.ready;
  peer.answered('healed');
  await peer.until('settled');
  return election;
};

/** Asks again and again; when too many have begun anew to know what was given out, that is what it is told. */
async function ask(peer: ChaosPeer, all: Locks, once: () => Promise<boolean>): Promise<AsyncDisposable> {
  const { id } = peer;
  all.node.addEventListener('lock.lost', () => peer.write({ what: 'interrupted', peer: id }));
  try {
    for (let goesOn = true; goesOn;) {
      const asked = peer.phase;
      goesOn = await once();
      peer.answered(asked);
    }
  } catch (error) {
    if (!(error instanceof ForgottenError)) throw error;
    peer.write({ what: 'forgotten', peer: id });
    peer.tell('served');
  }
  return all;
}

const quota: Work = (peer) => {
  const { id, transport, storage } = peer;
  const all = createLocks({ transport, peers: PEERS, storage });
  const budget = createLastingQuota({ locks: all, budget: BUDGET, waste: SHARE * PEERS.length });
  return ask(peer, all, async () => {
    const { ok } = await budget.take();
    peer.write({ what: ok ? 'taken' : 'refused', peer: id });
    // In the end all that is left is taken.
    if (peer.phase !== 'settled') await pause(Math.random() * 10);
    return ok || peer.phase === 'faulty' || peer.phase === 'healed';
  });
};

const names: Work = (peer) => {
  const { id, transport, storage } = peer;
  const all = createLocks({ transport, peers: PEERS, storage });
  const numbers = createLastingNames({ locks: all });
  return ask(peer, all, async () => {
    peer.write({ what: 'named', peer: id, name: await numbers.next() });
    await pause(Math.random() * 4);
    return peer.phase !== 'settled';
  });
};

export const WORK: Readonly<Record<RoundSubject, Work>> = { locks, leaders, quota, names };
