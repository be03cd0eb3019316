/**
 * Rehearsal of cluster actors: every peer, and a client where there is a hub or a broker, sends to two actors and watches them. A peer whose disk or cluster fails ends, and is started
 * again.
 */
import { diskStorage } from '../../test/rehearsal/disk-storage.js';
import { noErrors } from '../../test/rehearsal/judges.js';
import type { RehearseOptions } from '../../test/rehearsal/options.js';
import type { Main, RehearsedPeer } from '../../test/rehearsal/peer.js';
import { FAULTS, type FaultKind } from '../../test/rehearsal/scenario.js';
import { logWriter, notedLogMachine, oneLogHistory } from '../cluster-log.js';
import { below, servicesOf, sleep, wireOf, type Shipped } from './locks.js';

/** The function for cluster actors in addition to those of locks. */
export interface ShippedCluster extends Shipped {
  readonly createCluster: typeof import('../../adapters/cluster/cluster.js').createCluster;
}

/** Faults after which the processes still have their memory: without storage, only these keep acknowledged events. */
const HARMLESS: readonly FaultKind[] = ['pause', 'cut', 'mute', 'deaf', 'part', 'oneway', 'split', 'slow', 'reset'];

const CLIENT = 'client';

async function work(shipped: ShippedCluster, peer: RehearsedPeer): Promise<void> {
  const { id, life, peers, knobs, disk, note } = peer;
  const isClient = id === CLIENT;
  const cluster = shipped.createCluster({
    // No list contains the client.
    transport: shipped.linked(wireOf(shipped, peer), { peers, open: !isClient, client: isClient }),
    peers,
    machines: { log: notedLogMachine(note) },
    placement: knobs['placement'],
    client: isClient,
    ...(knobs['stored'] && !isClient ? { storage: diskStorage(disk) } : {}),
  });
  const write = logWriter(cluster, note, `${id}.${life}`);
  for (;;) {
    await sleep(20 + below(knobs['think']));
    try {
      await write();
    } catch (error) {
      const { name, reason } = error as { readonly name: string; readonly reason?: string };
      // No copy is lost: with storage, and under faults that end no process.
      if (reason === 'forgotten') throw error;
      if (name !== 'ActorError') process.exit(1);
    }
  }
}

export const actorsUnder = (
  shipped: ShippedCluster,
  over: readonly string[] = ['hub', 'sealed'],
): { options: RehearseOptions; main: Main } => ({
  options: {
    peers: [3, 3, 5],
    services: servicesOf(shipped, over),
    ...(!over.includes('mesh') && { clients: { [CLIENT]: (peer: RehearsedPeer) => work(shipped, peer) } }),
    seconds: 12,
    judges: [oneLogHistory(), noErrors()],
    ...(over.includes('nats') && { faults: FAULTS.filter((kind) => kind !== 'jump') }),
    knobs: { over, placement: ['stay', 'sender', 'balance'], think: [50, 200, 1_000], stored: [true] },
  },
  main: (peer) => work(shipped, peer),
});

/** Without storage, under faults that end no process. */
export function unstoredActorsUnder(shipped: ShippedCluster, over?: readonly string[]): { options: RehearseOptions; main: Main } {
  const { options, main } = actorsUnder(shipped, over);
  return { options: { ...options, faults: HARMLESS, knobs: { ...options.knobs, stored: [false] } }, main };
}
