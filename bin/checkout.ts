/** Parts of the repository that the package does not ship: the papers' tables and the stories. */
import { UsageError } from '../machines/errors.js';

/** Loads a part; without it, `what` is named in the error. */
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
