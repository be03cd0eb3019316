/**
 * `node dist/bench/rehearsals.js`: the number of schedules of 15 virtual seconds that a rehearsal runs in a minute of processor time, with
 * three peers and with five, over a hub and over a mesh, under all faults. It measures the built code, because tests that Vite transforms
 * are slower. On a busy machine, the same schedules take up to a third more processor time.
 */
import { bold, table } from '../bin/style.js';
import { linked } from '../adapters/linked.js';
import { createLocks, type Locks } from '../adapters/locks/locks.js';
import { webSocketHub } from '../adapters/transports/web-socket-hub.js';
import { webSocketMesh } from '../adapters/transports/web-socket-mesh.js';
import { webSocket } from '../adapters/transports/web-socket.js';
import { rehearse } from '../test/rehearsal/rehearse.js';
import type { RehearsedPeer } from '../test/rehearsal/peer.js';
import { row, type MeasuredRow } from './measure.js';

const SECONDS = 15;
/** Enough for the drawn workloads to be much alike, and a minute for all of them. */
const SCHEDULES = 30;
const TARGETS = { 3: 150, 5: 60 } as const;
const MEDIA = ['hub', 'mesh'] as const;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const below = (bound: number) => Math.floor(Math.random() * bound);

function wireOf(medium: (typeof MEDIA)[number], { id, peers, listen, WebSocket, WebSocketServer }: RehearsedPeer) {
  if (medium === 'hub') return webSocket({ id, url: 'ws://hub' });
  return webSocketMesh({
    id,
    listen: { server: listen(), WebSocketServer },
    peers: peers.map((peer) => `ws://${peer}`),
    WebSocket,
  });
}

/** One or two workers at each peer request locks again and again, as in the runs of docs/rehearsal.md. */
async function ask(locks: Locks, { think, names, hold }: RehearsedPeer['knobs']): Promise<void> {
  for (;;) {
    await sleep(1 + below(2 * think));
    try {
      await locks.request(`lock${below(names)}`, { signal: AbortSignal.timeout(5_000) }, () => sleep(below(hold)));
    } catch (error) {
      if (!/Lost|Timeout/.test((error as Error).name)) throw error;
    }
  }
}

async function measured(medium: (typeof MEDIA)[number], peers: 3 | 5): Promise<MeasuredRow> {
  const begun = process.cpuUsage();
  const { runs, failure } = await rehearse(
    {
      peers,
      seconds: SECONDS,
      runs: SCHEDULES,
      shrinkSeconds: 0,
      limits: ['shipped', 'small'],
      services:
        medium === 'mesh' ? {} : { hub: ({ listen, WebSocketServer }) => webSocketHub({ server: listen(), WebSocketServer }) },
      knobs: { workers: [1, 2], names: [1, 3, 20], think: [20, 100, 500, 2_000], hold: [1, 50, 400, 3_000] },
    },
    async (peer) => {
      const locks = peer.watch(
        createLocks({ transport: linked(wireOf(medium, peer), { peers: peer.peers }), peers: peer.peers }),
      );
      await Promise.all(Array.from({ length: peer.knobs['workers'] }, () => ask(locks, peer.knobs)));
    },
  );
  if (failure) throw new Error(`seed ${failure.seed}: ${failure.judge}: ${failure.description}`);
  const { user, system } = process.cpuUsage(begun);
  const rate = (runs / (user + system)) * 60e6;
  return row(`${peers} peers over a ${medium}`, `${rate.toFixed(0)} a minute`, `${TARGETS[peers]}`, rate >= TARGETS[peers]);
}

const rows: MeasuredRow[] = [];
for (const peers of [3, 5] as const) for (const medium of MEDIA) rows.push(await measured(medium, peers));
console.log(bold(`Schedules of ${SECONDS} virtual seconds`));
console.log(
  table(
    ['', 'by processor time', 'target', ''],
    rows.map(({ name, value, target, met }) => [name, value, target!, met ? '✓' : '✗']),
  ),
);
