/**
 * Four worker threads count to 4,000 together. Each step is a read, a pause and a write, which only the lock makes atomic.
 *
 *
 *     node examples/shared-counter.ts             # loses nothing; with Node 22.18 or newer, as are all programs with workers
 *     node examples/shared-counter.ts --no-lock   # shows lost updates
 */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isMainThread, MessageChannel, parentPort, Worker, workerData, type MessagePort } from 'node:worker_threads';
import { createLocks } from 'xstate-quiver/locks';
import { messagePort, MessagePortHub } from 'xstate-quiver/transports';

const PEERS = ['w1', 'w2', 'w3', 'w4'];
const STEPS_EACH = 1_000;

interface Work {
  readonly id: string;
  readonly port: MessagePort;
  readonly memory: SharedArrayBuffer;
  readonly useLock: boolean;
}

async function work({ id, port, memory, useLock }: Work): Promise<void> {
  const transport = messagePort(port, { id });
  const locks = createLocks({ transport, peers: PEERS });
  const counter = new Int32Array(memory);
  const increment = () => {
    const seen = counter[0]!;
    for (let pause = 0; pause < 1_000; pause++) counter[1] = pause;
    counter[0] = seen + 1;
  };
  await locks.ready;
  parentPort!.postMessage('ready');
  await once(parentPort!, 'message');
  let fence = 0;
  for (let step = 0; step < STEPS_EACH; step++) {
    if (!useLock) increment();
    else
      await locks.request('counter', (lock) => {
        increment();
        fence = lock.fence;
      });
  }
  // The others may still need this peer to pass the lock on.
  parentPort!.postMessage(fence);
  await once(parentPort!, 'message');
  await locks.close();
  await transport.close();
}

async function main(): Promise<void> {
  const useLock = !process.argv.includes('--no-lock');
  const memory = new SharedArrayBuffer(8);
  const hub = new MessagePortHub();
  const workers = PEERS.map((id) => {
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    const data: Work = { id, port: port2, memory, useLock };
    return new Worker(fileURLToPath(import.meta.url), { workerData: data, transferList: [port2] });
  });
  const answers = () => Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0]));
  const notify = (message: string) => workers.forEach((worker) => worker.postMessage(message));
  await answers();
  notify('start');
  const fences = await answers();
  notify('all are done');
  await Promise.all(workers.map((worker) => once(worker, 'exit')));
  hub.close();
  console.log(`counted ${new Int32Array(memory)[0]} of ${PEERS.length * STEPS_EACH}, last fence ${Math.max(...fences)}`);
}

await (isMainThread ? main() : work(workerData as Work));
