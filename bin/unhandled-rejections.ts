/**
 * Finds what an application's code does outside the paths of its tests: a promise that never settles, an unhandled rejection, an
 * active timer. The tests themselves have no clock and no process; the command has.
 */
import { UsageError } from '../machines/errors.js';
import { encode } from '../test/machine/encode.js';
import type { Failure } from '../test/machine/graph.js';
import type { Patience } from '../test/machine/subject.js';

/** How long one thing that runs for real may take. */
const WAIT_MS = 10_000;

/** Ends the work with an error if a promise does not settle in time. */
export const patienceOf =
  (ms: number): Patience =>
  async (what, promise) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const complaint = new UsageError(
        `${what} has not settled within ${ms / 1000} s. Resolve or reject it, or list its possible results under services.`,
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

/** Collects rejections and errors that no path of a test has caused, from its creation on. */
export class UnhandledRejections {
  private readonly thrown: unknown[] = [];
  private readonly receive = (thrown: unknown): void => void this.thrown.push(thrown);

  constructor() {
    process.on('unhandledRejection', this.receive).on('uncaughtException', this.receive);
  }

  /** The errors so far, each once. Later errors end the process as usual. */
  async end(): Promise<readonly Failure[]> {
    // Node reports a rejection when the queue of promises is empty.
    for (let turn = 0; turn < 2; turn++) await new Promise((resume) => setImmediate(resume));
    process.off('unhandledRejection', this.receive).off('uncaughtException', this.receive);
    const texts = new Set(this.thrown.map((thrown) => encode(thrown, () => undefined)));
    return [...texts].map((what) => ({
      rule: `no unhandled error (${what})`,
      description: `While the tests ran, an action or a live service threw ${what} or rejected a promise with it, and no code caught it. Catch the error there, or turn the action into a service with onError.`,
      steps: [],
      isUnhandled: true,
    }));
  }
}
