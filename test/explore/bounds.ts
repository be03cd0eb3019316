/** How far a search may go, and what is said when it may go no further. */
import type { NodeId } from '../../machines/effects.js';
import type { Model } from './model.js';

export interface Bounds {
  /** States to find; 20 million unless told. */
  readonly states?: number;
  /** Transitions from a first state. */
  readonly depth?: number;
  readonly seconds?: number;
  /** Memory for states and transitions; 4096 unless told. */
  readonly megabytes?: number;
}

export interface Progress {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** States found and not yet expanded. */
  readonly frontier: number;
  readonly bytes: number;
  readonly seconds: number;
}

const STATES = 20_000_000;
const MEGABYTES = 4096;
/** A system whose parts are finite has few local states and packets; more than this and it most likely has no end. */
const PARTS_MAX = 400_000;

/** Why the search must stop here, `undefined` while it may go on. */
export function exceeded(bounds: Bounds, progress: Progress, model: Model): string | undefined {
  const { states = STATES, depth = Infinity, seconds = Infinity, megabytes = MEGABYTES } = bounds;
  if (progress.states > states) return `more than ${states} states`;
  if (progress.depth >= depth) return `states deeper than ${depth} transitions`;
  if (progress.seconds > seconds) return `more than ${seconds} seconds`;
  if (progress.bytes > megabytes * 2 ** 20) return `more than ${megabytes} megabytes`;
  return withoutEnd(model);
}

/** Names the part of the system that keeps growing. */
function withoutEnd({ system, steps, packets }: Model): string | undefined {
  if (packets.interned.size > PARTS_MAX) {
    const { from, message } = packets.interned.all.at(-1)!;
    return `more than ${PARTS_MAX} different messages in flight, the last a "${message.type}" from ${system.nodes[from]}: the state space seems to have no end`;
  }
  if (steps.locals.size <= PARTS_MAX) return undefined;
  const counts = new Map<NodeId, number>();
  for (const { node } of steps.locals.interned.all) counts.set(system.nodes[node]!, (counts.get(system.nodes[node]!) ?? 0) + 1);
  const [node, count] = [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most));
  const { view } = steps.locals.interned.all.findLast((local) => system.nodes[local.node] === node)!;
  return `${count} different states of node ${node}, the last ${JSON.stringify(view)}: the state space seems to have no end`;
}
