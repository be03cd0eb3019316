/**
 * What an application's code does past the paths of its tests: a promise that never comes back, a rejection that nobody hears, a timer
 * that nobody clears. The tests themselves have no clock and no process; the command has.
 */
import { UsageError } from '../machines/errors.js';
import { encode } from '../test/machine/encode.js';
import type { Failure } from '../test/machine/graph.js';
import type { Patience } from '../test/machine/subject.js';

/** How long one thing that runs for real may take. */
const WAIT_MS = 10_000;

/** What does not come back in time ends the work, by name. */
export const patienceOf =
  (ms: number): Patience =>
  async (what, promise) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const complaint = new UsageError(
        `${what} has not come back within ${ms / 1000} s, and perhaps never will; let it settle, or say under services what it may come to`,
      );
      timer = setTimeout(() => reject(complaint), ms);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  };

export const commandPatience = patienceOf(WAIT_MS);

/** Hears, from now on, of what breaks past every path. */
export class UnhandledRejections {
  private readonly thrown: unknown[] = [];
  private readonly hear = (thrown: unknown): void => void this.thrown.push(thrown);

  constructor() {
    process.on('unhandledRejection', this.hear).on('uncaughtException', this.hear);
  }

  /** What has broken so far, once for each that looks alike. What breaks later ends the process, as ever. */
  async end(): Promise<readonly Failure[]> {
    // Node tells of a rejection when the queue of promises is empty.
    for (let turn = 0; turn < 2; turn++) await new Promise((resume) => setImmediate(resume));
    process.off('unhandledRejection', this.hear).off('uncaughtException', this.hear);
    const texts = new Set(this.thrown.map((thrown) => encode(thrown, () => undefined)));
    return [...texts].map((what) => ({
      rule: `no unhandled error (${what})`,
      description: `while the tests ran, ${what} was thrown, or a promise rejected with it, where nobody hears it: by an action, or by a service that runs for real. Catch it there, or make the action a service with onError`,
      steps: [],
      isUnhandled: true,
    }));
  }
}
