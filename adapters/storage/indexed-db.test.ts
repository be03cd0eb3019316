/** IndexedDB as the storage of a peer, in a real Chromium: saved data is available in later tabs and after a restart of the browser. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { launchPersistent, missing } from '../../testing/chromium.js';
import { serveProgram } from '../../testing/serve-program.js';
import type { PeerStorage } from './storage.js';

declare const storageOf: (name: string) => PeerStorage;

interface Saving {
  save(n: number): Promise<string | undefined>;
}

const program = `
  import { indexedDbStorage } from ${JSON.stringify(fileURLToPath(new URL('indexed-db.ts', import.meta.url)))};
  globalThis.storageOf = indexedDbStorage;
`;

/** A separate origin in a browser that keeps its data. */
async function visitor() {
  const { origin, close } = await serveProgram(program);
  const profile = mkdtempSync(join(tmpdir(), 'quiver-profile-'));
  onTestFinished(() => {
    close();
    rmSync(profile, { recursive: true, force: true });
  });
  const open = async () => {
    const browser = await launchPersistent(profile);
    const tab = async () => {
      const page = await browser.newPage();
      await page.goto(origin);
      return page;
    };
    return { browser, tab };
  };
  return { open };
}

describe.skipIf(missing)('in Chromium', () => {
  test('a value is the last one saved, by database and key, also for later tabs', async () => {
    const { open } = await visitor();
    const first = await open();
    const page = await first.tab();
    const before = await page.evaluate(async () => {
      const storage = storageOf('peer a');
      const empty = await storage.load('locks');
      await storage.save('locks', { n: 1 });
      await storage.save('locks', { n: 2 });
      await storage.save('locks/names', [3]);
      return [empty === undefined, await storage.load('locks'), (await storageOf('peer b').load('locks')) === undefined];
    });
    expect(before).toEqual([true, { n: 2 }, true]);
    await page.close();
    const next = await first.tab();
    expect(await next.evaluate(() => storageOf('peer a').load('locks'))).toEqual({ n: 2 });
    await first.browser.close();
    const second = await open();
    const later = await second.tab();
    expect(await later.evaluate(() => storageOf('peer a').load('locks/names'))).toEqual([3]);
    await second.browser.close();
  });

  test('a tab does not overwrite what another one has written since its last read', async () => {
    const { open } = await visitor();
    const { browser, tab } = await open();
    const pages = [await tab(), await tab()] as const;
    for (const page of pages)
      await page.evaluate(async () => {
        const storage = storageOf('peer a');
        await storage.load('locks');
        Object.assign(globalThis, { save: (n: number) => storage.save('locks', { n }).catch((error: Error) => error.message) });
      });
    const save = (page: (typeof pages)[0], n: number) => page.evaluate((value) => (globalThis as never as Saving).save(value), n);
    expect([await save(pages[0], 1), await save(pages[0], 2)]).toEqual([undefined, undefined]);
    expect(await save(pages[1], 3)).toContain(
      '"locks" in the database "peer a" was written by another process since it was read',
    );
    expect(await pages[1].evaluate(() => storageOf('peer a').load('locks'))).toEqual({ n: 2 });
    await browser.close();
  });

  test('a failed save is reported and changes nothing', async () => {
    const { open } = await visitor();
    const { browser, tab } = await open();
    const page = await tab();
    const reported = await page.evaluate(async () => {
      const storage = storageOf('peer a');
      await storage.save('locks', { n: 1 });
      const refused = await storage.save('locks', (() => {}) as never).catch((error: Error) => error.name);
      return [refused, await storage.load('locks')];
    });
    expect(reported).toEqual(['DataCloneError', { n: 1 }]);
    await browser.close();
  });
});
