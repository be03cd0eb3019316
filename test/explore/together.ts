/**
 * The same search in several threads, each of which finds its share of the states (`level-search.ts`); the host brings the threads.
 *
 * What a search finds out about charts and properties on its way makes it begin again. Where a thread meets that, or an error, all give
 * up, and one thread alone comes to the same place and says what there is to say. The answer, the counts and the counterexample are those
 * of one thread.
 */
import { attempted, examine, Examination, nothingKnown, type Exploration, type Known, type Question } from './examine.js';
import { Meeting, sharedMemory, type SharedMemory } from './shared-memory.js';
import type { Findings } from './watch.js';

/** What another thread is asked: to be number `mine` of those that search. */
export interface ThreadTask {
  readonly known: Known;
  readonly mine: number;
  readonly of: number;
  readonly memory: SharedMemory;
}

/** What it has found out about its states; nothing when it had to give up. */
export type ThreadResult = Findings | undefined;

/** Begins to search elsewhere. */
export type ThreadRunner = (task: ThreadTask) => Promise<ThreadResult>;

/**
 * True if several threads can search for the answer: breadth first, without a reduction, and where states are judged one by one. What
 * is said of steps and of endless runs needs the whole graph, which one thread keeps.
 */
export const isDivisible = ({ search, reduce, compact, goal, properties }: Question): boolean =>
  search === 'breadth' &&
  !reduce &&
  !compact &&
  !goal &&
  properties.every(({ kind }) => kind === 'always' || kind === 'sometimes');

/** In another thread: does what it is asked, with the same question. */
export function searchPart(question: Question, task: ThreadTask): ThreadResult {
  const meeting = new Meeting(task.memory.cells, task.of);
  try {
    const examination = new Examination(question, task.known, task);
    for (const pause of examination.exploring()) {
      if (pause === 'meet') meeting.wait();
      if (meeting.isOver) return undefined;
    }
    return examination.watch.findings();
  } catch {
    meeting.giveUp();
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
  const meeting = new Meeting(memory.cells, of);
  const answers = Promise.all(runners.map((help, i) => help({ known, mine: i + 1, of, memory })));
  answers.catch(() => meeting.giveUp());
  const examination = await partOf(question, { known, mine: 0, of, memory });
  const findings = (await answers).filter((answer) => answer !== undefined);
  if (findings.length < runners.length) return undefined;
  examination?.takeIn(findings);
  return examination;
}

/** One part, in a thread that hears meanwhile when another one fails; nothing when somebody had to give up. */
export async function partOf(question: Question, task: ThreadTask): Promise<Examination | undefined> {
  const meeting = new Meeting(task.memory.cells, task.of);
  try {
    const examination = new Examination(question, task.known, task);
    for (const pause of examination.exploring()) {
      if (pause === 'meet') await meeting.met();
      if (meeting.isOver) return undefined;
    }
    return examination;
  } catch {
    meeting.giveUp();
    return undefined;
  }
}
