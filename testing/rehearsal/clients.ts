/**
 * Rehearsal of locks with clients that are in no list: each has a new id, uses a lock a few times, and leaves or fails. They are served like
 * peers, and in the end the voters keep nothing of them.
 */
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { lockJudges, type RehearsalJudge } from '../../test/rehearsal/judges.js';
import { noLeaks } from '../../test/rehearsal/object-judges.js';
import type { RehearseOptions } from '../../test/rehearsal/options.js';
import type { Main, RehearsedPeer } from '../../test/rehearsal/peer.js';
import { FAULTS } from '../../test/rehearsal/scenario.js';
import type { RehearsalEvent } from '../../test/rehearsal/world.js';
import { below, HELD_MAX, servicesOf, sleep, wireOf, workWith, type Shipped } from './locks.js';

const CLIENTS = ['c0', 'c1', 'c2'];
/** A client that failed counts as gone after the patience of the link, and is forgotten after another one. */
const FORGOTTEN_MS = 9_000;

/** A voter uses locks itself, and notes the clients that it knows. */
async function vote(shipped: Shipped, peer: RehearsedPeer): Promise<void> {
  const { peers, knobs, note } = peer;
  const locks = peer.watch(shipped.createLocks({ transport: wireOf(shipped, peer), peers }));
  const work = workWith(locks, knobs);
  let noted = '';
  while (!locks.transport.isClosed) {
    const { clients = [] } = (locks.node.role('epochs')?.context ?? {}) as Partial<EpochsContext>;
    const linked = [...locks.transport.peers].filter((id) => !peers.includes(id));
    const known = [...new Set([...linked, ...clients.map(({ node }) => node)])].toSorted();
    if (known.join() !== noted) note('clients', { known });
    noted = known.join();
    await sleep(100);
  }
  await work;
}

/** A client with a new id, in each of the first lives of this process. */
async function visit(shipped: Shipped, peer: RehearsedPeer): Promise<void> {
  const { life, peers, knobs, note } = peer;
  if (life > knobs['visits']) return;
  const transport = wireOf(shipped, peer, {});
  const locks = peer.watch(shipped.createLocks({ transport, peers, client: true }));
  for (let asked = 0; asked < 3; asked++) {
    await sleep(1 + below(2 * knobs['think']));
    const signal = AbortSignal.timeout(1 + below(5_000));
    await locks.request('lock0', { signal }, () => sleep(below(knobs['hold']))).catch(orGivenUp);
  }
  await locks.close({ withinMs: 500 });
  note('left');
  process.exit(0);
}

function orGivenUp(error: Error): void {
  if (!/Lost|Timeout/.test(error.name)) throw error;
}

/** The voters keep nothing of the clients once the last of them has been away for a while. */
export const clientsForgotten = (): RehearsalJudge => ({
  name: 'clients forgotten',
  begin: ({ scenario: { clients } }) => {
    const known = new Map<string, RehearsalEvent>();
    let changedMs = 0;
    return {
      observe: (event) => {
        const { type, what, peer, at } = event;
        const isOfClient = clients.includes(peer!) && ['start', 'end', 'note', 'grant', 'ask'].includes(type);
        if (type === 'healed' || isOfClient) changedMs = at;
        if (type === 'end') known.delete(peer!);
        if (type === 'note' && what === 'clients') known.set(peer!, event);
        return null;
      },
      end: (now) => {
        if (changedMs + FORGOTTEN_MS > now) return null;
        const kept = [...known.values()].find((event) => (event['known'] as readonly string[]).length > 0);
        return kept ? `${kept.peer} still knows ${(kept['known'] as readonly string[]).join(', ')}` : null;
      },
    };
  },
});

export const clientsUnder = (
  shipped: Shipped,
  over: readonly string[] = ['hub', 'sealed'],
): { options: RehearseOptions; main: Main } => ({
  options: {
    peers: [3, 3, 5],
    services: servicesOf(shipped, over),
    clients: Object.fromEntries(CLIENTS.map((id) => [id, (peer: RehearsedPeer) => visit(shipped, peer)])),
    seconds: 30,
    limits: ['shipped', 'small'],
    judges: [...lockJudges(), clientsForgotten(), noLeaks(HELD_MAX)],
    ...(over.includes('nats') && { faults: FAULTS.filter((kind) => kind !== 'jump') }),
    knobs: { over, workers: [1], names: [1], think: [50, 500], hold: [1, 50, 400], requests: [0, 10], visits: [2, 5] },
  },
  main: (peer) => vote(shipped, peer),
});
