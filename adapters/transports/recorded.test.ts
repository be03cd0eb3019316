/**
 * A cluster at work, and a stranger that replays recorded frames of another cluster. Each frame is changed in one place. They arrive while
 * the members lock, lead, leave and return. No member ends, and the locks keep working.
 */
import { once } from 'node:events';
import { connect } from '@nats-io/transport-node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';
import { createElection } from '../election.js';
import { linked } from '../linked.js';
import { createLocks } from '../locks/locks.js';
import { changed } from './conformance-wire.js';
import { nats } from './nats.js';
import { sealed } from './sealed.js';
import { freePort, hasCommand } from '../../testing/servers.js';
import { natsServer } from './servers.fixture.js';
import type { Transport } from './transport.js';
import { webSocketHub } from './web-socket-hub.js';
import { webSocketMesh } from './web-socket-mesh.js';
import { webSocket } from './web-socket.js';

const peers = ['a', 'b', 'c'];

interface Medium {
  create(id: string): Transport;
  /** Frames on the wire. */
  readonly wire: readonly string[];
  /** Sends frames of a stranger. */
  say(texts: readonly string[]): Promise<void>;
}

/** Sockets at both ends that record what they send. */
function tapped(wire: string[]) {
  class Tapped extends WebSocket {
    override send(data: any, ...rest: any[]): void {
      wire.push(String(data));
      super.send(data, ...(rest as []));
    }
  }
  class Server extends WebSocketServer {
    constructor(options: ServerOptions) {
      super({ ...options, WebSocket: Tapped });
    }
  }
  return { Tapped, Server };
}

/** Sends eight frames at a time on one connection while it is open, with a hello. Then continues on the next one. */
async function sendAt(url: string, texts: readonly string[]): Promise<void> {
  const waiting = [...texts];
  let guests = 0;
  const speak = async () => {
    while (waiting.length > 0) {
      const socket = new WebSocket(url);
      socket.on('error', () => {});
      await once(socket, 'open');
      socket.send(JSON.stringify({ type: 'hello', id: `x${guests++}`, key: 'k' }));
      await once(socket, 'message');
      while (waiting.length > 0 && socket.readyState === WebSocket.OPEN) {
        socket.send(waiting.shift()!);
        await new Promise((resolve) => setImmediate(resolve));
      }
      socket.terminate();
    }
  };
  await Promise.all(Array.from({ length: 8 }, speak));
}

async function overHub(): Promise<Medium> {
  const wire: string[] = [];
  const { Tapped, Server } = tapped(wire);
  const hub = await webSocketHub({ port: 0, WebSocketServer: Server });
  onTestFinished(() => hub.close());
  const url = `ws://127.0.0.1:${hub.port}`;
  return { create: (id) => webSocket({ id, url, WebSocket: Tapped }), wire, say: (texts) => sendAt(url, texts) };
}

async function overMesh(): Promise<Medium> {
  const wire: string[] = [];
  const { Tapped, Server } = tapped(wire);
  const ports = [await freePort(), await freePort(), await freePort()];
  const urls = ports.map((port) => `ws://127.0.0.1:${port}`);
  const listen = (id: string) => ({ port: ports[peers.indexOf(id)]!, WebSocketServer: Server });
  return {
    create: (id) => webSocketMesh({ id, listen: listen(id), peers: urls, WebSocket: Tapped }),
    wire,
    say: (texts) => sendAt(urls[1]!, texts),
  };
}

const overNats =
  (wrap: (transport: Transport) => Transport = (transport) => transport) =>
  async (): Promise<Medium> => {
    const server = await natsServer();
    onTestFinished(() => server.kill());
    const connection = () => connect({ servers: `127.0.0.1:${server.port}` });
    const stranger = await connection();
    onTestFinished(() => stranger.close());
    const wire: string[] = [];
    stranger.subscribe('quiver.>', { callback: (_, message) => void wire.push(message.string()) });
    await stranger.flush();
    const say = async (texts: readonly string[]) => {
      for (const [i, text] of texts.entries()) {
        stranger.publish(`quiver.${peers[i % 3]}`, text);
        if (i % 20 === 0) await stranger.flush();
      }
      await stranger.flush();
    };
    return { create: (id) => wrap(nats({ id, connection })), wire, say };
  };

const media: [string, () => Promise<Medium>][] = [
  ['a hub', overHub],
  ['a mesh', overMesh],
];
if (hasCommand('nats-server')) {
  media.push(['NATS', overNats()]);
  media.push(['sealed NATS', overNats((transport) => sealed(transport, { key: 'sixteen bytes and more' }))]);
}

const start = (medium: Medium, id: string) => {
  const transport = linked(medium.create(id), { peers, beatMs: 20, patience: 25 });
  return { transport, locks: createLocks({ transport, peers }), election: createElection({ transport, peers }) };
};

/** Three members that request locks and follow a leader. One of them leaves and returns. */
async function atWork(medium: Medium, meanwhile: () => Promise<void>): Promise<readonly Transport[]> {
  const members = peers.map((id) => start(medium, id));
  await Promise.all(members.map(({ locks }) => locks.ready));
  const working = meanwhile();
  for (let i = 0; i < 5; i++) await Promise.all(members.map(({ locks }) => locks.request(`lock ${i}`, () => {})));
  await members[2]!.transport.close();
  members[2] = start(medium, 'c');
  await working;
  await members[2].locks.request('lock 0', () => {});
  return members.map(({ transport }) => transport);
}

const KINDS_MAX = 40;

/** One frame of each kind: numbers and random names do not define a kind. */
function kinds(wire: readonly string[]): string[] {
  const few = new Map<string, string>();
  for (const text of wire) {
    const kind = text.replaceAll(/\d+/g, '0').replaceAll(/[0-9a-f]{8,}/g, 'f');
    if (!few.has(kind)) few.set(kind, text);
  }
  const stride = Math.ceil(few.size / KINDS_MAX);
  return [...few.values()].filter((_, i) => i % stride === 0);
}

describe.each(media)('over %s', (name, open) => {
  test('changed recordings of another cluster do not affect a cluster', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const [listenedTo, medium] = [await open(), await open()];
    const before = await atWork(listenedTo, async () => {});
    await Promise.all(before.map((transport) => transport.close()));
    const recorded = kinds(listenedTo.wire);
    // Real traffic: frames of the link layer, the locks and the election, or sealed frames.
    const all = listenedTo.wire.join('\n');
    for (const part of name.startsWith('sealed') ? ['say', 'ask', 'tell'] : ['link/1', 'find', 'node.hello', 'bye'])
      expect(all.includes(part)).toBe(true);
    let reported = 0;
    const after = await atWork(medium, async () => {
      const texts = [...changed(recorded)];
      reported = texts.length;
      await medium.say(texts);
    });
    expect(reported).toBeGreaterThan(500);
    expect(after.map(({ isClosed }) => isClosed)).toEqual([false, false, false]);
    await Promise.all(after.map((transport) => transport.close()));
  });
});
