/** Which process of which world is current: whoever asks the platform for something is that process. */
import { UsageError } from '../../machines/errors.js';
import type { Process, VirtualWorld } from './world.js';

/** The real one, whatever is in its place later. */
export const realImmediate = globalThis.setImmediate;

/** Milliseconds of the machine, outside of every world: how long it looks for a shorter failure, and nothing that a world sees. */
export const realNow = (): number => globalThis.performance.now();

let inhabited: VirtualWorld | null = null;
let isTaken = false;

/** The world and the process that is current in it. */
export function here(): { readonly world: VirtualWorld; readonly process: Process } | null {
  return inhabited?.current ? { world: inhabited, process: inhabited.current } : null;
}

/** For one rehearsal at a time; gives what ends it. */
export function takeProcess(): () => void {
  if (isTaken) throw new UsageError('a rehearsal is under way in this process; await it before the next');
  isTaken = true;
  return () => void (isTaken = false);
}

export function settleInWorld(world: VirtualWorld): void {
  inhabited = world;
}

export function departFromWorld(): void {
  inhabited = null;
}
