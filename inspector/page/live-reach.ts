/**
 * Performs gestures: events that the viewer adds by hand. A running program performs them now, whatever moment is shown; the program of the
 * selected node determines the possible ones, if it accepts any. For a simulation, the run is repeated with these events.
 */
import { computed, effect, signal } from '@preact/signals';
import { refusalText } from '../model/why.js';
import type { Offer } from '../offers.js';
import { charts } from './chart/charts.js';
import { gestureText, reachProblem, offer, type Gesture, reach } from './reach.js';
import { askServer } from './served.js';
import { growing, isLoading, recording, selectedNode } from './state.js';
import { reload } from './load.js';
import { addGesture } from './story/own.js';
import { thrownText } from '../../machines/errors.js';

/** True if the page shows a running program, whose trace is still growing. */
export const isAlive = computed(() => growing().header?.live === true && isLoading.value);

/** True if the viewer may be able to perform gestures, on a live program or in a run that can be repeated. */
export const mayReach = computed(() => isAlive.value || offer.value !== null);

/** `null` if the program accepts no gestures. */
const offerOfNode = signal<Offer | null>(null);

/** The gestures on the selection, in a repeated run or on live nodes. */
export const offerNow = computed((): Offer | null => (isAlive.value ? offerOfNode.value : offer.value));

/** The last gesture on a live program, as text. */
export const lastDone = signal<string | null>(null);

/** The number of lines when the last event was sent to the selected actor. */
const sentAfter = signal(Infinity);

/** The outcome of the last event that this page has sent to the selected actor; `null` as long as nothing is known. */
export const answerToSent = computed((): string | null => {
  const own = growing().steps[selectedNode.value] ?? [];
  const after = sentAfter.value;
  const line = own.findLast((one) => one < after || recording.value.step(one)?.by === 'inspector') ?? -1;
  if (line < after) return null;
  const { event, taken } = recording.value.step(line)!;
  const answer = refusalText(recording.value, line, (name) => charts.value.get(name));
  return `${event.type} was ${answer ?? (taken ? 'accepted' : 'sent')}.`;
});

const selectedName = computed(() => (isAlive.value ? recording.value.nodes.names[selectedNode.value] : undefined));

/** Changes when the node ends and starts: its program may then accept other gestures. */
const starts = computed(() => growing().running[selectedNode.value]?.length);

effect(() => {
  const node = selectedName.value;
  void starts.value;
  offerOfNode.value = null;
  lastDone.value = null;
  sentAfter.value = Infinity;
  reachProblem.value = null;
  if (node === undefined) return;
  void ask('offer', { node }).then(
    (answer) => selectedName.peek() === node && (offerOfNode.value = answer),
    () => {},
  );
});

export async function reachNow(gesture: Omit<Gesture, 'at'>): Promise<void> {
  const node = selectedName.value;
  reachProblem.value = null;
  lastDone.value = null;
  if (gesture.do === 'send') sentAfter.value = recording.value.end;
  try {
    await ask('do', gesture);
    lastDone.value = gestureText(gesture as Gesture);
    // The gesture may have been performed on another node.
    const answer = node === undefined ? null : await ask('offer', { node });
    if (selectedName.peek() === node) offerOfNode.value = answer;
  } catch (error) {
    reachProblem.value = thrownText(error).trim();
  }
}

async function ask(name: 'offer' | 'do', body: unknown): Promise<Offer | null> {
  const response = await askServer(`./reach/${name}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/**
 * Performs gestures: events that the viewer adds by hand. They change the live program or, for a simulation, repeat the run with these
 * events.
 */
export async function act(what: readonly Omit<Gesture, 'at'>[]): Promise<void> {
  if (isAlive.value) for (const one of what) await reachNow(one);
  else for (const done of await reach(what, reload)) addGesture(done);
}
