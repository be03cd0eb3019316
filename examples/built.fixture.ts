/** An example as a user runs it: built, in its own process. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Output of an example. */
export async function printedBy(example: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [`dist/examples/${example}.js`], { timeout: 150_000 });
  return stdout;
}
