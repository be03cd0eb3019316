/** Starts the threads of `quiver check --threads`. Each thread parses the scenario itself, because charts cannot be sent to a thread. */
import { dirname } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { questionOf, type CheckOptions } from '../test/explore/scenario.js';
import { searchPart, type ThreadResult, type ThreadTask, type ThreadRunner } from '../test/explore/together.js';
import { bringProtocols, broughtFiles } from './protocols.js';
import { parseIn, type Source } from './scenarios.js';

interface Task {
  readonly where: string;
  readonly json: unknown;
  readonly options: CheckOptions;
  readonly protocols: readonly string[];
}

export const startThreads = ({ where, json }: Source, options: CheckOptions, count: number): Worker[] =>
  Array.from({ length: count }, () => {
    const task: Task = { where, json, options, protocols: broughtFiles() };
    return new Worker(new URL(import.meta.url), { workerData: task });
  });

export const helperOf =
  (thread: Worker): ThreadRunner =>
  (task) =>
    new Promise((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.postMessage(task);
    });

async function work({ where, json, options, protocols }: Task): Promise<void> {
  await bringProtocols(protocols);
  const scenario = await parseIn(dirname(where), json);
  const question = questionOf(scenario, { ...options, now: () => performance.now() });
  parentPort!.on('message', (task: ThreadTask) => {
    const answer: ThreadResult = searchPart(question, task);
    parentPort!.postMessage(answer);
  });
}

if (!isMainThread && workerData) await work(workerData);
