/** Requests that a node answers with notifications, in order. Every request settles. */
import type { Message } from '../../machines/effects.js';
import { ClosedError, ConnectionError } from '../transports/errors.js';
import type { LiveNode } from './node.js';

/** Sends requests to the node of an object, such as a quota, which replies in order. Every request gets a reply or an error. */
export class Questions {
  private readonly open: { readonly answer: (notification: Message) => void; readonly fail: (error: Error) => void }[] = [];
  private failure: Error | null = null;

  constructor(
    object: string,
    private readonly node: LiveNode,
    answers: readonly string[],
  ) {
    const who = `${object} "${node.name}" of peer "${node.id}"`;
    node.notifications$.subscribe((notification) => {
      if (answers.includes(notification.type)) this.open.shift()?.answer(notification);
      if (notification.type === 'severed')
        this.fail(new ConnectionError(`${who} has lost its connection to the others. Create it again with a new name.`));
    });
    void node.closed.then((error) => this.fail(error ?? new ClosedError(`${who} is closed`)));
  }

  /** True if no question is open. */
  get isIdle(): boolean {
    return this.open.length === 0;
  }

  private fail(error: Error): void {
    this.failure ??= error;
    for (const { fail } of this.open.splice(0)) fail(this.failure);
  }

  ask<N extends Message>(command: string, fields: Readonly<Record<string, unknown>> = {}): Promise<N> {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      const question = { answer: resolve as (notification: Message) => void, fail: reject };
      this.open.push(question);
      try {
        this.node.command(command, fields);
      } catch (error) {
        // The node has just closed: the reason, which fails all open questions, is on its way.
        if (error instanceof ClosedError) return;
        this.open.splice(this.open.indexOf(question), 1);
        reject(error);
      }
    });
  }
}
