/**
 * The run that the "compare" view shows next to the current one: a branch, a trace from a file, or the scenario with another seed or
 * options.
 */
import { computed, effect, signal } from '@preact/signals';
import { firstDifference, firstOtherStep } from '../model/difference.js';
import { isTimed } from '../model/playback.js';
import { ReadTrace } from '../model/recording.js';
import { branches, current } from './branches.js';
import { fetchRun, madeRun, scenarioNow } from './reach.js';
import { isServed } from './shell.js';
import { currentLine, growing, isLoading, recording } from './state.js';
import { thrownText } from '../../machines/errors.js';

interface Brought {
  readonly name: string;
  readonly run: ReadTrace;
}

const BROUGHT_MAX = 4;

/** The last few runs that were added to the branches for comparison. */
const brought = signal<readonly Brought[]>([]);
/** The reason why no run could be added. */
export const compareProblem = signal<string | null>(null);

/** The key of a run: the position of a branch, or the name of an added run. */
export type RunKey = number | string;
const chosen = signal<RunKey | null>(null);
export const chooseRun = (choice: RunKey): void => void (chosen.value = choice);

export const choices = computed((): readonly { readonly choice: RunKey; readonly name: string }[] => [
  ...[...branches.value.entries()].filter(([place]) => place !== current.value).map(([choice, { name }]) => ({ choice, name })),
  ...brought.value.map(({ name }) => ({ choice: name, name })),
]);

/** The run to compare with: by default the one from which the branch forked; `null` if there is none. */
export const choice = computed((): RunKey | null => {
  const wanted = chosen.value ?? branches.value[current.value]?.from ?? null;
  return (choices.value.find((one) => one.choice === wanted) ?? choices.value[0])?.choice ?? null;
});

export const otherRun = signal<ReadTrace | null>(null);

effect(() => {
  const now = choice.value;
  const known = brought.value.find(({ name }) => name === now);
  otherRun.value = known?.run ?? null;
  if (typeof now !== 'number') return;
  void fetchRun(branches.value[now]!.gestures).then((run) => {
    if (choice.peek() === now) otherRun.value = run;
  });
});

/** The first difference of the two runs. `null` if there is none or a run is still loading. */
export const parting = computed(() => {
  const run = otherRun.value;
  return run && !isLoading.value ? { line: firstDifference(growing(), run), step: firstOtherStep(growing(), run) } : null;
});

function bring(name: string, run: ReadTrace): void {
  brought.value = [{ name, run }, ...brought.value.filter((one) => one.name !== name)].slice(0, BROUGHT_MAX);
  chosen.value = name;
}

/** Adds a trace from a file. */
export async function bringFile(file: File): Promise<void> {
  compareProblem.value = null;
  const run = new ReadTrace();
  run.push(await file.text().catch(() => ''));
  run.close();
  if (run.header === null) compareProblem.value = `${file.name}: ${run.problem}`;
  else bring(file.name, run);
}

/** Options of the new run that replace those of the scenario. */
export interface RunChanges {
  readonly seed: string;
  /** An object as JSON. */
  readonly options: string;
}

/** Adds the run of the scenario, including gestures, with another seed or other options. */
export async function bringRun({ seed, options }: RunChanges): Promise<void> {
  compareProblem.value = null;
  const { seed: _, options: given, ...rest } = scenarioNow.value as { seed?: number; options?: object };
  try {
    const other = { ...given, ...(options.trim() === '' ? {} : (JSON.parse(options) as object)) };
    const run = await madeRun('run', {
      ...rest,
      options: other,
      seed: seed === '' ? recording.value.header?.seed : Number(seed),
    });
    bring([seed && `seed ${seed}`, options.trim()].filter(Boolean).join(', ') || 'the same again', run);
  } catch (error) {
    compareProblem.value = thrownText(error).trim();
  }
}

/** True if the run is a counterexample and a server can search for a run without the violation. */
export const mayBringNearest = computed(() => isServed && growing().header?.choices !== undefined);
export const isSeeking = signal(false);

/** Adds the run that follows the counterexample for as long as possible and then keeps the property. */
export async function bringNearest(): Promise<void> {
  compareProblem.value = null;
  isSeeking.value = true;
  try {
    const { scenario, choices, start } = growing().header!;
    bring('nearest good run', await madeRun('nearest', { scenario, choices, start }));
  } catch (error) {
    compareProblem.value = thrownText(error).trim();
  }
  isSeeking.value = false;
}

/** The line of the other run when this one is at its line: at the same time or, without times, at the same line. */
export function lineOfOther(run: ReadTrace): number {
  const now = currentLine.value;
  const here = growing();
  if (!isTimed(here) || !isTimed(run)) return Math.min(now, run.end - 1);
  return now < here.first ? run.first - 1 : run.lastLineAt(here.at(now));
}
