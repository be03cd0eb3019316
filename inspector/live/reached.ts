/**
 * What lets itself be reached in one program, by the names under which it reports: nodes, each behind its gate, and XState's actors.
 */
import type { AnyActorRef } from 'xstate';
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type { Offer } from '../offers.js';
import { NodeGate, type MessageMeant, type Reachable, type GateListener } from './gate.js';
import { now, type PeerReport, type StepReport } from './report.js';

/** What a page asks of a program: to do something, or, without a gesture, what can be done. */
export interface ReachAsk {
  readonly id: number;
  /** The node as the program calls it. */
  readonly node: string;
  readonly gesture?: Readonly<Record<string, unknown>>;
  /** Which message the gesture speaks of. */
  readonly of?: MessageMeant;
}

export interface ReachAnswer {
  readonly id: number;
  /** What can be done now. */
  readonly offer: Offer | null;
  /** Why nothing was done. */
  readonly problem?: string;
}

export interface Target {
  offer(): Offer;
  /** Throws a `UsageError` for what cannot be done; nothing has changed then. */
  do(gesture: Readonly<Record<string, unknown>>, of?: MessageMeant): void;
  letGo(): void;
}

export class Reached {
  private readonly targets = new Map<string, Target>();

  /** Until the returned function is called. */
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
      // Whatever is wrong with a gesture is no mistake of the program.
      return { id, offer: target.offer(), problem: (error as Error).message };
    }
  }

  letGo(): void {
    for (const target of this.targets.values()) target.letGo();
  }
}

/** Lets a node be reached under the name that it reports by; `to` and `of` turn an id into such a name and back. */
export function reachNode(
  node: Reachable,
  reached: Reached,
  report: (report: StepReport | PeerReport) => void,
  { to = plain, of = plain }: { to?(id: string): string; of?(name: string): string } = {},
): () => void {
  const name = to(node.id);
  const told: GateListener = {
    message: (heard) => report({ at: now(), node: name, kind: 'peer', heard: { ...heard, peer: to(heard.peer) } }),
    node: (type) => report({ at: now(), node: name, kind: 'note', event: { type }, sent: [], emitted: [], roles: {} }),
  };
  const gate = new NodeGate(node, told);
  const remove = reached.add(name, {
    offer: () => gate.offer(),
    do: ({ node: named, channel, ...rest }, meant) =>
      gate.do(
        {
          ...rest,
          ...(typeof named === 'string' && { node: of(named) }),
          ...(Array.isArray(channel) && { channel: channel.map((end) => of(String(end))) }),
        },
        meant && { ...meant, from: of(meant.from) },
      ),
    letGo: () => gate.letGo(),
  });
  return () => {
    remove();
    gate.remove();
  };
}

const plain = (name: string): string => name;

/** An actor takes any event; `events` are those that its machine names. It is kept by its own program alone. */
export const actorTarget = (ref: WeakRef<AnyActorRef>, events: readonly string[]): Target => ({
  offer: () => ({ commands: [], does: ['send'], events }),
  do({ do: what, event }) {
    if (what !== 'send') throw new UsageError(`an actor can be sent events, and "${String(what)}" is something else`);
    if (!isObject(event) || typeof event['type'] !== 'string')
      throw new UsageError('an event is an object with a type, as in {"type": "go"}');
    const actor = ref.deref();
    if (actor?.getSnapshot().status !== 'active') throw new UsageError('the actor has ended');
    actor.send(event as { type: string });
  },
  letGo: () => {},
});
