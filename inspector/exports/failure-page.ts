/**
 * Writes an inspector page with the trace of a failed test into the folder `quiver-failures`. A later failure of the same test replaces it.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ProtocolError } from '../../machines/errors.js';
import type { TraceHeader, TraceLine } from '../../network/trace.js';
import { pageFile } from './page-file.js';

const FOLDER = 'quiver-failures';
const NAME_MAX = 100;
/** A run that never ends is shown so far. */
const LINES_MAX = 20_000;

/** Writes the page and returns its path, relative to the folder of the tests. Throws if it cannot be written. */
export function writeFailurePage(name: string, lines: Iterable<TraceHeader | TraceLine>): string {
  const page = pageFile(textOf(lines));
  mkdirSync(resolve(process.cwd(), FOLDER), { recursive: true });
  const path = join(FOLDER, `${fileName(name)}.html`);
  const place = resolve(process.cwd(), path);
  const partial = `${place}.${process.pid}.partial`;
  writeFileSync(partial, page);
  renameSync(partial, place);
  return path;
}

function textOf(lines: Iterable<TraceHeader | TraceLine>): string {
  const texts: string[] = [];
  try {
    for (const line of lines) if (texts.push(`${JSON.stringify(line)}\n`) > LINES_MAX) break;
  } catch (error) {
    // A chart that violates its contract ends its run. The trace up to that point shows the cause.
    if (!(error instanceof ProtocolError) || texts.length === 0) throw error;
  }
  return texts.join('');
}

function fileName(name: string): string {
  const plain = name.replaceAll(/[^\w.-]+/g, '-').replaceAll(/^[.-]+|-+$/g, '');
  const hash = () => createHash('sha256').update(name).digest('hex').slice(0, 8);
  return plain.length <= NAME_MAX ? plain : `${plain.slice(0, NAME_MAX)}-${hash()}`;
}
