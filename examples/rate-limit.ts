/**
 * Eight HTTP workers share one port and one budget: of 400 requests exactly 250 are accepted, without a request to a central server for
 * each.
 */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { createQuota } from 'xstate-quiver/quota';
import { linked, webSocket } from 'xstate-quiver/transports';
import { webSocketHub } from 'xstate-quiver/transports/node';

const PEERS = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7', 'w8'];
const BUDGET = 250;

async function work(id: string, url: string): Promise<void> {
  const transport = linked(webSocket({ id, url, WebSocket }), { peers: PEERS, patience: 100 });
  const quota = createQuota({ transport, peers: PEERS, budget: BUDGET });
  await quota.ready;
  const server = createServer(async (_, response) => {
    const { ok } = await quota.take();
    response.writeHead(ok ? 200 : 429, { worker: id }).end();
  });
  server.listen(0);
}

async function main(): Promise<void> {
  const hub = await webSocketHub({ port: 0 });
  const workers = PEERS.map((ID) => cluster.fork({ ID, HUB: `ws://127.0.0.1:${hub.port}` }));
  const [[{ port }]] = (await Promise.all(workers.map((worker) => once(worker, 'listening')))) as [[AddressInfo]];
  const ask = () => fetch(`http://127.0.0.1:${port}`);
  const answers = await Promise.all(Array.from({ length: 400 }, ask));
  const asked = new Set(answers.map(({ headers }) => headers.get('worker')));
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  console.log(`${count(200)} let in, ${count(429)} refused, by ${asked.size} workers`);
  for (const worker of workers) worker.process.kill();
  await hub.close();
}

await (cluster.isPrimary ? main() : work(process.env['ID']!, process.env['HUB']!));
