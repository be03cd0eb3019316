/**
 * Gestures on a run: every gesture is a scenario event at the playhead, and the run is repeated with it. A node that is added is in the
 * topology from the start, without links.
 *
 * The list of gestures is the whole state. Undoing one repeats the run without it, and saving them saves the scenario. Each list is a
 * branch (branches.ts).
 */
import { computed, signal } from '@preact/signals';
import type { TraceHeader } from '../../network/trace.js';
import type { Offer } from '../offers.js';
import type { MeterSample } from '../meters.js';
import { timeOfGesture } from '../model/playback.js';
import { ReadTrace } from '../model/recording.js';
import { branches, current, currentGestures, goOn, keepRun, recallBranches, runOf } from './branches.js';
import { forgetPlaces } from './network/by-hand.js';
import { askServer } from './served.js';
import { axis, currentLine, isPlaying, pauseAt, playhead, recording, replaced } from './state.js';
import { thrownText } from '../../machines/errors.js';

/** A scenario event that the viewer adds by hand, in the form of a scenario file. */
export type Gesture = { readonly at: number; readonly do: string } & Readonly<Record<string, unknown>>;

interface ScenarioJson {
  readonly events?: readonly unknown[];
  readonly topology?: unknown;
}

/** The gestures that the scenario allows. `null` if the trace cannot be repeated with gestures. */
export const offer = signal<Offer | null>(null);
/** The scenario as it was before any gesture. */
const given = signal<ScenarioJson>({});
/** Its network, as it begins. */
let graph: Pick<TraceHeader, 'nodes' | 'links'> = { nodes: [], links: [] };
/** Measured costs relative to their bounds over time. Empty if the protocol has no bounds. */
export const meters = signal<readonly MeterSample[]>([]);
/** Why the last gesture could not be made. */
export const reachProblem = signal<string | null>(null);

export const scenarioNow = computed(() => scenarioWith(currentGestures.value));
const isAdding = ({ do: what }: Omit<Gesture, 'at'>): boolean => what === 'add';

function scenarioWith(made: readonly Gesture[]): ScenarioJson {
  const added = made.filter(isAdding).map(({ node }) => node as string);
  const { nodes, links } = graph;
  return {
    ...given.value,
    ...(added.length > 0 && { topology: { nodes: [...nodes, ...added], links } }),
    events: [...(given.value.events ?? []), ...made.filter((gesture) => !isAdding(gesture))],
  };
}

/** Requests the possible gestures for the open trace from the server. */
export async function askForOffer(load: Load): Promise<void> {
  offer.value = null;
  meters.value = [];
  reachProblem.value = null;
  recallBranches(null);
  forgetPlaces();
  counterexample.value = null;
  const { header } = recording.value;
  if (!header || typeof header.scenario !== 'object' || header.scenario === null) return;
  given.value = header.scenario;
  graph = header;
  const response = await post('offer', given.value).catch(() => null);
  if (response?.ok) offer.value = await response.json();
  if (!offer.value) return;
  if (header.choices) {
    counterexample.value = header;
    offer.value = { commands: offer.value.commands.filter(({ fields }) => fields.every(({ optional }) => optional)), does: [] };
  }
  keepRun([], recording.value);
  recallBranches(given.value);
  if (current.value !== 0) await make(currentGestures.value, load);
  await askForMeters();
}

/** The header of the counterexample that branches leave from; `null` for any other trace. */
const counterexample = signal<TraceHeader | null>(null);
export const isCounterexample = computed(() => counterexample.value !== null);

async function askForMeters(): Promise<void> {
  if (counterexample.value) return;
  const response = await post('meters', scenarioNow.value).catch(() => null);
  if (response?.ok) meters.value = (await response.json()) ?? [];
}

/** The time at which a gesture takes effect if the viewer performs it now. */
export const momentOfGesture = (): ReturnType<typeof timeOfGesture> => timeOfGesture(recording.value, axis.value, playhead.value);

export type Load = (body: ReadableStream<Uint8Array>) => Promise<void>;

/**
 * Performs gestures at the current moment: adds them to the scenario, repeats the run and shows it as a new branch.
 * Returns the performed gestures, which are none if the server rejects them. `load` reads the repeated run.
 */
