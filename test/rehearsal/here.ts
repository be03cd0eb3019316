/** Keeps track of the simulated process whose code runs now. Replaced globals such as `setTimeout` act for this process. */
import { UsageError } from '../../machines/errors.js';
import type { Process, VirtualWorld } from './world.js';

/** Real time in milliseconds, outside of every world. It limits the search for a shorter failure; no world sees it. */
export const realNow = (): number => globalThis.performance.now();

let entered: VirtualWorld | null = null;
let isTaken = false;

/** The running rehearsal's world and the process whose code runs now, or `null` outside of them. */
export function here(): { readonly world: VirtualWorld; readonly process: Process } | null {
  return entered?.current ? { world: entered, process: entered.current } : null;
}

/** Reserves this program for one rehearsal. Returns the function that ends it. */
export function takeProcess(): () => void {
  if (isTaken) throw new UsageError('A rehearsal is already running in this process. Await it before you start the next one.');
  isTaken = true;
  return () => void (isTaken = false);
}

/** Sets the world that processes run in; `null` after a run. */
export function setWorld(world: VirtualWorld | null): void {
  entered = world;
}
