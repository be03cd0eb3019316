/**
 * Numbers the events that a node can receive other than messages: timers, reactions, commands, changes of links, and restarts from storage.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import { Interner } from './interner.js';
import { jsonKey } from './json.js';
import type { Numbering } from './numbering.js';

export interface LocalEvent {
  readonly node: number;
  readonly kind: 'timer' | 'reaction' | 'command' | 'link' | 'reload';
  readonly event: Message;
  /** The command's name, if it differs from the type of its event. */
  readonly name?: string;
  /** The timer and its role. The protocol routes all other events. */
  readonly timer?: string;
  readonly role?: string;
  /** The reaction's place in the protocol's list. */
  readonly reaction?: number;
}

export class LocalEvents {
  readonly interned: Interner<LocalEvent>;

  constructor(
    private readonly nodes: readonly NodeId[],
    numbering: Numbering,
  ) {
    this.interned = new Interner(numbering);
  }

  intern(event: LocalEvent): number {
    const { node, kind, role = '', reaction = '' } = event;
    const where = `node ${this.nodes[node]}: the ${kind} "${event.event.type}"`;
    return this.interned.intern(`${node} ${kind} ${role} ${reaction} ${jsonKey(event.event, where)}`, () => event);
  }

  /** True for events that need never happen: an application is free not to issue a command. */
  isOptional(id: number): boolean {
    return this.get(id).kind === 'command';
  }

  /** True for reactions. They also happen at a crashed node, without any effect on its charts. */
  isReaction(id: number): boolean {
    return this.get(id).kind === 'reaction';
  }

  some(kind: LocalEvent['kind']): boolean {
    return this.interned.all.some((event) => event.kind === kind);
  }

  get(id: number): LocalEvent {
    return this.interned.all[id]!;
  }
}