export async function reach(what: readonly Omit<Gesture, 'at'>[], load: Load): Promise<readonly Gesture[]> {
  const at = counterexample.value ? stepsUntil(currentLine.value) : momentOfGesture().at;
  const done = what.map((one) => ({ at, ...one }) as Gesture);
  const next = [...currentGestures.value, ...done];
  if (!(await make(next, load, () => goOn(next, done.map(gestureText).join(', '))))) return [];
  if (!isPlaying.value) pauseAt(lineOfGesture(done.at(-1)!));
  await askForMeters();
  return done;
}

/** Undoes a gesture. Undoing the addition of a node also undoes the gestures on it. */
export function takeBack(gesture: Gesture, load: Load): Promise<void> {
  const isOf = ({ at: _, do: _what, ...whom }: Gesture) =>
    isAdding(gesture) && Object.values(whom).flat().includes(gesture['node']);
  const next = currentGestures.value.filter((other) => other !== gesture && !isOf(other));
  return change(next, `without ${gestureText(gesture)}`, load);
}

/** Shows another branch: the same scenario with other gestures. */
export function showBranch(branch: number, load: Load): Promise<void> {
  const { gestures: next, name } = branches.value[branch]!;
  return change(next, name, load);
}

/** Another run at the same moment: what has happened by then may be another thing. */
async function change(next: readonly Gesture[], name: string, load: Load): Promise<void> {
  const at = currentLine.value < recording.value.first ? -Infinity : recording.value.at(currentLine.value);
  if (!(await make(next, load, () => goOn(next, name)))) return;
  pauseAt(recording.value.lastLineAt(at));
  await askForMeters();
}

/** Makes the run with these gestures, or takes a kept one. Calls `isAccepted` when the scenario is valid. */
async function make(next: readonly Gesture[], load: Load, isAccepted = (): void => {}): Promise<boolean> {
  reachProblem.value = null;
  const kept = runOf(next);
  if (kept) {
    isAccepted();
    replaced(kept);
    return true;
  }
  try {
    const response = await (counterexample.value
      ? post('branch', { header: counterexample.value, commands: next })
      : post('run', scenarioWith(next)));
    if (!response.ok || !response.body) throw new Error(await response.text());
    isAccepted();
    await load(response.body);
    keepRun(next, recording.value);
    return true;
  } catch (error) {
    reachProblem.value = thrownText(error).trim();
    return false;
  }
}

/** Loads the run of a branch that is not shown, to compare it. */
export async function fetchRun(next: readonly Gesture[]): Promise<ReadTrace | null> {
  const kept = runOf(next);
  if (kept) return kept;
  const run = await madeRun('run', scenarioWith(next)).catch(() => null);
  if (run) keepRun(next, run);
  return run;
}

/** Requests the run of a scenario, or the nearest run without the violation of a counterexample. Rejects with the problem. */
export async function madeRun(what: 'run' | 'nearest', about: unknown): Promise<ReadTrace> {
  const response = await post(what, about);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  const run = new ReadTrace();
  run.push(text);
  run.close();
  return run;
}

const post = (name: string, scenario: unknown): Promise<Response> =>
  askServer(`./${name}`, { method: 'POST', body: JSON.stringify(scenario) });

/** The line of a repeated run at which the effect of a gesture is visible. */
export function lineOfGesture({ at }: Gesture): number {
  if (counterexample.value) return lineOfStep(at);
  const { lastLineAt, kindOf, first } = recording.value;
  let line = lastLineAt(at);
  while (line > first && ['verdict', 'violated'].includes(kindOf(line))) line--;
  return line;
}

/** A counterexample has no time: a command is given after so many steps. */
function stepsUntil(line: number): number {
  let steps = 0;
  for (let at = recording.value.first; at <= line; at++) if (recording.value.nodeOf(at) >= 0) steps++;
  return steps;
}

function lineOfStep(steps: number): number {
  let left = steps;
  for (let line = recording.value.first; line < recording.value.end; line++)
    if (recording.value.nodeOf(line) >= 0 && left-- === 0) return line;
  return recording.value.end - 1;
}

export function gestureText({ at: _, do: what, node, link, channel, message, nodes, ...rest }: Gesture): string {
  const whom = [node, link, channel, nodes].flatMap((one) =>
    one === undefined ? [] : [Array.isArray(one) ? one.join(' – ') : String(one)],
  );
  const which = message === undefined ? [] : [`message ${String(message)}`];
  const more = Object.entries(rest).map(
    ([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  return [what, ...whom, ...which, ...more].join(' ');
}
