/** The conformance suite, and a cluster that ends and starts again, on Postgres, Redis and NATS servers from Debian packages. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import pg from 'pg';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasCommand } from '../../testing/servers.js';
import { counter, testCluster } from '../cluster/cluster.fixture.js';
import { jetStreamServer, postgresServer, redisServer, type Server } from '../transports/servers.fixture.js';
import { storageConformance } from './conformance.js';
import { jetStreamStorage } from './jet-stream.js';
import { postgresStorage } from './postgres.js';
import { redisStorage } from './redis.js';
import type { SharedStorage } from './shared.js';

interface Engine {
  readonly command: string;
  start(folder: string): Promise<Server>;
  open(port: number): Promise<{ create(peer: string): SharedStorage; close(): Promise<void> }>;
}

const bucketOf = async (port: number) => {
  const connection = await connect({ servers: `nats://127.0.0.1:${port}` });
  return { connection, bucket: await new Kvm(connection).create('quiver') };
};

const ENGINES: Readonly<Record<string, Engine>> = {
  Postgres: {
    command: 'initdb',
    start: postgresServer,
    open: async (port) => {
      const client = new pg.Pool({ host: '127.0.0.1', port, user: 'quiver', database: 'postgres' });
      return { create: (peer) => postgresStorage({ client, peer }), close: () => client.end() };
    },
  },
  'Redis, with the client redis': {
    command: 'redis-server',
    start: redisServer,
    open: async (port) => {
      const client = await createClient({ url: `redis://127.0.0.1:${port}` }).connect();
      return { create: (peer) => redisStorage({ client, peer }), close: async () => client.destroy() };
    },
  },
  'Redis, with the client ioredis': {
    command: 'redis-server',
    start: redisServer,
    open: async (port) => {
      const client = new Redis(port, '127.0.0.1');
      return { create: (peer) => redisStorage({ client, peer }), close: async () => client.disconnect() };
    },
  },
  JetStream: {
    command: 'nats-server',
    start: jetStreamServer,
    open: async (port) => {
      const { bucket, connection } = await bucketOf(port);
      return { create: (peer) => jetStreamStorage({ bucket, peer }), close: () => connection.close() };
    },
  },
};

const installed = Object.entries(ENGINES).filter(([, { command }]) => hasCommand(command));
const absent = Object.values(ENGINES).filter((engine) => !installed.some(([, one]) => one === engine));
if (absent.length > 0)
  console.warn(`skipped: storages. Run .ci/packages, this machine has no ${absent.map(({ command }) => command).join(', ')}`);

describe.each(installed)('%s', (_, { start, open }) => {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-engine-'));
  let server: Server;
  let engine: Awaited<ReturnType<Engine['open']>>;
  beforeAll(async () => {
    server = await start(folder);
    engine = await open(server.port);
  }, 600_000);
  afterAll(async () => {
    await engine?.close();
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  storageConformance({ test, shared: true, create: (peer) => engine.create(peer) });

  test('actors survive their host, and the end of all processes', { timeout: 600_000 }, async () => {
    const stored = (id: string) => ({ storage: engine.create(id) });
    const first = await testCluster({ counter }, stored);
    const ref = first.peers[0]!.cluster.actor('counter', 'x');
    await Promise.all(Array.from({ length: 50 }, (_, i) => ref.send({ type: 'ADD', tag: `${i}` })));
    const host = (await ref.where())!;
    const other = first.peers.find(({ id }) => id !== host)!.cluster.actor('counter', 'x');
    first.of(host).kill();
    await other.send({ type: 'ADD' });
    expect(other.getSnapshot().context.n).toBe(51);
    for (const { kill } of first.peers) kill();
    const second = await testCluster({ counter }, stored);
    const again = second.peers[1]!.cluster.actor('counter', 'x');
    await again.send({ type: 'ADD' });
    expect(again.getSnapshot().context.n).toBe(52);
  });
});
