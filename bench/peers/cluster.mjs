/**
 * Cluster actors over a mesh of three processes: events a second on one actor, next to what people use today for one entity; failover;
 * moves; memory of idle actors.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../dist/testing/servers.js';
import { median } from '../../dist/bench/measure.js';
import { ms, quantile, whole } from './measure.mjs';
import { postgresServer, redisServer, start } from './servers.mjs';

/** The code of all processes is compiled within the first three seconds. */
const [WARM_MS, RUN_MS, LANES] = [3_000, 3_000, 16];
const [FAIL_OVERS, MOVES] = [3, 30];
const [ACTORS, WARM_ACTORS, IDLE_MS] = [10_000, 1_500, 8_000];

const asked = (member, task) => {
  const answer = member.nextMessage(task.what);
  member.send(task);
  return answer;
};

async function started(members) {
  await Promise.all(members.map(({ nextMessage }) => nextMessage('ready')));
  const askAll = (task) => Promise.all(members.map((member) => asked(member, task)));
  return { members, askAll, end: () => Promise.all(members.map(({ kill }) => kill())) };
}

async function cluster(placement = 'stay') {
  const ports = { a: await freePort(), b: await freePort(), c: await freePort() };
  const member = (id) => ({ id, ...start('cluster-member.mjs', id, JSON.stringify(ports), placement) });
  return started(Object.keys(ports).map(member));
}

/** The longest p99 of all processes. */
async function throughput(what, { askAll, end }, lanes = LANES) {
  await askAll({ what: 'load', ms: WARM_MS, lanes });
  const since = performance.now();
  const reports = await askAll({ what: 'load', ms: RUN_MS, lanes });
  const seconds = (performance.now() - since) / 1_000;
  await end();
  const all = (key) => reports.map((report) => report[key]);
  return {
    what,
    'events/s': whole(all('events').reduce((sum, events) => sum + events, 0) / seconds),
    p50: ms(median(all('p50'))),
    p99: ms(Math.max(...all('p99'))),
  };
}

const inFlight = (lanes) => `three processes, ${lanes} in flight in each`;

/** One process sends, one event at a time; the others only keep copies. */
async function alone() {
  const { members, end } = await cluster();
  const askFirst = (task) => asked(members[0], task).then((report) => [report]);
  return throughput('one process, one in flight', { askAll: askFirst, end }, 1);
}

/** The same load on a rival's server, from three processes. The first one handles the jobs. */
async function rival(what, kind, server) {
  const members = [true, false, false].map((handles) => start('rival-member.mjs', kind, server.port, handles));
  return throughput(`${what}: ${inFlight(LANES)}`, await started(members));
}

async function postgres(what, setting) {
  const { default: pg } = await import('pg');
  const server = await postgresServer();
  const client = new pg.Client({ host: '127.0.0.1', port: server.port, user: 'quiver', database: 'postgres' });
  await client.connect();
  await client.query(`alter role quiver set synchronous_commit = ${setting}`);
  await client.query('create table actors (id text primary key, state jsonb)');
  await client.query(`insert into actors values ('hot', '{"n": 0}')`);
  await client.end();
  const row = await rival(what, 'postgres', server);
  await server.close();
  return row;
}

async function bullmq() {
  const server = await redisServer();
  const row = await rival('BullMQ 6.7.0, one worker', 'bullmq', server);
  await server.close();
  return row;
}

/** One hot actor, and one entity of a rival. */
export async function compareCluster() {
  return [
    await alone(),
    await throughput(inFlight(1), await cluster(), 1),
    await throughput(inFlight(LANES), await cluster()),
    await postgres('Postgres, a row lock', 'on'),
    await postgres('Postgres, synchronous_commit = off', 'off'),
    await bullmq(),
  ];
}

/** The longest that an event has waited when the host was killed. */
async function failOver() {
  const { members, end } = await cluster();
  await asked(members[0], { what: 'load', ms: 500, lanes: 4 });
  const { host } = await asked(members[0], { what: 'where' });
  const other = members.find(({ id }) => id !== host);
  await asked(other, { what: 'load', ms: 500, lanes: 4 });
  const loading = asked(other, { what: 'load', ms: RUN_MS, lanes: 4 });
  await pause(500);
  await members.find(({ id }) => id === host).kill();
  const { longest } = await loading;
  await end();
  return longest;
}

/** Each process in turn sends until the actor has moved to it (placement `sender`, after eight events). */
async function moves() {
  const { members, end } = await cluster('sender');
  for (const member of members) await asked(member, { what: 'visit' });
  const visits = [];
  for (let i = 0; i < MOVES; i++) visits.push(await asked(members[i % members.length], { what: 'visit' }));
  await end();
  return visits;
}

/** The host is killed, and the actor moves. */
export async function measureMoves() {
  const waits = [];
  for (let round = 0; round < FAIL_OVERS; round++) waits.push(await failOver());
  const visits = await moves();
  const row = (what, values) => ({ what, p50: ms(quantile(values, 0.5)), longest: ms(Math.max(...values)) });
  return [
    row(`SIGKILL of the host, ${FAIL_OVERS} times: the longest wait of an event`, waits),
    row(
      `${MOVES} moves to the sender: from its first event until it hosts the actor`,
      visits.map((visit) => visit.ms),
    ),
    row(
      'the longest wait of an event in each move',
      visits.map(({ longest }) => longest),
    ),
  ];
}

/** Memory of actors that three processes have created, a third each, and do not use: each keeps a copy of every actor. */
export async function measureMemory() {
  const { askAll, end } = await cluster();
  const create = (actors, from) => askAll({ what: 'create', actors: Math.round(actors / 3), from });
  await create(WARM_ACTORS, 0);
  await pause(IDLE_MS);
  const before = await askAll({ what: 'heap' });
  await create(ACTORS, WARM_ACTORS);
  await pause(IDLE_MS);
  const after = await askAll({ what: 'heap' });
  await end();
  const each = after.map(({ heap }, i) => (heap - before[i].heap) / ACTORS);
  const hosted = after.reduce((sum, report) => sum + report.hosted, 0);
  return [
    {
      what: `${whole(ACTORS)} actors, of which ${hosted} are active`,
      'bytes each, in each process': each.map(whole).join(', '),
    },
  ];
}
