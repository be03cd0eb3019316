/** Several parts of one search in one thread. A random part runs next, so that every run is another race. */
import type { Random } from '../../network/random.js';
import { attempted, Examination, type Exploration, type Question } from './examine.js';
import { nothingKnown, type Known } from './restart.js';
import type { Pause } from './level-search.js';
import { sharedMemory } from './shared-memory.js';

interface Runner {
  readonly examination: Examination;
  readonly pauses: Generator<Pause>;
  state: 'goes on' | 'waits' | 'done';
}

/** The result of one thread, with the facts that it had to learn first. */
export function alone(question: Question): {
  readonly found: Exploration;
  readonly known: Known;
  readonly states: readonly string[];
} {
  const known = nothingKnown();
  for (;;) {
    const examination = attempted(question, known);
    if (examination) return { found: examination.conclusion(), known, states: statesOf(examination) };
  }
}

/** The result of `of` threads. With `slow`, the first thread runs only when all others wait for it. */
export function raced(question: Question, known: Known, of: number, random: Random, slow: boolean) {
  const memory = sharedMemory();
  const runners = Array.from({ length: of }, (_, mine): Runner => {
    const examination = new Examination(question, known, { mine, of, memory });
    return { examination, pauses: examination.exploring(), state: 'goes on' };
  });
  for (;;) {
    const ready = runners.filter(({ state }) => state === 'goes on');
    if (ready.length > 0) goOn(slow && ready.length > 1 ? random.pick(ready.slice(1)) : random.pick(ready));
    else if (runners.every(({ state }) => state === 'done')) break;
    else if (runners.some(({ state }) => state === 'done')) throw new Error('a thread is done while others wait for it');
    else for (const runner of runners) runner.state = 'goes on';
  }
  const [first, ...others] = runners.map(({ examination }) => examination);
  first!.takeIn(others.map(({ watch }) => watch.findings()));
  return { found: first!.conclusion(), states: statesOf(first!) };
}

/** The states by id, each with its parent. */
function statesOf({ search: { store } }: Examination): readonly string[] {
  const row = new Int32Array(store.longest);
  return Array.from({ length: store.size }, (_, state) => {
    const length = store.load(state, row);
    return `${store.parent(state)}: ${row.subarray(0, length).join(' ')}`;
  });
}

function goOn(runner: Runner): void {
  const pause = runner.pauses.next();
  runner.state = pause.done ? 'done' : pause.value === 'barrier' ? 'waits' : 'goes on';
}
