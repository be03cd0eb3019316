/**
 * What a stranger's flood costs the members of a hub and of a mesh, in grants of a lock that all of them want all the time. Hub and stranger
 * are processes of their own. The stranger has no token, nobody asked for one, and it sends as fast as it is read, on two connections:
 * messages for every member, and frames of half a megabyte that are no messages. Rounds in turn: it floods a hub in its own process, so that
 * the machine has as much to do, and it floods where the members are.
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
import { freePort } from './servers.js';
import { median, row, type MeasuredRow } from './measure.js';

const MEMBERS = ['a', 'b', 'c'];
const [SECTION_MS, WARM_MS, ROUND_MS, ROUNDS] = [2, 500, 1_500, 5];
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
}

/** Two connections a target: one for messages that arrive, one for frames that do not. Without a target it floods a hub of its own. */
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

/** The grants of each round: the flood elsewhere, the flood here, and so on. */
async function grants(media: readonly Transport[], targets: readonly string[]): Promise<{ quiet: number[]; flooded: number[] }> {
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
  const counted = async () => {
    await pause(WARM_MS);
    const before = count;
    await pause(ROUND_MS);
    return count - before;
  };
  const [quiet, flooded]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, counts] of [
      [[], quiet],
      [targets, flooded],
    ] as const) {
      const stranger = start('stranger', ...at);
      counts.push(await counted());
      await end(stranger);
    }
  }
  over.abort();
  await Promise.all(working);
  await Promise.all(transports.map((transport) => transport.close()));
  return { quiet, flooded };
}

async function overHub() {
  const hub = start('hub');
  const [port] = (await once(hub, 'message')) as [number];
  const url = `ws://127.0.0.1:${port}`;
  const counts = await grants(
    MEMBERS.map((id) => webSocket({ id, url, WebSocket })),
    [url],
  );
  await end(hub);
  return counts;
}

async function overMesh() {
  const urls: string[] = [];
  for (const _ of MEMBERS) urls.push(`ws://127.0.0.1:${await freePort()}`);
  const portOf = (i: number) => Number(new URL(urls[i]!).port);
  return grants(
    MEMBERS.map((id, i) => webSocketMesh({ id, listen: { port: portOf(i) }, peers: urls })),
    urls.slice(0, 1),
  );
}

export async function floodRows(): Promise<MeasuredRow[]> {
  const rows: MeasuredRow[] = [];
  for (const [name, run] of [
    ['hub', overHub],
    ['mesh', overMesh],
  ] as const) {
    const { quiet, flooded } = await run();
    const kept = median(flooded) / median(quiet);
    const rates = [quiet, flooded].map((counts) => Math.round((1_000 * median(counts)) / ROUND_MS));
    rows.push(
      row(
        `grants left under a stranger's flood, ${name}`,
        `${(100 * kept).toFixed(0)} % (${rates.join(' → ')}/s)`,
        '≥ 90 %',
        kept >= KEPT,
      ),
    );
  }
  return rows;
}

const [, , role, ...args] = process.argv;
if (role === 'hub') await serve();
else if (role === 'stranger') await flood(args);
if (role === 'hub' || role === 'stranger') process.on('disconnect', () => process.exit());
