/** Quota, names and bank over MessagePorts, each peer in a worker thread of its own. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { MessagePortHub } from './message-port.js';
import type { Assignment, Order } from './threads.fixture.js';

const PEERS = ['a', 'b', 'c', 'd'];

/** Under node_modules, so that the built file finds the same packages. */
const folder = mkdtempSync(join('node_modules', 'threads-'));
const hub = new MessagePortHub();
let workers: Worker[] = [];

beforeAll(async () => {
  const lib = { entry: 'adapters/threads.fixture.ts', formats: ['es' as const], fileName: () => 'threads.mjs' };
  const external = [/^node:/, 'rxjs', 'xstate'];
  await build({
    configFile: false,
    logLevel: 'error',
    build: { lib, outDir: folder, target: 'node20', rolldownOptions: { external } },
  });
}, 60_000);

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.terminate()));
});
afterAll(() => {
  hub.close();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<Worker[]> {
  workers = PEERS.map((id) => {
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    const workerData: Assignment = { id, port: port2, peers: PEERS };
    return new Worker(join(folder, 'threads.mjs'), { workerData, transferList: [port2] });
  });
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  return workers;
}

async function tell(worker: Worker, order: Order): Promise<unknown[]> {
  worker.postMessage(order);
  return (await once(worker, 'message'))[0] as unknown[];
}

const count = (answers: readonly unknown[], what: unknown): number => answers.filter((answer) => answer === what).length;

test('a budget of 1,000 is given out to the last permit', async () => {
  const answers = (await Promise.all((await start()).map((worker) => tell(worker, { do: 'take', times: 300 })))).flat();
  expect([count(answers, true), count(answers, false)]).toEqual([1000, 200]);
});

test('names are unique and below four times their number', async () => {
  const names = (await Promise.all((await start()).map((worker) => tell(worker, { do: 'name', times: 50 })))).flat() as number[];
  expect(new Set(names).size).toBe(200);
  expect(Math.max(...names)).toBeLessThan(4 * 204);
});

test('a bank pays out what was deposited elsewhere, and no more', async () => {
  const [a, b, c, d] = await start();
  const paid = [tell(a!, { do: 'withdraw', times: 40 }), tell(b!, { do: 'withdraw', times: 40 })];
  await Promise.all([tell(c!, { do: 'deposit', times: 40 }), tell(d!, { do: 'deposit', times: 60 })]);
  expect((await Promise.all(paid)).flat()).toHaveLength(80);
});

test('when a thread dies the others are given all but what it held', async () => {
  const [a, b, c, d] = await start();
  expect(await tell(d!, { do: 'take', times: 10 })).toHaveLength(10);
  d!.postMessage({ do: 'die' } satisfies Order);
  await once(d!, 'exit');
  const answers = (await Promise.all([a!, b!, c!].map((worker) => tell(worker, { do: 'take', times: 400 })))).flat();
  const given = 10 + count(answers, true);
  expect(given + count(answers, false)).toBe(1210);
  expect(given).toBeLessThanOrEqual(1000);
  expect(given).toBeGreaterThan(960);
});

test('when the root dies the others hear of it', async () => {
  const [a, b] = await start();
  a!.postMessage({ do: 'die' } satisfies Order);
  await once(a!, 'exit');
  expect(await tell(b!, { do: 'take', times: 200 })).toContain('ConnectionError');
});
