/** `quiver paper NAME…`: reproduces the tables of papers, in a checkout of the repository. */
import { UsageError } from '../../machines/errors.js';
import type { VerbWork } from '../verbs.js';

const command: VerbWork<'paper'> = async (values, words) => {
  const { default: paper } = await import('../../papers/command.js').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(
      'The package does not contain the tables of the papers. Run this command in a checkout of the repository, after npm ci and npm run build.',
    );
  });
  return paper(values, words);
};

export default command;
