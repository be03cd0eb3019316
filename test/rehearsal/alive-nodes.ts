/**
 * Access to the nodes that rehearsed processes create.
 *
 * A new node reports to a global set of watchers, found under a registered symbol (adapters/node/watchers.ts), so that neither side imports
 * the other.
 */
import type { Address, Message, NodeId } from '../../machines/effects.js';
import type { Core, NodeView } from '../../machines/protocol.js';
import type { ReadSelected, Selected } from '../../network/world/selections.js';
import { here } from './here.js';
import type { Process } from './world.js';

/** The members of a live node that a rehearsal uses. */
export interface LiveNodeView {
  readonly name: string;
  readonly protocol: Core;
  readonly ports: { peerAt(port: number): NodeId | undefined };
  readonly steps$: Observations<LiveStep>;
  readonly notifications$: Observations<Message>;
  readonly observations$: Observations<unknown>;
  /** The roles without pending commands. Reading them, unlike `view()`, does not deliver those commands. */
  readonly node: { view(): NodeView };
  watchSelections(read: ReadSelected): unknown;
  view(): NodeView;
}

/** The members of an RxJS subject that a rehearsal uses. */
interface Observations<T> {
  readonly observers: readonly unknown[];
  subscribe(next: (value: T) => void): unknown;
}

interface LiveStep {
  readonly role?: string;
  readonly event: Message;
  readonly outcome: { readonly sends: readonly { readonly to: Address | readonly Address[]; readonly message: Message }[] };
  readonly number?: number;
  readonly numbers: readonly (number | null)[];
  readonly selected?: Selected;
}

const PLACE = Symbol.for('xstate-quiver.watchers');

/** Calls `watch` for every node that a process creates, until the returned function is called. */
export function watchNodes(watch: (node: LiveNodeView, process: Process) => void): () => void {
  const places: Record<symbol, Set<(created: object) => void> | undefined> = globalThis;
  const watchers = (places[PLACE] ??= new Set());
  const notify = (created: object) => {
    const process = here()?.process;
    // A cluster is reported as well; it has no live node.
    if (process && 'steps$' in created) watch(created as LiveNodeView, process);
  };
  watchers.add(notify);
  return () => void watchers.delete(notify);
}
