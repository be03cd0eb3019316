/**
 * The world behaves like the real media. The suite that every transport passes on them passes in the world as well, test by test. Each
 * transport is a separate process, with the original packages of NATS, MQTT and aedes.
 */
import { connect } from '@nats-io/transport-node';
import { connectAsync } from 'mqtt';
import { describe, expect, test } from 'vitest';
import { broadcastChannel } from '../../adapters/transports/broadcast-channel.js';
import { transportConformance, type Conformance } from '../../adapters/transports/conformance.js';
import { fuzz } from '../../adapters/transports/fuzz.fixture.js';
import { topicToken } from '../../adapters/transports/frame.js';
import { mqtt } from '../../adapters/transports/mqtt.js';
import { nats } from '../../adapters/transports/nats.js';
import type { Guarantees, Transport } from '../../adapters/transports/transport.js';
import { webSocket } from '../../adapters/transports/web-socket.js';
import { webSocketHub } from '../../adapters/transports/web-socket-hub.js';
import { webSocketMesh } from '../../adapters/transports/web-socket-mesh.js';
import { mqttBroker } from '../../testing/rehearsal/locks.js';
import { natsBroker } from './nats-broker.js';
import type { Main, RehearsedPeer } from './peer.js';
import { runOnce } from './rehearse.js';
import {
  broadcastChannelGuarantees,
  mqttGuarantees,
  natsGuarantees,
  webSocketGuarantees,
  webSocketMeshGuarantees,
} from '../../adapters/transports/guarantees.js';

/** How a transport is made in a process, and how a stranger writes to one. */
interface Medium {
  readonly guarantees: Guarantees;
  readonly services: Readonly<Record<string, Main>>;
  create(id: string, peer: RehearsedPeer, network: string, all: readonly string[]): Transport;
  inject?(to: string, texts: readonly string[], network: string): Promise<void>;
}

const hub: Main = ({ listen, WebSocketServer }) => webSocketHub({ server: listen(), WebSocketServer });
const natsConnection = () => connect({ servers: 'nats://broker', waitOnFirstConnect: true });

const plain: Readonly<Record<string, Medium>> = {
  'web-socket': {
    guarantees: webSocketGuarantees,
    services: { hub },
    create: (id) => webSocket({ id, url: 'ws://hub' }),
  },
  'web-socket-mesh': {
    guarantees: webSocketMeshGuarantees,
    services: {},
    create: (id, { listen, WebSocket, WebSocketServer, peers }, _, all) =>
      webSocketMesh({
        id,
        listen: { server: listen(), WebSocketServer },
        peers: peers.slice(0, all.length).map((peer) => `ws://${peer}`),
        WebSocket,
      }),
  },
  'broadcast-channel': {
    guarantees: broadcastChannelGuarantees,
    services: {},
    create: (id, _, channel) => broadcastChannel({ id, channel }),
    inject: async (to, texts, network) => {
      const raw = new BroadcastChannel(network);
      for (const text of texts) raw.postMessage({ to, frame: text });
      raw.close();
    },
  },
  nats: {
    guarantees: natsGuarantees,
    services: { broker: natsBroker },
    create: (id, _, subject) => nats({ id, subject, connection: natsConnection }),
    inject: async (to, texts, network) => {
      const raw = await natsConnection();
      for (const text of texts) raw.publish(`${network}.${topicToken(to)}`, text);
      await raw.flush();
      await raw.close();
    },
  },
  mqtt: {
    guarantees: mqttGuarantees,
    services: { broker: mqttBroker },
    create: (id, _, topic) => mqtt({ id, topic, connection: () => connectAsync('mqtt://broker') }),
    inject: async (to, texts, network) => {
      const raw = await connectAsync('mqtt://broker');
      for (const text of texts) await raw.publishAsync(`${network}/${topicToken(to)}`, text);
      await raw.endAsync();
    },
  },
};

const PEERS = ['p0', 'p1', 'p2'];

/** The tests of the suite for a medium, each of which runs in its own world. */
function suiteOf({ guarantees, create, inject }: Medium) {
  const titles = new Map<string, () => Promise<void>>();
  let peers: RehearsedPeer[] = [];
  /** Work for each process within its own turn. */
  const orders = PEERS.map((): (() => void)[] => []);
  let network = '';
  let networks = 0;
  const suite: Conformance = {
    test: (title, run) => titles.set(title, run),
    guarantees,
    values: fuzz.slice(0, 20),
    create: (ids) => {
      network = `network${++networks}`;
      return Promise.all(
        ids.map(
          (id, i) => new Promise<Transport>((resolve) => orders[i]!.push(() => resolve(create(id, peers[i]!, network, ids)))),
        ),
      );
    },
    ...(inject && {
      inject: (to, garbage) => inject(to, [JSON.stringify(garbage)], network),
      injectTexts: (to, texts) => inject(to, texts, network),
    }),
  };
  transportConformance(suite);
  const main =
    (run: () => Promise<void>): Main =>
    (peer) => {
      const place = PEERS.indexOf(peer.id);
      if (place === 0) peers = [];
      peers[place] = peer;
      orders[place]!.length = 0;
      setInterval(() => orders[place]!.splice(0).forEach((order) => order()), 1);
      if (place !== 0) return;
      // All peers have started by then.
      setTimeout(
        () =>
          void run().then(
            () => peer.note('passed'),
            (error: Error) => peer.note(`failed: ${error.message}`),
          ),
        10,
      );
    };
  return { titles, main };
}

async function results(medium: Medium): Promise<Record<string, string>> {
  const { titles, main } = suiteOf(medium);
  const notified: Record<string, string> = {};
  for (const [title, run] of titles) {
    const scenario = {
      seed: Object.keys(notified).length,
      seconds: 60,
      peers: PEERS,
      services: Object.keys(medium.services),
      clients: [],
      startsMs: [0, 0, 0],
      skewsMs: [0, 0, 0],
      latencyMs: [0.2, 3],
      distances: [],
      faults: [],
      knobs: {},
      limits: 'shipped',
    } as const;
    const judges = [
      { name: 'done', begin: () => ({ observe: ({ type, what }: any) => (type === 'note' ? String(what) : null) }) },
    ];
    const { violation, events } = await runOnce(scenario, { services: medium.services, judges }, main(run));
    const uncaught = events.find(({ type }) => type === 'uncaught');
    notified[title] = uncaught ? `uncaught ${uncaught['error'] as string}` : (violation?.description ?? 'is not done');
  }
  return notified;
}

describe.each(Object.entries(plain))('%s', (_, medium) => {
  test('passes the conformance suite', async () => {
    const notified = await results(medium);
    expect(Object.keys(notified).length).toBeGreaterThan(14);
    expect(Object.entries(notified).filter(([, how]) => how !== 'passed')).toEqual([]);
  });
});
