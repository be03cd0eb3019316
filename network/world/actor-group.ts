/**
 * The live actors of an inspected host. Each has the name of its node and role, and an event comes from the actor of the node
 * that sent it, so an inspector can draw messages between them. Without an inspector no such actors exist.
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

  /** Sets the sender of the next event; `null` for none. */
  comesFrom(node: NodeId | null): void {
    this.sender = node;
  }

  deliver(actor: AnyActor, role: string, event: Message): void {
    const { sender } = this;
    // Events that follow inside the node were not sent by the other node.
    this.sender = null;
    relay(sender === null ? undefined : this.actorOf(sender, role), actor, event);
  }

  /** Roles send to the role of the same name, if it exists; a node of another process has one placeholder actor. */
  private actorOf(node: NodeId, role: string): AnyActor {
    const roles = this.actors.get(node);
    const known = roles?.get(role) ?? roles?.values().next().value;
    if (known) return known;
    const remote = createRemoteActor(node, this.parent);
    this.add(node, '', remote);
    return remote;
  }
}
