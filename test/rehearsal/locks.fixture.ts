/** Locks as they ship, with a few workers at every peer: over a hub, or over a mesh. */
import { createLocks } from '../../adapters/locks/locks.js';
import { linked } from '../../adapters/linked.js';
import { sealed } from '../../adapters/transports/sealed.js';
import { webSocket } from '../../adapters/transports/web-socket.js';
import { webSocketHub } from '../../adapters/transports/web-socket-hub.js';
import { webSocketMesh } from '../../adapters/transports/web-socket-mesh.js';
import type { Main, Peer } from './peer.js';
import type { RehearseOptions } from './rehearse.js';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const below = (bound: number) => Math.floor(Math.random() * bound);

export const hub: Main = ({ listen, WebSocketServer }) => webSocketHub({ server: listen(), WebSocketServer });

function wireOf({ id, peers, listen, knobs, WebSocket, WebSocketServer }: Peer) {
  if (knobs['over'] === 'mesh')
    return webSocketMesh({
      id,
      listen: { server: listen(), WebSocketServer },
      peers: peers.map((peer) => `ws://${peer}`),
      WebSocket,
    });
  const wire = webSocket({ id, url: 'ws://hub' });
  return knobs['over'] === 'sealed' ? sealed(wire, { key: 'a secret of thirty-two characters' }) : wire;
}

/** A request that the application gives up, or whose lock is lost, is none of its errors. */
const isExpected = (error: unknown) => /Lost|Timeout/.test((error as Error).name);

async function work(peer: Peer): Promise<void> {
  const { knobs, peers } = peer;
  const locks = peer.watch(createLocks({ transport: linked(wireOf(peer), { peers }), peers }));
  const worker = async () => {
    for (;;) {
      await sleep(1 + below(2 * knobs['think']));
      const name = `lock${below(knobs['names'])}`;
      try {
        if (below(4) > 0) await locks.request(name, () => sleep(below(knobs['hold'])));
        else {
          const lock = await locks.acquire(
            name,
            below(2) ? { ifAvailable: true } : { signal: AbortSignal.timeout(1 + below(3_000)) },
          );
          if (lock) await sleep(below(knobs['hold']));
          lock?.release();
        }
      } catch (error) {
        if (!isExpected(error)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: knobs['workers'] }, worker));
}

/** `over`: which transports the runs draw from. */
export const locksUnder = (over: readonly string[] = ['hub', 'hub', 'sealed']): { options: RehearseOptions; main: Main } => ({
  options: {
    peers: [3, 3, 5],
    services: over.includes('mesh') ? {} : { hub },
    seconds: 20,
    knobs: { over, workers: [1, 2], names: [1, 3], think: [20, 100, 500, 2_000], hold: [1, 50, 400, 8_000] },
  },
  main: work,
});
