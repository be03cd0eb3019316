/** Which process of which world is current: whoever asks the platform for something is that process. */
import { UsageError } from '../../machines/errors.js';
import type { Process, VirtualWorld } from './world.js';

/** The real one, whatever stands in its place later. */
export const realImmediate = globalThis.setImmediate;

let inhabited: VirtualWorld | null = null;

/** The world and the process that is current in it. */
export function here(): { readonly world: VirtualWorld; readonly process: Process } | null {
  return inhabited?.current ? { world: inhabited, process: inhabited.current } : null;
}

export function settle(world: VirtualWorld): void {
  if (inhabited) throw new UsageError('a rehearsal is under way in this process; await it before the next');
  inhabited = world;
}

export function depart(): void {
  inhabited = null;
}
