/** Once for all tests of the page: the page is built as it is shipped, and a Chromium started that they share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';
import { launchServer } from '../../../bench/chromium.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the built page, and where Chromium listens. */
    page: string;
    chromium: string;
  }
}

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const outDir = mkdtempSync(join(tmpdir(), 'quiver-page-'));
  const configFile = fileURLToPath(new URL('../vite.config.ts', import.meta.url));
  const whole = () => build({ configFile, mode: 'whole', logLevel: 'error', build: { outDir: join(outDir, 'whole') } });
  const page = build({ configFile, logLevel: 'error', build: { outDir } }).then(whole);
  const [server] = await Promise.all([launchServer(), page]);
  provide('page', pathToFileURL(`${outDir}/`).href);
  provide('chromium', server.wsEndpoint());
  return async () => {
    await server.close();
    rmSync(outDir, { recursive: true });
  };
}
