/** What can happen to a node other than a delivery, as numbers: a timer, a reaction, a command, a notice of a link, a start again. */
import type { Message, NodeId } from '../../machines/effects.js';
import { Interner } from './interner.js';
import { jsonKey } from './json.js';
import type { Numbering } from './numbering.js';

export interface LocalEvent {
  readonly node: number;
  readonly kind: 'timer' | 'reaction' | 'command' | 'link' | 'reload';
  readonly event: Message;
  /** The command's name, where the protocol gives it another one than its event's type. */
  readonly name?: string;
  /** The timer and its role; other events are routed by the protocol. */
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

  /** What nobody is obliged to do: an application need not ask for anything. */
  isOptional(id: number): boolean {
    return this.get(id).kind === 'command';
  }

  /** Reactions come also where the node has crashed, and nobody hears them. */
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
