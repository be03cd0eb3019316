/** For `expect.extend` of Vitest and Jest. */
import { tellFailure } from './failure.js';
import type { Rehearsal } from './rehearse.js';

/**
 * A matcher for `expect.extend` of Vitest and Jest: `toHold` fails with the story of the failure that a rehearsal has found.
 *
 * @example
 * ```ts
 * import { expect, test } from 'vitest';
 * import { rehearsalMatchers, rehearse } from 'xstate-quiver/rehearsal';
 *
 * expect.extend(rehearsalMatchers);
 * test('nothing breaks', async () => {
 *   const rehearsal = await rehearse({ runs: 10 }, async ({ store, id }) => store.write('last', id));
 *   (expect(rehearsal) as unknown as { toHold(): void }).toHold();
 * });
 * ```
 * @experimental
 */
export const rehearsalMatchers = {
  /** No judge found anything; else the message is the failure's story, and how to run it again. Vitest's task carries the failure to `RehearsalReporter`. */
  toHold(this: unknown, { failure, runs }: Rehearsal): { readonly pass: boolean; message(): string } {
    const { task } = (this ?? {}) as { readonly task?: { readonly meta: object } };
    if (failure && task) Object.assign(task.meta, { rehearsal: failure });
    return {
      pass: failure === null,
      message: () => (failure ? tellFailure(failure) : `nothing was found in ${runs} runs, and something should have been`),
    };
  },
};
