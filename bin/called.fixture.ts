/** For tests that call commands as the program calls them: what they print, and a folder that goes with the tests. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, vi } from 'vitest';

/** Creates the caller for one file of tests. */
export function called() {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** On standard output, and on standard error. */
  const printed: string[] = [];
  const complained: string[] = [];
  beforeEach(() => {
    printed.length = 0;
    complained.length = 0;
    vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
    vi.spyOn(console, 'error').mockImplementation((text: unknown) => void complained.push(String(text)));
  });
  afterEach(() => void vi.restoreAllMocks());

  function inFolder(name: string, text?: string): string {
    const path = join(folder, name);
    if (text !== undefined) writeFileSync(path, text);
    return path;
  }
  return { folder, printed, complained, inFolder };
}
