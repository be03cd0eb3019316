/** What a peer does with the object that a round is about, until it may go. Whoever is given something writes it down. */
import { setTimeout as pause } from 'node:timers/promises';
import { createElection } from '../adapters/election.js';
import { ConnectionError } from '../adapters/errors.js';
import { createLocks } from '../adapters/locks.js';
import { createNames } from '../adapters/names.js';
import type { LiveNode } from '../adapters/node.js';
import { createQuota } from '../adapters/quota.js';
import type { Peer } from './peer.js';
import { PEERS, type Subject } from './plan.js';

export const BUDGET = 2_000;

/** How long locks are used on after everybody has been served. */
const CALM_MS = 200;
const LOCKS = ['x', 'y'];

/** Resolves when the peer may go, with what it lets go of then. */
type Work = (peer: Peer) => Promise<AsyncDisposable>;

const locks: Work = async (peer) => {
  const { id, transport } = peer;
  const all = createLocks({ transport, peers: PEERS });
  all.node.notices$.subscribe(({ type }) => {
    if (type === 'apart') peer.write({ what: 'apart', peer: id });
  });
  const settled = peer.until('settled').then(() => performance.now());
  let end = Infinity;
  void settled.then((at) => (end = at + CALM_MS));
  for (let turn = 0; performance.now() < end; turn++) {
    const lock = LOCKS[turn % LOCKS.length]!;
    const asked = peer.phase;
    const held = await all.acquire(lock);
    const line = { peer: id, lock, fence: held.fence };
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

/**
 * Asks again and again. Who is cut off from the root of the tree is told so and takes part no more; nor does a process that was started
 * again, since it knows nothing of what it has given out.
 */
async function ask<O extends AsyncDisposable & { readonly node: LiveNode }>(
  peer: Peer,
  create: () => O,
  once: (object: O) => Promise<boolean>,
): Promise<AsyncDisposable> {
  let permits = 0;
  const leave = () => {
    peer.write({ what: 'severed', peer: peer.id, permits });
    peer.tell('served');
  };
  if (peer.isAgain) {
    leave();
    return { [Symbol.asyncDispose]: async () => {} };
  }
  const object = create();
  object.node.addEventListener('severed', (event) => (permits = (event as CustomEvent<{ permits: number }>).detail.permits));
  try {
    for (let goesOn = true; goesOn;) {
      const asked = peer.phase;
      goesOn = await once(object);
      peer.answered(asked);
    }
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    leave();
  }
  return object;
}

/** In the bins of a peer that is not the root. */
function atHand(node: LiveNode): number {
  if (node.id === PEERS[0]) return 0;
  return ['R.request', 'R.delivery'].reduce((sum, role) => sum + (node.role(role)?.context.permits ?? 0), 0);
}

const quota: Work = (peer) =>
  ask(
    peer,
    () => createQuota({ transport: peer.transport, peers: PEERS, budget: BUDGET }),
    async (budget) => {
      const { ok } = await budget.take();
      peer.write(ok ? { what: 'taken', peer: peer.id, atHand: atHand(budget.node) } : { what: 'refused', peer: peer.id });
      // In the end all that is left is taken.
      if (peer.phase !== 'settled') await pause(Math.random() * 10);
      return ok || peer.phase === 'faulty' || peer.phase === 'healed';
    },
  );

const names: Work = (peer) =>
  ask(
    peer,
    () => createNames({ transport: peer.transport, peers: PEERS }),
    async (all) => {
      peer.write({ what: 'named', peer: peer.id, name: await all.next() });
      await pause(Math.random() * 4);
      return peer.phase !== 'settled';
    },
  );

export const WORK: Readonly<Record<Subject, Work>> = { locks, leaders, quota, names };
