/** A peer's disk as the storage of its locks: what is there after a restart, a torn write, and a full disk. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { diskStorage } from './disk-storage.js';
import type { Main } from './peer.js';
import { quietScenario } from './quiet.fixture.js';
import { runOnce } from './rehearse.js';
import type { RehearsalScenario } from './scenario.js';

/** The notes of p0 in each of its lives. */
async function noted(main: Main, more: Partial<RehearsalScenario> = {}): Promise<string[]> {
  const only: Main = (peer) => (peer.id === 'p0' ? main(peer) : undefined);
  const { events } = await runOnce({ ...quietScenario, ...more }, { judges: [] }, only);
  return events.flatMap(({ type, what }) => (type === 'note' ? [what as string] : []));
}

test('loads nothing at first, then the last saved value, also after a restart', async () => {
  const seen = await noted(async ({ life, disk, note }) => {
    const storage = diskStorage(disk);
    note(`${life}: ${JSON.stringify(await storage.load('a'))} ${JSON.stringify(await storage.load('b'))}`);
    if (life > 1) return;
    for (const value of [1, { deep: ['x'] }]) await storage.save('a', value);
    await wait(1_000);
    process.exit();
  });
  expect(seen).toEqual(['1: undefined undefined', '2: {"deep":["x"]} undefined']);
});

test.each([
  ['torn', (text: string) => text.slice(0, -1)],
  ['empty', () => ''],
  ['of something else', (text: string) => text.replace('5', '6')],
])('a value that is %s loads as null, not as the previous value', async (_, damage) => {
  const seen = await noted(async ({ disk, note }) => {
    const storage = diskStorage(disk);
    await storage.save('a', 5);
    await disk.write('a', damage((await disk.read('a'))!));
    note(String(await storage.load('a')));
  });
  expect(seen).toEqual(['null']);
});

test('a full disk rejects a save and keeps the previous value', async () => {
  const full = { what: 'full', who: 'p0', other: 'p1', atMs: 1_000, lastsMs: 2_000, size: 1 } as const;
  const seen = await noted(
    async ({ disk, note }) => {
      const storage = diskStorage(disk);
      await storage.save('a', 1);
      await wait(1_500);
      await storage.save('a', 2).catch((error: NodeJS.ErrnoException) => note(String(error.code)));
      note(String(await storage.load('a')));
      await wait(2_500);
      await storage.save('a', 3);
      note(String(await storage.load('a')));
    },
    { faults: [full] },
  );
  expect(seen).toEqual(['ENOSPC', '1', '3']);
});
