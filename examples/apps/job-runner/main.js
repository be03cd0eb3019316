/**
 * A worker as a process: its settings from the environment, its connections, an HTTP port for jobs and probes, and its shutdown.
 *
 * A worker whose locks have failed ends with status 1, so that its supervisor restarts it.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { jetStreamStorage } from 'xstate-quiver/storage';
import { linked, nats } from 'xstate-quiver/transports';
import { createLocks } from 'xstate-quiver/locks';
import { answer } from './http.js';
import { JobStore } from './store.js';
import { schedule, work } from './work.js';

const {
  ID: id = hostname(),
  PEERS,
  NATS_URL: servers = 'nats://127.0.0.1:4222',
  PORT = '8080',
  JOBS = new URL('jobs.js', import.meta.url).pathname,
  LANES = '4',
  PATIENCE_MS = '3000',
  GRACE_MS = '20000',
} = process.env;

// PEERS has no default: two workers with a list of one are two clusters, and a later common list would not join them.
if (!PEERS) {
  const example = 'PEERS=worker-0,worker-1,worker-2';
  console.error(
    `PEERS is missing. Set the same list of ids for all workers: ${example}. PEERS=${id} starts a cluster of one worker, permanently.`,
  );
  process.exit(1);
}
const peers = PEERS.split(',');
const log = (/** @type {string} */ line) => console.log(`${id}: ${line}`);
const { kinds } = await import(pathToFileURL(resolve(JOBS)).href);

// Waits for a server that is not up yet, detects a lost one within two seconds, and never gives up.
const lasting = {
  waitOnFirstConnect: true,
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  timeout: 2_000,
  pingInterval: 1_000,
  maxPingOut: 2,
};
const connection = await connect({ servers, name: id, ...lasting });
const store = await JobStore.open(connection);
const bucket = await new Kvm(connection).create('locks');

const wire = nats({ id, subject: 'job-runner', connection: () => connect({ servers, name: `${id} locks`, ...lasting }) });
const transport = linked(wire, { peers, patience: Number(PATIENCE_MS) / 100 });
const locks = createLocks({ transport, peers, storage: jetStreamStorage({ bucket, peer: id }) });

const stopping = new AbortController();
const server = createServer((request, response) => void answer(request, response, { store, locks }));
server.listen(Number(PORT), () => log(`listens on ${PORT}`));

for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, () => {
    log(`${signal}: starts no more jobs`);
    stopping.abort();
  });
void locks.node.closed.then((error) => {
  if (stopping.signal.aborted) return;
  log(`the locks have ended: ${error?.message}`);
  process.exit(1);
});

const stopped = once(stopping.signal, 'abort');
await Promise.race([locks.ready, stopped]);
if (!stopping.signal.aborted) {
  log(`works, with ${locks.members.join(', ')}`);
  const worker = { locks, store, kinds, lanes: Number(LANES), signal: stopping.signal, log };
  const working = Promise.all([work(worker), schedule(worker)]);
  await Promise.race([working, stopped]);
  // Let running jobs end. After the grace period, another worker starts the rest again.
  await Promise.race([working, pause(Number(GRACE_MS), undefined, { ref: false })]);
}
await locks.close({ withinMs: 1_000 });
await transport.close();
await connection.close();
server.close();
log('has stopped');
