/**
 * The nodes of this package that processes make, as a rehearsal is notified of them.
 *
 * Nodes tell whoever is in a place that both sides find by its name (adapters/node/watchers.ts); neither side imports the other.
 */
import type { Address, Message, NodeId } from '../../machines/effects.js';
import type { Core, NodeView } from '../../machines/protocol.js';
import type { ReadSelected, Selected } from '../../network/world/selections.js';
import { here } from './here.js';
import type { Process } from './world.js';

/** A node as it is alive, by what is used of it. */
export interface AliveNode {
  readonly name: string;
  readonly protocol: Core;
  readonly ports: { peerAt(port: number): NodeId | undefined };
  readonly steps$: Observations<AliveStep>;
  readonly notifications$: Observations<Message>;
  readonly heard$: Observations<unknown>;
  /** What runs its roles: who only looks asks it, since nothing is owed to it. */
  readonly node: { view(): NodeView };
  watchSelections(read: ReadSelected): unknown;
  view(): NodeView;
}

/** By what is used of a subject of RxJS. */
interface Observations<T> {
  readonly observers: readonly unknown[];
  subscribe(next: (told: T) => void): unknown;
}

interface AliveStep {
  readonly role?: string;
  readonly event: Message;
  readonly outcome: { readonly sends: readonly { readonly to: Address | readonly Address[]; readonly message: Message }[] };
  readonly number?: number;
  readonly numbers: readonly (number | null)[];
  readonly selected?: Selected;
}

const PLACE = Symbol.for('xstate-quiver.watchers');

/** Tells of every node that a process makes from now on, until what it gives is called. */
export function attendNodes(attend: (node: AliveNode, process: Process) => void): () => void {
  const places = globalThis as unknown as Record<symbol, Set<(node: AliveNode) => void> | undefined>;
  const watchers = (places[PLACE] ??= new Set());
  const hear = (node: AliveNode) => {
    const process = here()?.process;
    if (process) attend(node, process);
  };
  watchers.add(hear);
  return () => void watchers.delete(hear);
}
