/** Reads text files that a command line names; errors contain the file name. */
import { constants } from 'node:buffer';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { UsageError, thrownText } from '../machines/errors.js';
import { decodeText, parseText } from '../network/scenario/text.js';
import { fieldsOf } from '../machines/checks.js';

/** The examples of the package, wherever it is installed. */
export const EXAMPLES = join(dirname(createRequire(import.meta.url).resolve('xstate-quiver/package.json')), 'examples');

export function readFile(path: string): string {
  let size: number;
  try {
    ({ size } = statSync(path));
    // Node ends of a text that is longer than it can hold.
    if (size <= constants.MAX_STRING_LENGTH) return decodeText(readFileSync(path));
  } catch (error) {
    const { code, message } = fieldsOf(error);
    const known: Record<string, string> = {
      ENOENT: `there is no such file.${inPackage(path)}`,
      EISDIR: 'it is a folder. Choose a file in it.',
    };
    throw new UsageError(`Cannot read ${path || '""'}: ${known[String(code)] ?? String(message)}`);
  }
  throw new UsageError(
    `Cannot read ${path}: it has ${inMegabytes(size)} MB, and the limit is ${inMegabytes(constants.MAX_STRING_LENGTH)} MB. Choose a smaller file.`,
  );
}

/** Where the package has an example that a page names as in a checkout. */
function inPackage(path: string): string {
  const packaged = join(EXAMPLES, '..', path);
  return path.startsWith('examples/') && existsSync(packaged) ? ` The package contains it: ${relative('.', packaged)}` : '';
}

const inMegabytes = (bytes: number): number => Math.floor(bytes / 1e6);

function readJson(path: string): unknown {
  const text = readFile(path);
  try {
    return parseText(text);
  } catch (error) {
    throw new UsageError(`${path}: ${thrownText(error)}`);
  }
}

/** The result of `read` for the content of a JSON file; errors contain the file name. */
export function readJsonAs<T>(path: string, read: (json: unknown) => T): T {
  const json = readJson(path);
  try {
    return read(json);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${path}: ${error.message}`);
  }
}
