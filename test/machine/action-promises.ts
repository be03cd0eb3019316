/** The promises that actions return. XState does not wait for them. A path waits for those that settle within the queue of promises. */
import { fieldsOf } from '../../machines/checks.js';

/** Turns of the queue of promises that an action's promise may take. */
const TURNS = 100;

/** An action whose promise was rejected, and the error. */
export interface Rejected {
  readonly action: string;
  readonly thrown: unknown;
}

export class ActionPromises {
  /** The first that was rejected. */
  rejected: Rejected | null = null;
  /** After the path, a rejection is thrown: the process reports it. */
  isOver = false;
  private unsettled = 0;

  note(action: string, value: unknown): void {
    if (typeof fieldsOf(value)['then'] !== 'function') return;
    this.unsettled++;
    Promise.resolve(value).then(
      () => void this.unsettled--,
      (thrown: unknown) => {
        this.unsettled--;
        if (this.isOver) throw thrown;
        this.rejected ??= { action, thrown };
      },
    );
  }

  /** Waits for promises that settle soon. Slower ones are not part of the path. */
  async quiet(): Promise<void> {
    for (let turn = 0; turn < TURNS && this.unsettled > 0; turn++) await Promise.resolve();
  }
}
