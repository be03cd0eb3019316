/** Rehearsal of locks, with a few workers at every peer: over a hub, a mesh, NATS or MQTT, with real clients and brokers. */
import { createServer } from 'node:net';
import { connect } from '@nats-io/transport-node';
import { Aedes } from 'aedes';
import { connect as connectMqtt } from 'mqtt';
import { diskStorage } from '../../test/rehearsal/disk-storage.js';
import { lockJudges } from '../../test/rehearsal/judges.js';
import { natsBroker } from '../../test/rehearsal/nats-broker.js';
import { noLeaks } from '../../test/rehearsal/object-judges.js';
import type { Main, RehearsedPeer } from '../../test/rehearsal/peer.js';
import type { RehearseOptions } from '../../test/rehearsal/options.js';
import { FAULTS } from '../../test/rehearsal/scenario.js';

/** Library functions that the application uses. */
export interface Shipped {
  readonly createLocks: typeof import('../../adapters/locks/locks.js').createLocks;
  readonly linked: typeof import('../../adapters/linked.js').linked;
  readonly sealed: typeof import('../../adapters/transports/sealed.js').sealed;
  readonly webSocket: typeof import('../../adapters/transports/web-socket.js').webSocket;
  readonly webSocketHub: typeof import('../../adapters/transports/web-socket-hub.js').webSocketHub;
  readonly webSocketMesh: typeof import('../../adapters/transports/web-socket-mesh.js').webSocketMesh;
  readonly nats: typeof import('../../adapters/transports/nats.js').nats;
  readonly mqtt: typeof import('../../adapters/transports/mqtt.js').mqtt;
}

const ADAPTERS = [
  'locks/locks',
  'linked',
  'transports/sealed',
  'transports/web-socket',
  'transports/web-socket-hub',
  'transports/web-socket-mesh',
  'transports/nats',
  'transports/mqtt',
];

/** Loads them from the sources, or from the folder of another build. */
export async function shippedFrom<S extends Shipped = Shipped>(
  load: (path: string) => Promise<object>,
  more: readonly string[] = [],
): Promise<S> {
  const modules = await Promise.all([...ADAPTERS, ...more].map(load));
  return Object.assign({}, ...modules) as S;
}

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export const below = (bound: number) => Math.floor(Math.random() * bound);

/** The settings of docs/transports/brokers.md. */
export const LASTING = {
  waitOnFirstConnect: true,
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  timeout: 2_000,
  pingInterval: 1_000,
  maxPingOut: 2,
};

export const LASTING_MQTT = { keepalive: 2, reconnectPeriod: 250, connectTimeout: 2_000 };

/** The transport of a peer. With `named` as an empty object it generates an id. */
export function wireOf(
  { webSocketMesh, webSocket, sealed, nats, mqtt }: Shipped,
  { id, peers, listen, knobs, WebSocket, WebSocketServer }: RehearsedPeer,
  named: { readonly id?: string } = { id },
) {
  if (knobs['over'] === 'mesh')
    return webSocketMesh({
      ...named,
      listen: { server: listen(), WebSocketServer },
      peers: peers.map((peer) => `ws://${peer}`),
      WebSocket,
    });
  if (knobs['over'] === 'nats') return nats({ ...named, connection: () => connect({ servers: 'nats://broker', ...LASTING }) });
  if (knobs['over'] === 'mqtt') return mqtt({ ...named, connection: async () => connectMqtt('mqtt://broker', LASTING_MQTT) });
  const wire = webSocket({ ...named, url: 'ws://hub' });
  return knobs['over'] === 'sealed' ? sealed(wire, { key: 'a secret of thirty-two characters' }) : wire;
}

/**
 * Expected errors: a request that the application canceled, a lost lock, and limits reached because of canceled requests.
 */
const isExpected = (error: unknown) =>
  /Lost|Timeout/.test((error as Error).name) || (error as Error).message.includes('abandoned before their turn');

async function work(shipped: Shipped, peer: RehearsedPeer): Promise<void> {
  const { knobs } = peer;
  // One peer gets another list, as during a change of the list.
  const peers = peer.id === 'p0' && knobs['lists'] === 'differ' ? peer.peers.slice(0, 3) : peer.peers;
  const transport = shipped.linked(wireOf(shipped, peer), { peers: peer.peers });
  const storage = knobs['stored'] ? { storage: diskStorage(peer.disk) } : {};
  const locks = peer.watch(shipped.createLocks({ transport, peers, ...storage }));
  // A peer without requests is notified of their end only here.
  void locks.node.closed.then((error) => error && endOfFullDisk(error));
  await workWith(locks, knobs).catch(endOfFullDisk);
}

/** Ends a peer whose disk rejects writes, as documented; it is restarted. */
export function endOfFullDisk(error: Error): never {
  if (!/StorageError|ENOSPC/.test(`${error.name} ${(error.cause as Error)?.message}`)) throw error;
  process.exit(1);
}

/** Requests locks repeatedly, as `knobs` define; ends with the first unexpected error. */
export async function workWith(locks: ReturnType<Shipped['createLocks']>, knobs: RehearsedPeer['knobs']): Promise<void> {
  const worker = async () => {
    for (let asked = 0; asked < (knobs['requests'] ?? Infinity); asked++) {
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

export const mqttBroker: Main = async () => {
  const broker = await Aedes.createBroker({ id: 'broker' });
  createServer(broker.handle).listen(1883);
};

export function servicesOf({ webSocketHub }: Shipped, over: readonly string[]): Readonly<Record<string, Main>> {
  if (over.includes('mesh')) return {};
  if (over.includes('nats')) return { broker: natsBroker };
  if (over.includes('mqtt')) return { broker: mqttBroker };
  return { hub: ({ listen, WebSocketServer }) => webSocketHub({ server: listen(), WebSocketServer }) };
}

/**
 * The maximum number of objects that a peer keeps at the end of a run: three times the measured number with twenty locks and
 * seven peers.
 */
export const HELD_MAX = { kept: 3_000, listeners: 30 };

/**
 * Options of rehearsals over some transports with the same services. Clocks are not changed over NATS: a client whose clock is set back
 * while its server is down does not reconnect until the clock has caught up (`nats-client.test.ts`).
 */
export const locksUnder = (
  shipped: Shipped,
  over: readonly string[] = ['hub', 'hub', 'sealed'],
): { options: RehearseOptions; main: Main } => ({
  options: {
    peers: [3, 3, 5],
    services: servicesOf(shipped, over),
    seconds: 20,
    limits: ['shipped', 'small'],
    judges: [...lockJudges(), noLeaks(HELD_MAX)],
    ...(over.includes('nats') && { faults: FAULTS.filter((kind) => kind !== 'jump') }),
    knobs: {
      over,
      workers: [1, 2, 5],
      names: [1, 3, 20],
      think: [20, 100, 500, 2_000],
      hold: [1, 50, 400, 3_000, 8_000, 60_000],
      stored: [false, true],
      requests: [Infinity, 5, 30],
    },
  },
  main: (peer) => work(shipped, peer),
});
