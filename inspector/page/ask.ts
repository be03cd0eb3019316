/** The query on the trace: its text, the lines and intervals that match, and the option to stop playback at them. */
import { computed, effect, signal } from '@preact/signals';
import { lastAtMost } from '../model/columns.js';
import { Intervals, stretchesOf, type Interval } from '../model/intervals.js';
import { ASKED, queryOf, type Query } from '../model/query.js';
import type { ReadTrace } from '../model/recording.js';
import { breakpoints, currentLine, followsEnd, growing, isLoading, pauseAt, stopAtBreakpoint } from './state.js';
import { thrownText } from '../../machines/errors.js';

/** The terms of a query in one line. */
export const QUERY_HINT = `${Object.keys(ASKED).join(', ')}, ctx.KEY, words; a minus negates`;

export const askedText = signal('');
export const isAsking = signal(false);
/** Counts how often the query line was opened, so that it gets the focus each time. */
export const askings = signal(0);

export function ask(): void {
  isAsking.value = true;
  askings.value++;
}

/** The numbers of the matching lines, in ascending order. */
export const hits = signal<readonly number[]>([]);
/** For a query about states: the intervals in which it holds, for each node. `null` for a query about single lines. */
export const intervals = signal<readonly Interval[] | null>(null);
export const stretches = computed(() => stretchesOf(intervals.value ?? []));
export const questionProblem = signal<string | null>(null);
/** True if playback stops at matching lines or, for a query about states, at the beginning of an interval. */
export const stopsAtHits = signal(false);

const stops = computed(() => intervals.value?.map(({ from }) => from) ?? hits.value);
effect(() => {
  breakpoints.value = stopsAtHits.value ? stops.value : [];
});

/** A live trace stops at new lines: those that were not shown at the last query, stop or follow. */
let comesFrom = 0;
effect(() => {
  if (stopsAtHits.value && followsEnd.value) comesFrom = currentLine.peek() + 1;
});

/** For so long it looks without a break. */
const BREAK_MS = 15;

interface Asked {
  readonly text: string;
  readonly of: ReadTrace;
  readonly query: Query;
  readonly found: number[];
  readonly held: Intervals;
  next: number;
}

let asked: Asked | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

effect(() => {
  const of = growing();
  const text = askedText.value.trim();
  if (asked?.text !== text || asked.of !== of) begin(text, of);
  clearTimeout(timer);
  look();
});

function begin(text: string, of: ReadTrace): void {
  asked = null;
  comesFrom = currentLine.peek() + 1;
  questionProblem.value = null;
  hits.value = [];
  intervals.value = null;
  if (text === '') return;
  try {
    asked = { text, of, query: queryOf(text), next: 0, found: [], held: new Intervals() };
  } catch (error) {
    questionProblem.value = thrownText(error);
  }
}

/** Continues the search where it stopped, up to the last line. */
function look(): void {
  if (!asked) return;
  const { of, found, held } = asked;
  const stopsBefore = stops.peek().length;
  const [began, before] = [asked.next, found.length];
  const until = performance.now() + BREAK_MS;
  asked.next = Math.max(asked.next, of.first);
  const end = reportedEnd(of);
  while (asked.next < end && performance.now() < until) lookAt(asked, asked.next++);
  if (found.length > before) hits.value = [...found];
  if (asked.query.lasts && asked.next > began) intervals.value = [...held.all];
  const isFollowing = stopsAtHits.peek() && of.header?.live && followsEnd.peek();
  const stop = isFollowing ? stops.peek().find((line, i) => i >= stopsBefore && line >= comesFrom) : undefined;
  if (stop !== undefined) stopAtBreakpoint(stop);
  if (asked.next < end) timer = setTimeout(look);
}

function lookAt({ of, query, found, held }: Asked, line: number): void {
  const answers = query.answers(of, line);
  if (answers) found.push(line);
  if (query.lasts && of.nodeOf(line) >= 0) held.step(line, of.nodeOf(line), answers);
}

/** One past the last complete line. Violations are recorded before their step, and wait for it while lines arrive. */
function reportedEnd(of: ReadTrace): number {
  let { end } = of;
  while (isLoading.peek() && end > of.first && of.kindOf(end - 1) === 'violated') end--;
  return end;
}

/** Goes to the next or the previous matching line. */
export function goToHit(direction: 1 | -1): void {
  const at = lastAtMost(hits.value, direction === 1 ? currentLine.value : currentLine.value - 1);
  const line = hits.value[direction === 1 ? at + 1 : at];
  if (line !== undefined) pauseAt(line);
}
