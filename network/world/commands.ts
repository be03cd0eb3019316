/**
 * The commands that wait at one node, oldest first.
 *
 * A command that waits is taken when its turn has come and the chart has a transition for it. One that does not wait is taken at once,
 * also while others wait: a release must not wait behind the next request.
 */
import type { Message } from '../../machines/effects.js';

/** A command on its way to its node. */
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

  /** The command whose turn has come, if the chart takes it now; it waits no longer. */
  take(accepts: (event: Message) => boolean): Given | undefined {
    const { head } = this;
    return head && accepts(head.event) ? this.waiting.shift() : undefined;
  }

  clear(): void {
    this.waiting.length = 0;
  }
}
