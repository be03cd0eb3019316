/**
 * A trace and its page as one HTML file, which opens from a disk, an issue or a CI artifact without a server and without network access.
 * The trace is only data in it and is never executed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { UsageError } from '../../machines/errors.js';
import { withTrace } from '../model/packed.js';
import { builtPage } from '../server.js';

export function pageFile(trace: string, page: URL = builtPage()): string {
  const whole = new URL('whole/index.js', page);
  if (!existsSync(whole)) throw new UsageError('The inspector page is not built. Run npm run build.');
  return withTrace(textIn(whole), gzipSync(trace).toString('base64'), textIn(new URL('chart-engine.js', page)));
}

/** The text that a module of the page exports. */
const textIn = (module: URL): string => JSON.parse(/".*"/.exec(readFileSync(module, 'utf8'))![0]);
