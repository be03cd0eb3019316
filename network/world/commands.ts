/**
 * The waiting commands of one node, oldest first.
 *
 * A waiting command is taken when it is first and the chart has a transition for it. A command that does not wait is taken at once, even
 * while others wait: a release must not wait behind the next request.
 */
import type { Message } from '../../machines/effects.js';

/** A command that was given to a node. */
export interface Given {
  readonly event: Message;
  readonly waits: boolean;
  readonly name: string;
}

export class CommandQueue {
  private readonly waiting: Given[];

  constructor(waiting: readonly Given[] = []) {
    this.waiting = [...waiting];
  }

  copy(): CommandQueue {
    return new CommandQueue(this.waiting);
  }

  /** Commands, in their order. */
  get all(): readonly Given[] {
    return this.waiting;
  }

  get head(): Given | undefined {
    return this.waiting[0];
  }

  add(command: Given): void {
    this.waiting.push(command);
  }

  /** Takes the first command out of the queue if the chart accepts it now. */
  take(accepts: (event: Message) => boolean): Given | undefined {
    const { head } = this;
    return head && accepts(head.event) ? this.waiting.shift() : undefined;
  }

  clear(): void {
    this.waiting.length = 0;
  }
}
