/** A worker thread that shares a quota, names and a bank with others, controlled by messages. */
import { createNames } from '../names.js';
import { createQuota } from '../quota.js';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { createBank } from './bank.js';
import { messagePort } from '../transports/message-port.js';

export interface Assignment {
  readonly id: string;
  readonly port: MessagePort;
  readonly peers: readonly string[];
}

export type Order = { readonly do: 'take' | 'name' | 'deposit' | 'withdraw'; readonly times: number } | { readonly do: 'die' };

const { id, port, peers } = workerData as Assignment;
const transport = messagePort(port, { id });
const quota = createQuota({ transport, peers, budget: 1000 });
const names = createNames({ transport, peers });
const bank = createBank({ transport, peers, waste: 20 });

const questions = {
  take: async () => (await quota.take()).ok,
  name: () => names.next(),
  deposit: () => bank.deposit(2),
  withdraw: () => bank.withdraw(2),
};

async function obey(order: Order): Promise<unknown[]> {
  if (order.do === 'die') process.exit(0);
  const answers: unknown[] = [];
  for (let i = 0; i < order.times; i++) {
    answers.push(await questions[order.do]().catch((error: Error) => error.name));
    // Most calls resolve immediately: a loop without a pause would block messages of the others.
    if (i % 10 === 9) await new Promise((resolve) => setImmediate(resolve));
  }
  return answers;
}

parentPort!.on('message', (order: Order) => void obey(order).then((answers) => parentPort!.postMessage(answers)));
await Promise.all([quota.ready, names.ready, bank.ready]);
parentPort!.postMessage('ready');
