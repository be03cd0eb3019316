/** Several parts of one search in one thread: whose turn it is, is drawn, so that every run is another race. */
import type { Random } from '../../network/random.js';
import { attempted, Examination, nothingKnown, type Exploration, type Known, type Question } from './examine.js';
import type { Pause } from './level-search.js';
import { sharedMemory } from './shared-memory.js';

interface Runner {
  readonly examination: Examination;
  readonly pauses: Generator<Pause>;
  state: 'goes on' | 'waits' | 'done';
}

/** What one thread comes to, and what it had to know before. */
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

/** What `of` threads come to. With `slow`, the first goes on only where all others wait for it. */
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

/** The states by their numbers, each with the one that it was found from. */
function statesOf({ search: { store } }: Examination): readonly string[] {
  const row = new Int32Array(store.longest);
  return Array.from({ length: store.size }, (_, state) => {
    const length = store.load(state, row);
    return `${store.parent(state)}: ${row.subarray(0, length).join(' ')}`;
  });
}

function goOn(runner: Runner): void {
  const pause = runner.pauses.next();
  runner.state = pause.done ? 'done' : pause.value === 'meet' ? 'waits' : 'goes on';
}
