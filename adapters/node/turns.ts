/** Commands that wait until the chart accepts them, one after the other in the order in which they were given. */
import type { Message } from '../../machines/effects.js';

export class Turns {
  private readonly waiting: Message[] = [];
  private isTaking = false;

  constructor(
    private readonly accepts: (event: Message) => boolean,
    private readonly take: (event: Message) => void,
  ) {}

  add(event: Message): void {
    this.waiting.push(event);
    this.go();
  }

  /** Something has changed. A command that is taken ends by asking again; the loop that is under way answers it. */
  go(): void {
    if (this.isTaking) return;
    this.isTaking = true;
    while (this.waiting.length > 0 && this.accepts(this.waiting[0]!)) this.take(this.waiting.shift()!);
    this.isTaking = false;
  }

  clear(): void {
    this.waiting.length = 0;
  }
}
