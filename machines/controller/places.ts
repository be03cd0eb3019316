/** Compares what two linked nodes know about each other: parent and child, and whether a change of the tree is in progress. */
import type { NodeId } from '../effects.js';
import type { NodeView } from '../protocol.js';
import { levelAt } from './bins.js';
import { areSameTerms, isChanging } from './fits.js';
import type { Terms } from './messages.js';
import { deliveryOf, isMember, mainOf, mainState } from './view.js';

/** Messages by which a node enters the tree, takes part in a change, and leaves. */
export const PLACING = ['welcome', 'leave', 'collect', 'echo', 'epoch'] as const;
type Placing = (typeof PLACING)[number];

export interface Word {
  readonly type: Placing;
  readonly from: NodeId;
  readonly to: NodeId;
}

/** Position of a participant in the tree and in a change. */
export interface Place {
  readonly id: NodeId;
  readonly parent: NodeId | null;
  readonly children: readonly NodeId[];
  readonly depth: number;
  readonly hasLevel: boolean;
  readonly state: string;
  readonly isChanging: boolean;
  readonly awaiting: readonly NodeId[];
  readonly terms: Terms;
}

/** The position of a node in the tree; `null` if it does not participate. */
export function placeOf(view: NodeView, id: NodeId): Place | null {
  if (!isMember(view)) return null;
  const { parent, children, depth, awaiting, terms } = mainOf(view)!;
  const level = deliveryOf(view, 'R')?.level ?? null;
  const hasLevel = level === null || (depth > 0 && level === levelAt(depth));
  return { id, parent, children, depth, hasLevel, state: mainState(view), isChanging: isChanging(view), awaiting, terms };
}

interface Around {
  placeOf(id: NodeId): Place | undefined;
  isInFlight(type: Placing, from: NodeId, to: NodeId): boolean;
}

/** A participant is a child of its parent, one deeper; its children are participants, are being welcomed, or are leaving. */
export function knowsItsPlace(place: Place, { placeOf, isInFlight }: Around): boolean {
  const { id, parent, children, depth, hasLevel } = place;
  const above = parent === null ? undefined : placeOf(parent);
  const isBelow = parent === null ? depth === 0 : above !== undefined && above.children.includes(id) && depth === above.depth + 1;
  const areKnown = children.every(
    (child) => placeOf(child)?.parent === id || isInFlight('welcome', id, child) || isInFlight('leave', child, id),
  );
  return hasLevel && isBelow && areKnown && new Set(children).size === children.length;
}

/**
 * A change is a wave down and an echo up. A node takes part after its parent's message. Its parent waits for it until its echo arrives, and
 * it has echoed until the new terms come. Otherwise it has the terms of its parent.
 */
export function keepsStep(place: Place, { placeOf, isInFlight }: Around): boolean {
  const { id, parent, state, awaiting, terms } = place;
  if (awaiting.length > 0 && state !== 'collecting') return false;
  const above = parent === null ? undefined : placeOf(parent);
  if (!above?.children.includes(id)) return true;
  if (!isInFlight('epoch', above.id, id) && !areSameTerms(terms, above.terms)) return false;
  const isAsked = isInFlight('collect', above.id, id);
  const hasEchoed = isInFlight('echo', id, above.id);
  if (!above.isChanging) {
    const waits = state === 'echoed' && isInFlight('epoch', above.id, id);
    return !isAsked && !hasEchoed && (state === 'running' || waits);
  }
  if (!above.awaiting.includes(id)) return state === 'echoed' && !isAsked && !hasEchoed;
  // The next change follows the new terms of the last one.
  if (isInFlight('epoch', above.id, id)) return state === 'echoed' && isAsked && !hasEchoed;
  if (state === 'running') return isAsked && !hasEchoed;
  return !isAsked && hasEchoed === (state === 'echoed');
}

/** The places of all nodes, and the nodes that do not fit their parent and children. */
export class TreePlaces {
  private readonly places = new Map<NodeId, Place>();
  private readonly words = new Map<string, number>();
  /** Nodes whose neighborhood has changed. */
  private readonly stale = new Set<NodeId>();
  private readonly lost = new Set<NodeId>();
  private readonly late = new Set<NodeId>();
  private readonly around: Around = {
    placeOf: (id) => this.places.get(id),
    isInFlight: (type, from, to) => (this.words.get(keyOf({ type, from, to })) ?? 0) > 0,
  };

  /** True if every participant fits its place. */
  get areKnown(): boolean {
    this.update();
    return this.lost.size === 0;
  }

  /** True if every participant is in a possible state of a change. */
  get areInStep(): boolean {
    this.update();
    return this.late.size === 0;
  }

  node(id: NodeId, place: Place | null, by: 1 | -1): void {
    this.stale.add(id);
    if (!place) return;
    if (place.parent !== null) this.stale.add(place.parent);
    for (const child of place.children) this.stale.add(child);
    if (by === 1) this.places.set(id, place);
    else this.places.delete(id);
  }

  word(word: Word, by: 1 | -1): void {
    const key = keyOf(word);
    this.words.set(key, (this.words.get(key) ?? 0) + by);
    this.stale.add(word.from).add(word.to);
  }

  private update(): void {
    for (const id of this.stale) {
      this.lost.delete(id);
      this.late.delete(id);
      const place = this.places.get(id);
      if (place && !knowsItsPlace(place, this.around)) this.lost.add(id);
      if (place && !keepsStep(place, this.around)) this.late.add(id);
    }
    this.stale.clear();
  }
}

const keyOf = ({ type, from, to }: Word): string => `${type} ${from} ${to}`;
