// Cluster actors over a mesh of three processes: events a second on one actor, failover; memory of an idle actor.
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../dist/testing/servers.js';
import { median } from '../../dist/bench/measure.js';
import { ms, whole } from './measure.mjs';
import { start } from './servers.mjs';

const [WARM_MS, RUN_MS, FAIL_OVERS, ACTORS, IDLE_MS] = [500, 3_000, 3, 2_000, 8_000];

async function members() {
  const ports = { a: await freePort(), b: await freePort(), c: await freePort() };
  const started = Object.keys(ports).map((id) => ({ id, ...start('cluster-member.mjs', id, JSON.stringify(ports)) }));
  await Promise.all(started.map(({ nextMessage }) => nextMessage('ready')));
  const ask = (member, task) => {
    const answer = member.nextMessage(task.what);
    member.send(task);
    return answer;
  };
  return { started, ask, end: () => Promise.all(started.map(({ kill }) => kill())) };
}

async function throughput(lanes) {
  const { started, ask, end } = await members();
  await Promise.all(started.map((member) => ask(member, { what: 'load', ms: WARM_MS, lanes })));
  const since = performance.now();
  const reports = await Promise.all(started.map((member) => ask(member, { what: 'load', ms: RUN_MS, lanes })));
  const seconds = (performance.now() - since) / 1_000;
  await end();
  const events = reports.reduce((sum, report) => sum + report.events, 0);
  const largest = (key) => Math.max(...reports.map((report) => report[key]));
  return {
    what: `one actor, three processes, ${lanes} in flight in each`,
    'events/s': whole(events / seconds),
    p50: ms(median(reports.map(({ p50 }) => p50))),
    p99: ms(largest('p99')),
  };
}

/** One process sends, one event at a time; the others only keep copies. */
async function alone() {
  const { started, ask, end } = await members();
  const [first] = started;
  await ask(first, { what: 'load', ms: WARM_MS, lanes: 1 });
  const { events, p50, p99 } = await ask(first, { what: 'load', ms: RUN_MS, lanes: 1 });
  await end();
  return {
    what: 'one actor, one process, one in flight',
    'events/s': whole(events / (RUN_MS / 1_000)),
    p50: ms(p50),
    p99: ms(p99),
  };
}

/** The longest that an event has waited when the host was killed. */
async function failOver() {
  const { started, ask, end } = await members();
  await ask(started[0], { what: 'load', ms: WARM_MS, lanes: 4 });
  const { host } = await ask(started[0], { what: 'where' });
  const [other] = started.filter(({ id }) => id !== host);
  await ask(other, { what: 'load', ms: WARM_MS, lanes: 4 });
  const loading = ask(other, { what: 'load', ms: RUN_MS, lanes: 4 });
  await pause(500);
  await started.find(({ id }) => id === host).kill();
  const { longest } = await loading;
  await end();
  return longest;
}

/** Memory of actors that one process has created and does not use: while it hosts them, and once they are passive. */
export async function measureMemory() {
  const { started, ask, end } = await members();
  const [first] = started;
  const { heap: empty } = await ask(first, { what: 'heap' });
  await ask(first, { what: 'create', actors: ACTORS });
  const active = await ask(first, { what: 'heap' });
  await pause(IDLE_MS);
  const passive = await ask(first, { what: 'heap' });
  await end();
  return [active, passive].map(({ hosted, heap }) => ({
    what: `${whole(ACTORS)} actors, of which ${whole(hosted)} are active`,
    'bytes each': whole((heap - empty) / ACTORS),
  }));
}

export async function compareCluster() {
  const rows = [await alone(), await throughput(1), await throughput(16)];
  const waits = [];
  for (let round = 0; round < FAIL_OVERS; round++) waits.push(await failOver());
  rows.push({
    what: 'SIGKILL of the host: the longest wait of an event',
    'events/s': '',
    p50: ms(median(waits)),
    p99: ms(Math.max(...waits)),
  });
  return rows;
}
