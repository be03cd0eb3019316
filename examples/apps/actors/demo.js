/** Three members as processes, and three stories. In each, the process that runs the actor is killed by SIGKILL. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

const ports = { a: await freePort(), b: await freePort(), c: await freePort() };
/** Each member keeps its copies in a folder here. Without storage, copies are lost once a majority of the members has restarted. */
const folder = mkdtempSync(join(tmpdir(), 'actors-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));
/** Their warnings, for example that they do not reach the process that was killed. */
const log = openSync('members.log', 'w');
/**
 * Calls to outside services, which the members report.
 * @type {any[]}
 */
const reports = [];
/** @typedef {(command: string, fields: object) => Promise<any>} Ask */

/** @type {Map<string, { child: import('node:child_process').ChildProcess, ask: Ask }>} */
const members = new Map();

/**
 * Starts a member, and returns a promise that resolves when it is ready.
 * @param {string} id
 * @returns {Promise<void>}
 */
function start(id) {
  const child = fork(new URL('member.js', import.meta.url), [id, JSON.stringify(ports), folder], {
    stdio: ['ignore', 'inherit', log, 'ipc'],
  });
  const waiting = new Map();
  let commands = 0;
  /** @type {Ask} */
  const ask = (command, fields) =>
    new Promise((resolve, reject) => {
      waiting.set(++commands, { resolve, reject });
      child.send({ number: commands, command, ...fields });
    });
  members.set(id, { child, ask });
  return new Promise((ready) =>
    child.on('message', (/** @type {any} */ { what, number, value, error, ...fields }) => {
      if (what === 'ready') ready();
      else if (what !== 'answer') reports.push({ what, number, ...fields });
      else if (error) waiting.get(number).reject(new Error(error));
      else waiting.get(number).resolve(value);
    }),
  );
}

const member = (/** @type {string} */ id) => /** @type {NonNullable<ReturnType<typeof members.get>>} */ (members.get(id));
const ask = (/** @type {string} */ id, /** @type {Parameters<Ask>} */ ...command) => member(id).ask(...command);
const reportsOf = (/** @type {string} */ what) => reports.filter((each) => each.what === what);

/** @param {() => boolean | Promise<boolean>} isTrue */
async function until(isTrue) {
  while (!(await isTrue())) await pause(50);
}

/**
 * Kills the host of an actor, and starts it again. Returns another member.
 * @param {string} kind
 * @param {string} name
 */
async function killHost(kind, name) {
  const host = await ask('a', 'where', { kind, name });
  const { child } = member(host);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const other = host === 'a' ? 'b' : 'a';
  return { other, restarted: start(host) };
}

await Promise.all(Object.keys(ports).map(start));

console.log('An order: its process is killed while the customer is charged.');
const paid = { kind: 'order', name: '42' };
await ask('a', 'send', { ...paid, input: { id: '42', amount: 10 }, events: [{ type: 'PAY' }] });
await until(() => reportsOf('charge').length === 1);
let { other, restarted } = await killHost('order', '42');
await until(async () => (await ask(other, 'look', paid)).value === 'paid');
const keys = reportsOf('charge').map(({ key }) => key);
console.log(
  `  charged by ${new Set(reportsOf('charge').map(({ by }) => by)).size} processes, under ${new Set(keys).size} key: ${keys[0]}`,
);
await restarted;

console.log('A late order: its process is killed before the payment is due.');
const late = { kind: 'order', name: '43' };
await ask('b', 'create', { ...late, input: { id: '43', amount: 10, dueMs: 2_500 } });
({ other, restarted } = await killHost('order', '43'));
await until(async () => (await ask(other, 'look', late)).value === 'canceled');
console.log('  canceled');
await restarted;

console.log('A race: it moves to its player, and its process is killed.');
const track = { kind: 'race', name: 'r' };
const step = (/** @type {string} */ player) => ({ type: 'STEP', player });
await ask('b', 'send', { ...track, input: { length: 40 }, events: [step('bob')] });
for (let i = 0; i < 19; i++) await ask('c', 'send', { ...track, events: [step('cem')] });
await until(async () => (await ask('c', 'where', track)) === 'c');
console.log('  the race is where cem plays');
({ other, restarted } = await killHost('race', 'r'));
for (let i = 0; i < 21; i++) await ask(other, 'send', { ...track, events: [step('cem')] });
const { value, context } = await ask(other, 'look', track);
console.log(`  ${value}: ${JSON.stringify(context.steps)}`);
await restarted;

console.log('A schedule: its process is killed between two runs.');
await ask('a', 'create', { kind: 'schedule', name: 's', input: { everyMs: 700, times: 4 } });
await until(() => reportsOf('run').length >= 2);
({ other, restarted } = await killHost('schedule', 's'));
await until(async () => (await ask(other, 'look', { kind: 'schedule', name: 's' })).value === 'done');
const runs = new Map(reportsOf('run').map(({ number, key }) => [key, number]));
console.log(`  runs by key: ${[...runs.values()].join(', ')}`);
await restarted;
for (const { child } of members.values()) {
  child.disconnect();
  await once(child, 'exit');
}
