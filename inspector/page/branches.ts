/**
 * The runs that gestures have made, as a tree. Each gesture forks at its moment, and both continuations are kept.
 *
 * A branch is a list of gestures. Its run is made on demand, and the last few runs are kept. The list survives a reload of the page, in the
 * session of its tab.
 */
import { computed, signal } from '@preact/signals';
import type { ReadTrace } from '../model/recording.js';
import type { Gesture } from './reach.js';

export interface Branch {
  readonly name: string;
  readonly gestures: readonly Gesture[];
  /** The place of the one that it forked from; `null` for the run as it was given. */
  readonly from: number | null;
}

const GIVEN: Branch = { name: 'as given', gestures: [], from: null };
const RUNS_MAX = 6;

export const branches = signal<readonly Branch[]>([GIVEN]);
export const current = signal(0);
export const currentGestures = computed(() => branches.value[current.value]?.gestures ?? []);

const runs = new Map<string, ReadTrace>();
const keyOf = (gestures: readonly Gesture[]): string => JSON.stringify(gestures);

export const runOf = (gestures: readonly Gesture[]): ReadTrace | undefined => runs.get(keyOf(gestures));

export function keepRun(gestures: readonly Gesture[], run: ReadTrace): void {
  const key = keyOf(gestures);
  runs.delete(key);
  runs.set(key, run);
  for (const oldest of [...runs.keys()].slice(0, -RUNS_MAX)) runs.delete(oldest);
}

/** Makes the branch with these gestures the current one, and creates it if it does not exist. */
export function goOn(next: readonly Gesture[], name: string): void {
  const key = keyOf(next);
  const known = branches.value.findIndex((one) => keyOf(one.gestures) === key);
  if (known < 0) branches.value = [...branches.value, { name, gestures: next, from: current.value }];
  current.value = known < 0 ? branches.value.length - 1 : known;
  remember();
}

export function rename(branch: number, name: string): void {
  branches.value = branches.value.map((one, i) => (i === branch && name.trim() !== '' ? { ...one, name: name.trim() } : one));
  remember();
}

export interface Fork {
  readonly branch: number;
  readonly name: string;
  /** The first moment at which one does what the other does not. */
  readonly at: number;
}

/** The other branches, ordered by the time at which they diverge from the current one. */
export const forks = computed((): readonly Fork[] =>
  branches.value
    .map(({ name, gestures: theirs }, branch) => ({ branch, name, at: partsAt(currentGestures.value, theirs) }))
    .filter(({ branch }) => branch !== current.value)
    .sort((a, b) => a.at - b.at),
);

function partsAt(some: readonly Gesture[], others: readonly Gesture[]): number {
  const without = (all: readonly Gesture[], known: ReadonlySet<string>) => all.filter((one) => !known.has(JSON.stringify(one)));
  const keysOf = (all: readonly Gesture[]) => new Set(all.map((one) => JSON.stringify(one)));
  return Math.min(...[...without(some, keysOf(others)), ...without(others, keysOf(some))].map(({ at }) => at));
}

let place = '';

/** Restores the branches of a scenario after the page was reloaded. */
export function recallBranches(scenario: unknown): void {
  runs.clear();
  place = `branches of ${JSON.stringify(scenario)}`;
  const kept: { branches: Branch[]; current: number } | null = JSON.parse(sessionStorage.getItem(place) ?? 'null');
  branches.value = kept?.branches ?? [GIVEN];
  current.value = kept?.current ?? 0;
}

function remember(): void {
  try {
    sessionStorage.setItem(place, JSON.stringify({ branches: branches.value, current: current.value }));
  } catch {
    // Without free storage, the branches are kept until the page closes.
  }
}
