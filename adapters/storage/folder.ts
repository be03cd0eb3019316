/**
 * A folder as the storage of a peer, on Node, with a file for each key.
 *
 * A value is written to a new file, which is flushed to the disk and then replaces the previous one; then the folder is flushed. Each file
 * begins with the hash of its content. A file that was torn or edited is detected, and its peer counts as having forgotten its state. A
 * deleted file means that the peer has never participated, so never delete a file of a peer that has.
 *
 * The key is the name of the file; a key that is too long is shortened and completed with a hash. Each save first reads the file again. If
 * it does not contain what was read or written last, another process shares the folder. Two processes that save at the same moment
 * may both succeed, or one of them finds its file taken; the next save of one of them fails.
 *
 * @module xstate-quiver/storage/node
 */
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../machines/errors.js';
import type { Json } from '../transports/transport.js';
import { writtenByOthers } from './others.js';
import type { PeerStorage } from './storage.js';
import { fieldsOf } from '../../machines/checks.js';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Length of a file name in bytes without `.json.new`, of at most 255. */
const NAME_LENGTH_MAX = 246;
const HASH_LENGTH = 64;

/** Different keys have different names: no encoded character is `%u` or `%~`. */
function fileNameOf(key: string): string {
  const name = Array.from(key, (sign) =>
    /[\uD800-\uDFFF]/u.test(sign) ? `%u${sign.charCodeAt(0).toString(16)}` : encodeURIComponent(sign),
  ).join('');
  if (name.length <= NAME_LENGTH_MAX) return name;
  return `${name.slice(0, NAME_LENGTH_MAX - HASH_LENGTH - 2)}%~${hashOf(name)}`;
}

/**
 * Creates the storage of a peer in a folder, with a file for each key. A save resolves after it is flushed to the disk.
 *
 * @param folder the path of a folder for this peer only. It is created if it does not exist.
 * @returns a storage for the option `storage`.
 * @throws UsageError for a path that is not a text or is empty.
 * @example
 * ```ts
 * import { tmpdir } from 'node:os';
 * import { folderStorage } from 'xstate-quiver/storage/node';
 * import { InProcessBus } from 'xstate-quiver/transports';
 * import { createLocks } from 'xstate-quiver/locks';
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
      `folderStorage requires the path of a folder. Pass a text such as '/var/lib/printers/a'; for a URL, fileURLToPath(url).`,
    );
  const fileOf = (key: string): string => join(folder, `${fileNameOf(key)}.json`);
  const others = (key: string, text: string, own: Json) =>
    writtenByOthers({ key, where: `in the folder "${folder}"`, place: 'folder', there: valueIn(text), own });
  /** The last read or written text of each file. */
  const seen = new Map<string, string | undefined>();
  return {
    load: async (key) => {
      const text = await textOf(fileOf(key));
      seen.set(key, text);
      if (text === undefined) return undefined;
      return valueIn(text);
    },
    save: async (key, value) => {
      await mkdir(folder, { recursive: true });
      const file = fileOf(key);
      const there = await textOf(file);
      if (seen.has(key) && there !== undefined && there !== seen.get(key)) throw others(key, there, value);
      const content = JSON.stringify(value);
      const text = `${hashOf(content)}\n${content}`;
      await flushed(`${file}.new`, 'w', text);
      try {
        await rename(`${file}.new`, file);
      } catch (error) {
        // Another process has written at the same moment and has already renamed the file.
        const now = isMissing(error) ? await textOf(file) : undefined;
        if (now !== undefined) throw others(key, now, value);
        throw error;
      }
      seen.set(key, text);
      await flushed(folder, 'r');
    },
  };
}

/** Returns `null` for a torn or edited file. */
function valueIn(text: string): Json {
  const [hash, content] = text.split(/\n(.*)/s);
  return content !== undefined && hash === hashOf(content) ? JSON.parse(content) : null;
}

const isMissing = (error: unknown): boolean => fieldsOf(error)['code'] === 'ENOENT';

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
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
