/**
 * Watchers of all nodes and clusters of this process, whatever module creates them, for example an inspector that the program does not know.
 *
 * They are found under a registered symbol, because neither side imports the other.
 */
const PLACE = Symbol.for('xstate-quiver.watchers');

type Watchers = Set<(created: object) => void>;

export const watchers = (): Watchers => ((globalThis as Record<symbol, Watchers | undefined>)[PLACE] ??= new Set());
