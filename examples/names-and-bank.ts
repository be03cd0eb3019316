/** Four worker threads number their items and share one account: no number is given twice, and the account is never overdrawn. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isMainThread, MessageChannel, parentPort, Worker, workerData, type MessagePort } from 'node:worker_threads';
import { createBank } from 'xstate-quiver/bank';
import { createNames } from 'xstate-quiver/names';
import { messagePort, MessagePortHub } from 'xstate-quiver/transports';

const PEERS = ['w1', 'w2', 'w3', 'w4'];
const EACH = 500;

async function work({ id, port }: { id: string; port: MessagePort }): Promise<void> {
  const transport = messagePort(port, { id });
  const names = createNames({ transport, peers: PEERS });
  const bank = createBank({ transport, peers: PEERS, balance: 200, waste: 100 });
  const numbers: number[] = [];
  for (let i = 0; i < EACH; i++) {
    await (id < 'w3' ? bank.deposit(3) : bank.withdraw(3));
    numbers.push(await names.next());
  }
  parentPort!.postMessage(numbers);
}

async function main(): Promise<void> {
  const hub = new MessagePortHub();
  const workers = PEERS.map((id) => {
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    return new Worker(fileURLToPath(import.meta.url), { workerData: { id, port: port2 }, transferList: [port2] });
  });
  const numbers = (await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0] as number[]))).flat();
  await Promise.all(workers.map((worker) => worker.terminate()));
  hub.close();
  console.log(
    `${new Set(numbers).size} different numbers of ${numbers.length}, the largest ${Math.max(...numbers)}; every withdrawal was paid`,
  );
}

await (isMainThread ? main() : work(workerData));
