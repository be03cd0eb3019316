/**
 * A folder as the storage of a peer, on Node: a file for each key.
 *
 * A value is written to a file of its own, which is flushed to the disk and then takes the place of the one before; then the folder is
 * flushed. Each file begins with the hash of its content: one that was torn all the same, or changed by hand, is noticed, and its peer
 * counts as one that has forgotten. A deleted file is that of a peer that has never taken part: delete none of a peer that has.
 */
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../machines/errors.js';
import type { Json } from '../transports/transport.js';
import type { PeerStorage } from './storage.js';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * The storage of a peer in a folder of Node's file system, a file for each key. A save is over once it is flushed to the disk.
 *
 * @param folder of this peer alone; it is made if it is not there.
 * @throws UsageError for a folder that is no text, or an empty one.
 * @example
 * ```ts
 * import { tmpdir } from 'node:os';
 * import { folderStorage } from 'xstate-quiver/adapters/folder-storage';
 * import { InProcessBus } from 'xstate-quiver/adapters/in-process';
 * import { createLocks } from 'xstate-quiver/adapters/locks';
 *
 * const storage = folderStorage(`${tmpdir()}/printers-a`);
 * const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'], storage });
 * console.log(await locks.request('printer', (lock) => lock.fence)); // larger with every start
 * await locks.close();
 * ```
 * @public
 */
export function folderStorage(folder: string): PeerStorage {
  if (typeof folder !== 'string' || folder === '')
    throw new UsageError(
      `folderStorage takes the path of a folder; give a text, as in '/var/lib/printers/a', and fileURLToPath(url) for a URL`,
    );
  const fileOf = (key: string): string => join(folder, `${encodeURIComponent(key)}.json`);
  return {
    load: async (key) => {
      const text = await readFile(fileOf(key), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (text === undefined) return undefined;
      const [hash, content] = text.split(/\n(.*)/s) as [string, string?];
      return content !== undefined && hash === hashOf(content) ? (JSON.parse(content) as Json) : null;
    },
    save: async (key, value) => {
      await mkdir(folder, { recursive: true });
      const content = JSON.stringify(value);
      const unfinished = `${fileOf(key)}.new`;
      await flushed(unfinished, 'w', `${hashOf(content)}\n${content}`);
      await rename(unfinished, fileOf(key));
      await flushed(folder, 'r');
    },
  };
}

async function flushed(path: string, flags: string, text?: string): Promise<void> {
  const file = await open(path, flags);
  try {
    if (text !== undefined) await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
