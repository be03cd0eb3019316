/**
 * The same search in several threads, each of which searches its share of the states (`level-search.ts`). The host starts the threads.
 *
 * A search restarts when it learns a fact about charts or properties (`restart.ts`). If a thread needs a restart or meets an error, all
 * threads give up, and one thread alone repeats the search up to that point and reports the result. The answer, the counts and the
 * counterexample are the same as with one thread.
 */
import { attempted, examine, Examination, type Exploration, type Question } from './examine.js';
import { nothingKnown, type Known } from './restart.js';
import { Barrier, sharedMemory, type SharedMemory } from './shared-memory.js';
import type { Findings } from './watch.js';

/** A request to another thread: search as thread number `mine` of the group. */
export interface ThreadTask {
  readonly known: Known;
  readonly mine: number;
  readonly of: number;
  readonly memory: SharedMemory;
}

/** The result of a thread's search, or `undefined` if the thread had to stop. */
export type ThreadResult = Findings | undefined;

/** Starts the search in another thread and returns its result. */
export type ThreadRunner = (task: ThreadTask) => Promise<ThreadResult>;

/**
 * True if several threads can search for the answer: breadth-first, without reduction, and with properties of single states only. `closed`
 * and liveness properties need the whole graph, which only the search in one thread keeps.
 */
export const isDivisible = ({ search, reduce, compact, goal, properties }: Question): boolean =>
  search === 'breadth' &&
  !reduce &&
  !compact &&
  !goal &&
  properties.every(({ kind }) => kind === 'always' || kind === 'sometimes');

/** Runs in another thread: searches its share for the same question. */
export function searchPart(question: Question, task: ThreadTask): ThreadResult {
  const barrier = new Barrier(task.memory.cells, task.of);
  try {
    const examination = new Examination(question, task.known, task);
    for (const pause of examination.exploring()) {
      if (pause === 'barrier') barrier.wait();
      if (barrier.isOver) return undefined;
    }
    return examination.watch.findings();
  } catch {
    barrier.giveUp();
    return undefined;
  }
}

export async function examineTogether(question: Question, runners: readonly ThreadRunner[]): Promise<Exploration> {
  if (!isDivisible(question)) return examine(question);
  const known = nothingKnown();
  for (;;) {
    const examination = (await attemptedTogether(question, known, runners)) ?? attempted(question, known);
    if (examination) return examination.conclusion();
  }
}

async function attemptedTogether(question: Question, known: Known, runners: readonly ThreadRunner[]) {
  const of = runners.length + 1;
  const memory = sharedMemory();
  const barrier = new Barrier(memory.cells, of);
  const answers = Promise.all(runners.map((help, i) => help({ known, mine: i + 1, of, memory })));
  answers.catch(() => barrier.giveUp());
  const examination = await examineShare(question, { known, mine: 0, of, memory });
  const findings = (await answers).filter((answer) => answer !== undefined);
  if (findings.length < runners.length) return undefined;
  examination?.takeIn(findings);
  return examination;
}

/**
 * Searches one share in the thread that must notice when another thread fails. Returns undefined if some thread had to give up.
 */
export async function examineShare(question: Question, task: ThreadTask): Promise<Examination | undefined> {
  const barrier = new Barrier(task.memory.cells, task.of);
  try {
    const examination = new Examination(question, task.known, task);
    for (const pause of examination.exploring()) {
      if (pause === 'barrier') await barrier.waitAsync();
      if (barrier.isOver) return undefined;
    }
    return examination;
  } catch {
    barrier.giveUp();
    return undefined;
  }
}
