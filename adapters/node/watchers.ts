/**
 * Who wants to hear of every node of this process, whatever module makes it: an inspector that the program itself does not know of.
 *
 * They are in a place that everybody finds by its name, since neither side imports the other.
 */
const PLACE = Symbol.for('xstate-quiver.watchers');

type Watchers = Set<(node: object) => void>;

export const watchers = (): Watchers => ((globalThis as unknown as Record<symbol, Watchers | undefined>)[PLACE] ??= new Set());
