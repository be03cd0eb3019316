/** Matchers for `expect.extend` of Vitest and Jest. */
import { formatFailure } from './failure.js';
import type { Rehearsal } from './report.js';
import { fieldsOf } from '../../machines/checks.js';

/**
 * Matchers for `expect.extend` of Vitest and Jest: `toHold` fails if a rehearsal has found a failure, and prints its events.
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
  /**
   * Passes if no judge found a violation. Otherwise the message contains the events before the failure. With Vitest,
   * `RehearsalReporter` also receives the failure.
   */
  toHold(this: unknown, { failure, runs }: Rehearsal): { readonly pass: boolean; message(): string } {
    const { task } = fieldsOf(this);
    if (failure && task) Object.assign(fieldsOf(fieldsOf(task)['meta']), { rehearsal: failure });
    return {
      pass: failure === null,
      message: () =>
        failure ? formatFailure(failure) : `Expected a failure, but there was none in ${runs} ${runs === 1 ? 'run' : 'runs'}`,
    };
  },
};
