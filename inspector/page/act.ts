/**
 * Performs gestures: events that the viewer adds by hand. They change the live program or, for a simulation, repeat the run with these
 * events.
 */
import { reach, type Gesture } from './reach.js';
import { isAlive, reachNow } from './live-reach.js';
import { reload } from './load.js';
import { addGesture } from './story/own.js';

export async function act(what: readonly Omit<Gesture, 'at'>[]): Promise<void> {
  if (isAlive.value) for (const one of what) await reachNow(one);
  else for (const done of await reach(what, reload)) addGesture(done);
}
