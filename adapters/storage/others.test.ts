/** Two processes of one peer, or two clusters, with the same stored state: an error names the other writer. Also, names of files. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLocks } from '../locks/locks.js';
import { Register } from '../locks/register.js';
import { StorageError } from '../transports/errors.js';
import { InProcessBus } from '../transports/in-process.js';
import { folderStorage } from './folder.js';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'quiver-others-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

describe('a folder that another process also writes', () => {
  const named = (path: string) =>
    new StorageError(
      `"locks" in the folder "${path}" was written by another process since it was read. Two processes with the same id, or two clusters, share a folder. Run one process for each id, and use a separate folder or name for each cluster (createLocks({ name })), and restart the peer.`,
    );

  test.each(['read', 'written'])('is detected by a process that had %s before, and no value is overwritten', async (how) => {
    const path = await folder();
    const [one, two] = [folderStorage(path), folderStorage(path)];
    if (how === 'read') expect(await one.load('locks')).toBeUndefined();
    else await one.save('locks', { n: 1 });
    await two.load('locks');
    await two.save('locks', { n: 2 });
    await expect(one.save('locks', { n: 3 })).rejects.toEqual(named(path));
    expect(await folderStorage(path).load('locks')).toEqual({ n: 2 });
    await two.save('locks', { n: 4 });
  });

  test('reloading continues after other writes; a missing or torn file is written again', async () => {
    const path = await folder();
    const [one, two] = [folderStorage(path), folderStorage(path)];
    await one.save('locks', 1);
    await two.load('locks');
    await two.save('locks', 2);
    expect(await one.load('locks')).toBe(2);
    await one.save('locks', 3);
    await writeFile(join(path, 'locks.json'), 'torn');
    expect(await one.load('locks')).toBeNull();
    await one.save('locks', 4);
    await rm(join(path, 'locks.json'));
    await one.save('locks', 5);
    expect(await two.load('locks')).toBe(5);
  });

  test('of two first saves at once the later one fails with the right error', async () => {
    const notified: Error[] = [];
    for (let round = 0; round < 30; round++) {
      const path = await folder();
      const both = [folderStorage(path), folderStorage(path)];
      for (const storage of both) await storage.load('locks');
      const save = async (n: number) => {
        const saves = await Promise.allSettled(both.map((storage, i) => storage.save('locks', { n, i })));
        return saves.flatMap((end) => (end.status === 'rejected' ? [end.reason as Error] : []));
      };
      const errors = [...(await save(1)), ...(await save(2))];
      expect(errors).not.toEqual([]);
      for (const error of errors) expect(error).toEqual(named(path));
      notified.push(...errors);
    }
    expect(notified.length).toBeGreaterThan(29);
  });

  test("any other error at a file's place is passed on unchanged", async () => {
    const path = await folder();
    const file = join(path, 'locks.json');
    await mkdir(file);
    await expect(folderStorage(path).save('locks', 1)).rejects.toThrow(/EISDIR/);
  });

  test('two peers that share a storage get an error with both names and advice', async () => {
    const path = await folder();
    const both = ['a', 'b'].map((peer) => ({ peer, storage: folderStorage(path) }));
    for (const { storage } of both) await storage.load('locks');
    const [first, second] = both.map(
      ({ peer, storage }) =>
        () =>
          storage.save('locks', { peer, stored: {} }),
    );
    await first!();
    await expect(second!()).rejects.toEqual(
      new StorageError(
        `"locks" in the folder "${path}" was written by another process since it was read. Peers "b" and "a" share a folder. Use a separate folder for each peer, and restart the peer.`,
      ),
    );
    expect(await folderStorage(path).load('locks')).toEqual({ peer: 'a', stored: {} });
  });

  test('of two clusters with the same ids and folders, one ends with an error', async () => {
    const path = await folder();
    const peers = ['a', 'b', 'c'];
    const begin = () => {
      const bus = new InProcessBus();
      onTestFinished(() => bus.close());
      return peers.map((id) => createLocks({ transport: bus.transport(id), peers, storage: folderStorage(join(path, id)) }));
    };
    const one = begin();
    await Promise.all(one.map(({ ready }) => ready));
    const two = begin();
    await Promise.all(two.map(({ ready }) => ready));
    await one[2]!.transport.close();
    const ends = await Promise.race([one[0]!.node.closed, one[1]!.node.closed]);
    expect([ends?.name, ends?.message]).toEqual([
      'StorageError',
      expect.stringContaining('was written by another process since'),
    ]);
  });
});

describe('the file of a key', () => {
  const long = 'r'.repeat(247);
  test.each<[what: string, key: string, file: string | RegExp]>([
    ['at the limit, as it was before', 'r'.repeat(246), `${'r'.repeat(246)}.json`],
    ['one longer', long, /^r{180}%~[0-9a-f]{64}\.json$/],
    ['of other letters', 'счётчик посещений главной страницы сайта магазина', /^%D1%81[\w%]*%~[0-9a-f]{64}\.json$/],
    ['half a pair', 'x\uD800', 'x%ud800.json'],
  ])('%s', async (_, key, file) => {
    const path = await folder();
    const storage = folderStorage(path);
    const other = `${key.slice(0, -1)}\uDC00`;
    await storage.save(key, 1);
    expect(await readdir(path)).toEqual([typeof file === 'string' ? file : expect.stringMatching(file)]);
    await storage.save(other, 2);
    expect([await storage.load(key), await folderStorage(path).load(other)]).toEqual([1, 2]);
  });

  test('locks and registers with long names are stored', async () => {
    const path = await folder();
    const transport = new InProcessBus().transport('a');
    const locks = createLocks({ transport, peers: ['a'], storage: folderStorage(path), name: 'з'.repeat(60) });
    const register = new Register<number>(locks, '访问计数器'.repeat(6), 0, (value): value is number =>
      Number.isSafeInteger(value),
    );
    expect(await register.change((n) => n + 1)).toBe(1);
    await locks.close();
    expect(await readdir(path)).toHaveLength(2);
  });
});
