/**
 * Reaching into the run: every gesture is a scenario event at the playhead, and the run is made again with it.
 *
 * The list of gestures is all there is to it: taking one back is making the run without it, and saving it is saving the scenario.
 */
import { computed, signal } from '@preact/signals';
import type { Offer } from '../hands.js';
import type { MeterSample } from '../meters.js';
import { axis, currentLine, playhead, recording, timed } from './state.js';

/** A scenario event, as in a scenario file. */
export type Gesture = { readonly at: number; readonly do: string } & Readonly<Record<string, unknown>>;

interface ScenarioJson {
  readonly events?: readonly unknown[];
}

/** `null` where a trace can only be looked at. */
export const offer = signal<Offer | null>(null);
/** The scenario as it was before any gesture. */
const given = signal<ScenarioJson>({});
export const gestures = signal<readonly Gesture[]>([]);
/** The cost against the bounds, rising in time; empty where it is not known. */
export const meters = signal<readonly MeterSample[]>([]);
/** Why the last gesture could not be made. */
export const handsProblem = signal<string | null>(null);

export const scenarioNow = computed(() => scenarioWith(gestures.value));
const scenarioWith = (hands: readonly Gesture[]): ScenarioJson => ({
  ...given.value,
  events: [...(given.value.events ?? []), ...hands],
});

/** Asks the server what can be done in the scenario of the trace that was opened. */
export async function askForHands(): Promise<void> {
  offer.value = null;
  meters.value = [];
  gestures.value = [];
  handsProblem.value = null;
  const { header } = recording.value;
  if (!header || header.choices || typeof header.scenario !== 'object' || header.scenario === null) return;
  given.value = header.scenario;
  const response = await post('offer', given.value).catch(() => null);
  if (response?.ok) offer.value = (await response.json()) as Offer | null;
  if (offer.value) await askForMeters();
}

async function askForMeters(): Promise<void> {
  const response = await post('meters', scenarioNow.value).catch(() => null);
  if (response?.ok) meters.value = ((await response.json()) as readonly MeterSample[] | null) ?? [];
}

type Load = (body: ReadableStream<Uint8Array>) => Promise<void>;

/** Does something now. `load` reads the run that was made again. */
export const reach = (what: Omit<Gesture, 'at'>, load: Load): Promise<void> =>
  redo([...gestures.value, { at: timeOfGesture(), ...what } as Gesture], load);

export const takeBack = (gesture: Gesture, load: Load): Promise<void> =>
  redo(
    gestures.value.filter((other) => other !== gesture),
    load,
  );

async function redo(next: readonly Gesture[], load: Load): Promise<void> {
  handsProblem.value = null;
  try {
    const response = await post('run', scenarioWith(next));
    if (!response.ok || !response.body) throw new Error(await response.text());
    gestures.value = next;
    await load(response.body);
    await askForMeters();
  } catch (error) {
    handsProblem.value = (error as Error).message.trim();
  }
}

const post = (name: string, scenario: unknown): Promise<Response> =>
  fetch(`./${name}`, { method: 'POST', body: JSON.stringify(scenario) });

/**
 * After what has happened and before what comes: between two lines of one tick that is when the tick is over, so that all that one has
 * seen stays as it was.
 */
function timeOfGesture(): number {
  const now = currentLine.value < recording.value.first ? 0 : recording.value.at(currentLine.value);
  const after = recording.value.lastLineAt(now) + 1;
  const next = after < recording.value.end ? recording.value.at(after) : now + 1;
  const { x } = playhead.value;
  const isBetween = axis.value === 'time' && timed.value && x > now && x < next;
  return isBetween ? Number(x.toFixed(3)) : (now + next) / 2;
}

/** A gesture in words. */
export function gestureText({ at: _, do: what, node, link, channel, message, nodes, ...rest }: Gesture): string {
  const whom = [node, link, channel, nodes].flatMap((one) =>
    one === undefined ? [] : [Array.isArray(one) ? one.join(' – ') : String(one)],
  );
  const which = message === undefined ? [] : [`message ${String(message)}`];
  const more = Object.entries(rest).map(([key, value]) => `${key} ${String(value)}`);
  return [what, ...whom, ...which, ...more].join(' ');
}
