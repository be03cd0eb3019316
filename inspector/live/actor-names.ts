/** Names of XState actors: unique below their parent and given once, so that each actor has its own node and lane. */
import { fromCallback, fromEventObservable, fromObservable, fromPromise, fromTransition, type AnyActorRef } from 'xstate';

/** Assigns unique names to actors: the second actor with a name is `name (2)`. */
export class ActorNames {
  private readonly counts = new Map<string, number>();

  take(own: string): string {
    const count = (this.counts.get(own) ?? 0) + 1;
    this.counts.set(own, count);
    // An id that ends with a number in parentheses could be the name of another actor.
    return count > 1 || /\(\d+\)$/.test(own) ? `${own} (${count})` : own;
  }
}

/** XState numbers an actor that was spawned without an id, and names an invoked one by its place and its state. */
const NUMBERED = /^x:\d+$/;
const INVOKED = /^\d+\./;

/**
 * The name that an actor has itself: its id.
 * If XState generated the id, it is the id of its machine, the name of its source, or the key of the state that invokes it.
 */
export function ownNameOf({ id, src }: Pick<AnyActorRef, 'id'> & { readonly src: unknown }, machine: string | undefined): string {
  if (!NUMBERED.test(id) && !INVOKED.test(id)) return id;
  const source = typeof src === 'string' && !src.startsWith('xstate.invoke') ? src : undefined;
  if (NUMBERED.test(id)) return machine ?? source ?? 'actor';
  return source ?? id.slice(id.lastIndexOf('.') + 1);
}

type Transition = { readonly transition?: unknown };

const textOf = (logic: Transition): string => String(logic.transition);

/** The transition functions of XState's own logic, by which it is recognized; none of them is called. */
const KINDS: readonly (readonly [kind: string, text: string])[] = [
  ['promise', textOf(fromPromise(() => Promise.resolve()))],
  ['callback', textOf(fromCallback(() => {}))],
  ['observable', textOf(fromObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) })))],
  ['observable', textOf(fromEventObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) })))],
  ['transition', textOf(fromTransition((state: unknown) => state, null))],
];

/** The kind of logic that is not a machine. */
export function logicOf(logic: unknown): string {
  const text = textOf(logic as Transition);
  return KINDS.find(([, known]) => known === text)?.[0] ?? 'actor';
}
