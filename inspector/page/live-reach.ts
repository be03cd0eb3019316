/**
 * Reaching into what is alive: a gesture is done now, by the program itself, whatever moment is shown. What it may be is said by the
 * program of the selected node, and only if it lets itself be reached.
 */
import { computed, effect, signal } from '@preact/signals';
import type { Offer } from '../offers.js';
import { gestureText, reachProblem, offer, type Gesture } from './reach.js';
import { askServer } from './served.js';
import { growing, isLoading, recording, selectedNode } from './state.js';

/** Whether what is shown goes on by itself. */
export const isAlive = computed(() => growing().header?.live === true && isLoading.value);

/** Whether there is anything to ask for at all. */
export const mayReach = computed(() => isAlive.value || offer.value !== null);

/** `null` where nobody lets himself be reached. */
const offerOfNode = signal<Offer | null>(null);

/** What may be done to the selection, in a run that is made again or to what is alive. */
export const offerNow = computed((): Offer | null => (isAlive.value ? offerOfNode.value : offer.value));

/** What was done last, in words. */
export const lastDone = signal<string | null>(null);

const selectedName = computed(() => (isAlive.value ? recording.value.nodes.names[selectedNode.value] : undefined));

effect(() => {
  const node = selectedName.value;
  offerOfNode.value = null;
  lastDone.value = null;
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
  try {
    await ask('do', gesture);
    lastDone.value = gestureText(gesture as Gesture);
    // What was done may have been done to another node.
    const answer = node === undefined ? null : await ask('offer', { node });
    if (selectedName.peek() === node) offerOfNode.value = answer;
  } catch (error) {
    reachProblem.value = (error as Error).message.trim();
  }
}

async function ask(name: 'offer' | 'do', body: unknown): Promise<Offer | null> {
  const response = await askServer(`./reach/${name}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Offer | null;
}
