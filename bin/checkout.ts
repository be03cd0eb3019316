/** Loads parts of the repository that are not in the npm package: the papers' tables and the stories. */
import { UsageError } from '../machines/errors.js';

/** Loads a part. `what` names it in the error if it is missing. */
export async function fromCheckout<T>(load: () => Promise<T>, what: string): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(
      `The package does not contain ${what}. Run this command in a checkout of the repository, after npm ci and npm run build.`,
    );
  }
}
