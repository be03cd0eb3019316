/** For `expect.extend` of Vitest and Jest. */
import { tellFailure } from './failure.js';
import type { Rehearsal } from './rehearse.js';

/**
 * @example
 * expect.extend(rehearsalMatchers);
 * expect(await rehearse(options, main)).toHold();
 * @public
 */
export const rehearsalMatchers = {
  /** No judge found anything; else the message is the failure's story, and how to run it again. */
  toHold({ failure, runs }: Rehearsal): { readonly pass: boolean; message(): string } {
    return {
      pass: failure === null,
      message: () => (failure ? tellFailure(failure) : `nothing was found in ${runs} runs, and something should have been`),
    };
  },
};
