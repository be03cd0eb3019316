/** Quota, names and bank over MessagePorts, each peer in a separate worker thread. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MessagePortHub } from '../transports/message-port.js';
import type { Assignment, Order } from './threads.fixture.js';

const PEERS = ['a', 'b', 'c', 'd'];

/** In node_modules, so that the built file finds the same packages. */
const folder = mkdtempSync(resolve('node_modules', 'threads-'));
let hub: MessagePortHub;
let workers: Worker[] = [];

beforeAll(async () => {
  const lib = { entry: 'adapters/controller/threads.fixture.ts', formats: ['es' as const], fileName: () => 'threads.mjs' };
  const external = [/^node:/, 'rxjs', 'xstate'];
  await build({
    configFile: false,
    logLevel: 'error',
    build: { lib, outDir: folder, target: 'node20', rolldownOptions: { external } },
  });
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true }));

async function start(): Promise<void> {
  hub = new MessagePortHub();
  workers = PEERS.map((id) => {
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    const workerData: Assignment = { id, port: port2, peers: PEERS };
    return new Worker(join(folder, 'threads.mjs'), { workerData, transferList: [port2] });
  });
  await Promise.all(workers.map((worker) => once(worker, 'message')));
}

async function tell(worker: Worker, order: Order): Promise<unknown[]> {
  worker.postMessage(order);
  return (await once(worker, 'message'))[0] as unknown[];
}

async function stop(): Promise<void> {
  await Promise.all(workers.map((worker) => worker.terminate()));
  hub.close();
}

const count = (answers: readonly unknown[], what: unknown): number => answers.filter((answer) => answer === what).length;

describe('while all peers stay', () => {
  beforeAll(start);
  afterAll(stop);

  test('a budget of 1,000 is granted to the last permit', async () => {
    const answers = (await Promise.all(workers.map((worker) => tell(worker, { do: 'take', times: 300 })))).flat();
    expect([count(answers, true), count(answers, false)]).toEqual([1000, 200]);
  });

  test('names are unique and below four times their number', async () => {
    const names = (await Promise.all(workers.map((worker) => tell(worker, { do: 'name', times: 50 })))).flat() as number[];
    expect(new Set(names).size).toBe(200);
    expect(Math.max(...names)).toBeLessThan(4 * 204);
  });

  test('a bank pays withdrawals from deposits at other peers', async () => {
    const [a, b, c, d] = workers;
    const paid = [tell(a!, { do: 'withdraw', times: 40 }), tell(b!, { do: 'withdraw', times: 40 })];
    await Promise.all([tell(c!, { do: 'deposit', times: 40 }), tell(d!, { do: 'deposit', times: 60 })]);
    expect(count((await Promise.all(paid)).flat(), undefined)).toBe(80);
  });
});

describe('when threads die', () => {
  beforeAll(start);
  afterAll(stop);

  const die = (worker: Worker) => {
    worker.postMessage({ do: 'die' } satisfies Order);
    return once(worker, 'exit');
  };

  test('a leaf: the others get all permits except those that it held', async () => {
    const [a, b, c, d] = workers;
    expect(count(await tell(d!, { do: 'take', times: 10 }), true)).toBe(10);
    await die(d!);
    const answers = (await Promise.all([a!, b!, c!].map((worker) => tell(worker, { do: 'take', times: 400 })))).flat();
    const given = 10 + count(answers, true);
    expect(given + count(answers, false)).toBe(1210);
    expect(given).toBeLessThanOrEqual(1000);
    expect(given).toBeGreaterThanOrEqual(990);
  });

  test('the root: requests of the others are refused', async () => {
    const [a, b] = workers;
    await die(a!);
    expect(await tell(b!, { do: 'name', times: 40 })).toContain('ConnectionError');
  });
});
