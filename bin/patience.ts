/** A limit for work that runs for real in the tests of a machine, on the command line and in the website's playground. */
import { UsageError } from '../machines/errors.js';
import type { Patience } from '../test/machine/subject.js';

/** Ends the work with an error if a promise does not settle in time. */
export const patienceOf =
  (ms: number): Patience =>
  async (what, promise) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
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
