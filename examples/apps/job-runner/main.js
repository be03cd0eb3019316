/**
 * A worker as a process: what it is told by the environment, its connections, an HTTP port for jobs and probes, and its end.
 *
 * A worker that cannot keep its promises any more ends with status 1; whoever started it starts it again.
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

// Not alone unless told: two that are alone are two clusters, and a list that is given later would not make them one.
if (!PEERS) {
  const example = 'PEERS=worker-0,worker-1,worker-2';
  console.error(
    `PEERS is missing: give all workers one list of their ids, as in ${example}; PEERS=${id} is one worker alone, and for good`,
  );
  process.exit(1);
}
const peers = PEERS.split(',');
const log = (/** @type {string} */ line) => console.log(`${id}: ${line}`);
const { kinds } = await import(pathToFileURL(resolve(JOBS)).href);

// Waits for a server that is not there yet, notices within two seconds that it is gone, and never gives up.
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
    log(`${signal}: begins no more jobs`);
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
  // What was begun may end; what has not when the time is over is begun anew by another one.
  await Promise.race([working, pause(Number(GRACE_MS), undefined, { ref: false })]);
}
await locks.close({ withinMs: 1_000 });
await transport.close();
await connection.close();
server.close();
log('has stopped');
