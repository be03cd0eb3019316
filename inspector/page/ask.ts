/** What is asked of the trace: its text, the lines that answer, and whether a play stops at them. */
import { effect, signal } from '@preact/signals';
import { lastAtMost } from '../model/columns.js';
import { queryOf, type Query } from '../model/query.js';
import type { ReadTrace } from '../model/recording.js';
import { breakpoints, currentLine, followsEnd, growing, isLoading, pauseAt, recording } from './state.js';

export const askedText = signal('');
export const isAsking = signal(false);
/** Rising. */
export const hits = signal<readonly number[]>([]);
export const questionProblem = signal<string | null>(null);
/** Whether a play stops where a line answers. */
export const stopsAtHits = signal(false);

effect(() => {
  breakpoints.value = stopsAtHits.value ? hits.value : [];
});

/** For so long it looks without a break. */
const BREAK_MS = 15;

let asked: { readonly text: string; readonly of: object; readonly query: Query; next: number; found: number[] } | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

effect(() => {
  const of = growing();
  const text = askedText.value.trim();
  if (asked?.text !== text || asked.of !== of) begin(text, of);
  clearTimeout(timer);
  look();
});

function begin(text: string, of: object): void {
  asked = null;
  questionProblem.value = null;
  hits.value = [];
  if (text === '') return;
  try {
    asked = { text, of, query: queryOf(text), next: 0, found: [] };
  } catch (error) {
    questionProblem.value = (error as Error).message;
  }
}

/** Goes on where it stopped, until it has seen all lines that there are. */
function look(): void {
  if (!asked) return;
  const { query, found } = asked;
  const of = recording.peek();
  const before = found.length;
  const until = performance.now() + BREAK_MS;
  asked.next = Math.max(asked.next, of.first);
  const end = toldEnd(of);
  while (asked.next < end && performance.now() < until) {
    if (query.answers(of, asked.next)) found.push(asked.next);
    asked.next++;
  }
  if (found.length > before) {
    hits.value = [...found];
    // What is alive goes on; the page stays where it is asked to stop.
    if (stopsAtHits.peek() && of.header?.live && followsEnd.peek()) {
      pauseAt(found[before]!);
      followsEnd.value = false;
    }
  }
  if (asked.next < end) timer = setTimeout(look);
}

/** One past the last line that is told whole: what a step violated is told before it, and waits for it while lines come in. */
function toldEnd(of: ReadTrace): number {
  let { end } = of;
  while (isLoading.peek() && end > of.first && of.kindOf(end - 1) === 'violated') end--;
  return end;
}

/** To the next line that answers, or the one before. */
export function goToHit(direction: 1 | -1): void {
  const at = lastAtMost(hits.value, direction === 1 ? currentLine.value : currentLine.value - 1);
  const line = hits.value[direction === 1 ? at + 1 : at];
  if (line !== undefined) pauseAt(line);
}
