/**
 * Eight worker threads share one budget of 100,000: each takes permits until it is refused, and the total is exactly the budget.
 *
 *
 *     node examples/shared-quota.ts # with Node 22.18 or newer
 */
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, MessageChannel, parentPort, Worker, workerData, type MessagePort } from 'node:worker_threads';
import { createQuota } from 'xstate-quiver/quota';
import { messagePort, MessagePortHub } from 'xstate-quiver/transports';

const PEERS = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7', 'w8'];
const BUDGET = 100_000;

interface Work {
  readonly id: string;
  readonly port: MessagePort;
}

interface Result {
  readonly taken: number;
  readonly messages: number;
}

async function work({ id, port }: Work): Promise<void> {
  const transport = messagePort(port, { id });
  const quota = createQuota({ transport, peers: PEERS, budget: BUDGET });
  let [taken, messages] = [0, 0];
  quota.node.steps$.subscribe(({ outcome }) => (messages += outcome.sends.length));
  await quota.ready;
  parentPort!.postMessage('ready');
  await once(parentPort!, 'message');
  // Most permits are granted immediately, so a loop without a pause would block messages of other threads.
  while ((await quota.take()).ok) if (++taken % 10 === 0) await setImmediate();
  // The others may still need this peer for a change.
  parentPort!.postMessage({ taken, messages });
  await once(parentPort!, 'message');
  await quota.close();
  await transport.close();
}

async function main(): Promise<void> {
  const hub = new MessagePortHub();
  const workers = PEERS.map((id) => {
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    return new Worker(fileURLToPath(import.meta.url), { workerData: { id, port: port2 }, transferList: [port2] });
  });
  const answers = () => Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0] as Result));
  await answers();
  workers.forEach((worker) => worker.postMessage('start'));
  const results = await answers();
  workers.forEach((worker) => worker.postMessage('all are done'));
  await Promise.all(workers.map((worker) => once(worker, 'exit')));
  hub.close();
  const sum = (key: keyof Result) => results.reduce((total, result) => total + result[key], 0);
  console.log(`given out ${sum('taken')} of ${BUDGET}`);
  console.log(
    `sends per permit ${(sum('messages') / BUDGET).toPrecision(2)}; by peer ${results.map(({ taken }) => taken).join(', ')}`,
  );
}

await (isMainThread ? main() : work(workerData as Work));
