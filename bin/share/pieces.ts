/** The process that runs pieces for one that shares a job: what runs here may take the platform's place, spin, or end, and the other one goes on. */
import { dirname } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import { UsageError } from '../../machines/errors.js';
import { examine, type Exploration } from '../../test/explore/examine.js';
import { questionOf, type CheckOptions } from '../../test/explore/scenario.js';
import { bringProtocols, protocolOf } from '../protocols.js';
import { rehearsalIn } from '../rehearsal-module.js';
import { parseIn } from '../scenarios.js';
import type { PieceEnding, SharedTask } from './job.js';

/** What a thread of it runs: a process whose parent was killed is given another. */
const ENDS_WITH_PARENT = `
const { workerData } = require('node:worker_threads');
setInterval(() => { if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL'); }, 500);
`;

type Work = (input: never) => unknown;

async function workOf(task: SharedTask): Promise<Work> {
  switch (task.work) {
    case 'rehearse': {
      const { main, ...options } = await rehearsalIn(task.word);
      const { Rehearsing } = await import('../../test/rehearsal/rehearse.js');
      const { runs, seed } = task;
      const rehearsing = await Rehearsing.begin({ ...options, runs, ...(seed !== undefined && { seed }) }, main);
      return (run: number) => rehearsing.runs(run, 1);
    }
    case 'swarm': {
      await bringProtocols(task.protocols);
      const { protocol } = await protocolOf(task.word);
      const { swarmPart } = await import('../../test/swarm/swarm.js');
      return (part: number) => swarmPart(protocol, task.seed, part);
    }
    case 'check':
      await bringProtocols(task.protocols);
      return (source: { where: string; json: unknown }) => explored(source, task.options);
  }
}

/** Without the functions of its network, which do not travel; nobody needs them to tell it, nor to run it again. */
function explored({ where, json }: { where: string; json: unknown }, options: CheckOptions): Exploration {
  const { counterexample, ...found } = examine(
    questionOf(parseIn(dirname(where), json), { ...options, now: () => performance.now() }),
  );
  if (!counterexample) return found;
  const { instance: _, ...rest } = counterexample;
  return { ...found, counterexample: rest as typeof counterexample };
}

async function ending(work: Promise<Work>, input: unknown): Promise<PieceEnding<unknown>> {
  try {
    return { result: await (await work)(input as never) };
  } catch (error) {
    const isUsage = error instanceof UsageError;
    return { broken: isUsage ? error.message : String((error as Error)?.stack ?? error), isUsage };
  }
}

const work = workOf(JSON.parse(process.argv[2]!) as SharedTask);
// It is told with the first piece.
work.catch(() => {});
// Ctrl-C is heard by the one that shares, which ends this one.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());
// Whoever is in the middle of a search does not hear that.
new Thread(ENDS_WITH_PARENT, { eval: true, execArgv: [], workerData: process.ppid }).unref();
// Nobody may be there any more to hear it.
process.on('message', (input) => void ending(work, input).then((ended) => process.send!(ended, () => {})));
