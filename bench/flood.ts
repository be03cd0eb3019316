/**
 * The cost of an attacker's flood for the members of a hub and of a mesh, in grants of a lock that all of them request all the time. Hub
 * and attacker are separate processes. The attacker has no token, and none is required. It sends as fast as it is read, on two connections:
 * messages for every member, and invalid frames of half a megabyte. In each pair of rounds it floods a hub in its own process, so that the
 * machine has the same load, and it floods the members; the order alternates. The result is the median of the pairs' ratios. On a busy
 * machine it varies by tens of percent. The processor time of members and hub, as shares of one processor, varies less: the cost of the
 * flood is more time for the same number of grants.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { linked } from '../adapters/linked.js';
import { createLocks } from '../adapters/locks/locks.js';
import type { Transport } from '../adapters/transports/transport.js';
import { webSocketHub } from '../adapters/transports/web-socket-hub.js';
import { webSocketMesh } from '../adapters/transports/web-socket-mesh.js';
import { webSocket } from '../adapters/transports/web-socket.js';
import { freePort } from '../testing/servers.js';
import { median, row, type MeasuredRow } from './measure.js';

const MEMBERS = ['a', 'b', 'c'];
const [SECTION_MS, WARM_MS, ROUND_MS, PAIRS] = [2, 400, 1_000, 15];
const KEPT = 0.9;

/** This very file, as `hub` or as `stranger`. */
function start(role: string, ...args: string[]): ChildProcess {
  return fork(fileURLToPath(import.meta.url), [role, ...args]);
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function serve(): Promise<void> {
  const { port } = await webSocketHub({ port: 0 });
  process.send!(port);
  process.on('message', () => process.send!(spent()));
}

/** The processor time of this process in milliseconds. */
function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The same of a process that serves; of none, nothing. */
async function spentBy(hub: ChildProcess | null): Promise<number> {
  if (!hub) return 0;
  hub.send('how much?');
  const [ms] = (await once(hub, 'message')) as [number];
  return ms;
}

/** A second's worth of one round: grants, and shares of a processor. */
interface Round {
  readonly grants: number;
  readonly members: number;
  readonly hub: number;
}

/** Two connections a target: one for messages that arrive, one for frames that do not. Without a target it floods its own hub. */
async function flood(targets: readonly string[]): Promise<void> {
  const urls = targets.length > 0 ? targets : [`ws://127.0.0.1:${(await webSocketHub({ port: 0 })).port}`];
  const message = { v: 1, name: 'locks', message: { type: 'find', hops: 3 } };
  for (const [i, url] of urls.entries()) {
    const addressed = MEMBERS.map((to) => JSON.stringify({ type: 'send', to, message }));
    pour(url, `small ${i}`, [...addressed, JSON.stringify({ type: 'message', message })]);
    pour(url, `large ${i}`, [JSON.stringify({ type: 'neither', of: Array.from({ length: 100_000 }, (_, n) => n % 1000) })]);
  }
}

function pour(url: string, id: string, frames: readonly string[]): void {
  const socket = new WebSocket(url);
  const more = () => {
    for (let i = 0; socket.bufferedAmount < 2 ** 21; i++) socket.send(frames[i % frames.length]!);
    setTimeout(more, 5);
  };
  socket.on('error', () => {}).on('close', () => setTimeout(pour, 50, url, id, frames));
  socket
    .once('message', () => {})
    .on('open', () => {
      socket.send(JSON.stringify({ type: 'hello', id, key: 'k' }));
      more();
    });
}

/** Pairs of rounds: the flood elsewhere, and the flood here. */
async function inPairs(
  media: readonly Transport[],
  targets: readonly string[],
  hub: ChildProcess | null,
): Promise<(readonly [quiet: Round, flooded: Round])[]> {
  const transports = media.map((medium) => linked(medium, { peers: MEMBERS }));
  const all = transports.map((transport) => createLocks({ transport, peers: MEMBERS }));
  await Promise.all(all.map(({ ready }) => ready));
  let count = 0;
  const over = new AbortController();
  const working = all.map(async (locks) => {
    while (!over.signal.aborted) {
      await locks.request('lock', async () => {
        count++;
        await pause(SECTION_MS);
      });
    }
  });
  const look = async () => ({ at: performance.now(), grants: count, members: spent(), hub: await spentBy(hub) });
  const round = async (at: readonly string[]): Promise<Round> => {
    const stranger = start('stranger', ...at);
    await pause(WARM_MS);
    const before = await look();
    await pause(ROUND_MS);
    const after = await look();
    await end(stranger);
    const each = (key: keyof Round) => (after[key] - before[key]) / (after.at - before.at);
    return { grants: 1_000 * each('grants'), members: each('members'), hub: each('hub') };
  };
  const pairs: (readonly [Round, Round])[] = [];
  while (pairs.length < PAIRS) {
    if (pairs.length % 2 === 0) pairs.push([await round([]), await round(targets)]);
    else {
      const flooded = await round(targets);
      pairs.push([await round([]), flooded]);
    }
  }
  over.abort();
  await Promise.all(working);
  await Promise.all(transports.map((transport) => transport.close()));
  return pairs;
}

async function overHub() {
  const hub = start('hub');
  const [port] = (await once(hub, 'message')) as [number];
  const url = `ws://127.0.0.1:${port}`;
  const pairs = await inPairs(
    MEMBERS.map((id) => webSocket({ id, url, WebSocket })),
    [url],
    hub,
  );
  await end(hub);
  return pairs;
}

async function overMesh() {
  const urls: string[] = [];
  for (const _ of MEMBERS) urls.push(`ws://127.0.0.1:${await freePort()}`);
  const portOf = (i: number) => Number(new URL(urls[i]!).port);
  return inPairs(
    MEMBERS.map((id, i) => webSocketMesh({ id, listen: { port: portOf(i) }, peers: urls })),
    urls.slice(0, 1),
    null,
  );
}

export async function floodRows(): Promise<MeasuredRow[]> {
  const rows: MeasuredRow[] = [];
  for (const [name, run] of [
    ['hub', overHub],
    ['mesh', overMesh],
  ] as const) {
    const pairs = await run();
    const kept = median(pairs.map(([quiet, flooded]) => flooded.grants / quiet.grants));
    const change = (key: keyof Round, digits = 0, times = 1) =>
      [0, 1].map((which) => (times * median(pairs.map((pair) => pair[which as 0 | 1][key]))).toFixed(digits)).join(' → ');
    rows.push(
      row(
        `grants left under a stranger's flood, ${name}`,
        `${(100 * kept).toFixed(0)} % (${change('grants')}/s)`,
        '≥ 90 %',
        kept >= KEPT,
      ),
      row('  processor time of the members', `${change('members', 1, 100)} %`),
    );
    if (name === 'hub') rows.push(row('  and of the hub', `${change('hub', 1, 100)} %`));
  }
  return rows;
}

const [, , role, ...args] = process.argv;
if (role === 'hub') await serve();
else if (role === 'stranger') await flood(args);
if (role === 'hub' || role === 'stranger') process.on('disconnect', () => process.exit());
