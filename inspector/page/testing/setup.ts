/**
 * Setup for all tests of the page: the page as it is shipped, and a shared Chromium. The result of `npm run build` is used if its sources
 * have not changed since; otherwise the page is built for these tests.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';
import { launchServer } from '../../../testing/chromium.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the built page, and where Chromium listens. */
    page: string;
    chromium: string;
  }
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const shipped = join(root, 'dist/inspector/page');

/** True if the shipped page is newer than all of its sources. */
function isUpToDate(): boolean {
  // The last thing that the build makes.
  const last = join(shipped, 'whole/index.js');
  if (!existsSync(last)) return false;
  const at = statSync(last).mtimeMs;
  const folders = ['inspector', 'machines', 'network'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  return ['package-lock.json', ...folders].every((path) => statSync(join(root, path)).mtimeMs < at);
}

async function built(): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), 'quiver-page-'));
  const configFile = fileURLToPath(new URL('../vite.config.ts', import.meta.url));
  await build({ configFile, logLevel: 'error', build: { outDir } });
  await build({ configFile, mode: 'whole', logLevel: 'error', build: { outDir: join(outDir, 'whole') } });
  return outDir;
}

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const isShipped = isUpToDate();
  const [server, page] = await Promise.all([launchServer(), isShipped ? shipped : built()]);
  provide('page', pathToFileURL(`${page}/`).href);
  provide('chromium', server.wsEndpoint());
  return async () => {
    await server.close();
    if (!isShipped) rmSync(page, { recursive: true });
  };
}
