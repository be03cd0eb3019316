/**
 * The address of the last inspector of a project. The next one serves there again, so that an open page and running programs find it. It
 * is in a folder for caches of `node_modules`, readable by its owner only, because it contains the token.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileIn = (project: string): string => join(project, 'node_modules/.cache/xstate-quiver/inspector');

export function lastAddress(project: string): string | undefined {
  const file = fileIn(project);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Stores the address of the inspector for the next start, in `node_modules`, if that is possible. */
export function keepAddress(project: string, url: string): void {
  if (!existsSync(join(project, 'node_modules'))) return;
  const file = fileIn(project);
  try {
    mkdirSync(join(file, '..'), { recursive: true });
    rmSync(file, { force: true });
    writeFileSync(file, url, { mode: 0o600 });
  } catch {
    // The next inspector has another address.
  }
}
