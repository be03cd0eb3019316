/**
 * The live actors of a host that somebody inspects: each has the name of its node and role, and an event comes from the actor of the
 * node that sent it, so that an inspector can draw messages from one to the other. Without an inspector none of this is there.
 */
import type { AnyActor } from 'xstate';
import type { Message, NodeId } from '../../machines/effects.js';
import { relay } from './internals.js';
import { createRemoteActor } from './kernel.js';

export class ActorGroup {
  private readonly actors = new Map<NodeId, Map<string, AnyActor>>();
  private sender: NodeId | null = null;

  constructor(private readonly parent: AnyActor) {}

  add(node: NodeId, role: string, actor: AnyActor): void {
    const roles = this.actors.get(node) ?? new Map<string, AnyActor>();
    this.actors.set(node, roles.set(role, actor));
  }

  /** Who sent the event that is taken next, `null` for nobody. */
  comesFrom(node: NodeId | null): void {
    this.sender = node;
  }

  deliver(actor: AnyActor, role: string, event: Message): void {
    const { sender } = this;
    // What comes of the event inside of the node was not sent by the other one.
    this.sender = null;
    relay(sender === null ? undefined : this.actorOf(sender, role), actor, event);
  }

  /** Roles talk to the role of their name, if there is one; a node of another process has an actor that only stands for it. */
  private actorOf(node: NodeId, role: string): AnyActor {
    const roles = this.actors.get(node);
    const known = roles?.get(role) ?? roles?.values().next().value;
    if (known) return known;
    const remote = createRemoteActor(node, this.parent);
    this.add(node, '', remote);
    return remote;
  }
}
