/** The nodes and XState actors of one program that accept gestures, by the names under which they report. */
import type { AnyActorRef } from 'xstate';
import { isObject } from '../../machines/checks.js';
import { UsageError, thrownText } from '../../machines/errors.js';
import type { Offer } from '../offers.js';
import type { Reach } from './actors.js';
import type { MessageMeant } from './gate.js';

/** A request of a page to a program: perform a gesture or, without one, return the possible gestures. */
export interface ReachAsk {
  readonly id: number;
  /** The name of the node in its program. */
  readonly node: string;
  readonly gesture?: Readonly<Record<string, unknown>>;
  /** The message that the gesture concerns. */
  readonly of?: MessageMeant;
}

export interface ReachAnswer {
  readonly id: number;
  /** The gestures that are possible now. */
  readonly offer: Offer | null;
  /** The reason why the gesture was not performed. */
  readonly problem?: string;
}

export interface Target {
  offer(): Offer;
  /** Performs a gesture. Throws a `UsageError` if it is not possible; nothing changes then. */
  do(gesture: Readonly<Record<string, unknown>>, of?: MessageMeant): void;
  letGo(): void;
}

export class Reached {
  private readonly targets = new Map<string, Target>();

  /** Adds a target until the returned function is called. */
  add(name: string, target: Target): () => void {
    this.targets.set(name, target);
    return () => void (this.targets.get(name) === target && this.targets.delete(name));
  }

  answer({ id, node, gesture, of }: ReachAsk): ReachAnswer {
    const target = this.targets.get(node);
    if (!target) return { id, offer: null };
    try {
      if (gesture) target.do(gesture, of);
      return { id, offer: target.offer() };
    } catch (error) {
      // An invalid gesture is not an error of the program.
      return { id, offer: target.offer(), problem: thrownText(error) };
    }
  }

  letGo(): void {
    for (const target of this.targets.values()) target.letGo();
  }
}

/** The events that viewers of the page have sent. XState passes on the same objects to observers. */
export const sentByHand = new WeakSet<object>();

/** Accepts events for each actor that reports. */
export const reachActors =
  (reached: Reached): Reach =>
  (name, ref, events) =>
    reached.add(name, actorTarget(new WeakRef(ref), events));

/** Accepts any event for an actor; `events` are the types that its machine names. Only the program keeps the actor alive. */
const actorTarget = (ref: WeakRef<AnyActorRef>, events: readonly string[]): Target => ({
  offer: () => ({ commands: [], does: ['send'], events }),
  do({ do: what, event }) {
    if (what !== 'send')
      throw new UsageError(
        `The gesture "${String(what)}" is not possible on an XState actor. Send it an event instead: { "do": "send", "event": { "type": "go" } }.`,
      );
    if (!isObject(event) || typeof event['type'] !== 'string')
      throw new UsageError('The event has no type. Send an object with a type, as in {"type": "go"}.');
    const actor = ref.deref();
    if (actor?.getSnapshot().status !== 'active') throw new UsageError('The actor has ended and takes no more events.');
    sentByHand.add(event);
    actor.send(event);
  },
  letGo: () => {},
});
