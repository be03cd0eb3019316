/**
 * A folder as the storage of a peer, on Node: a file for each key.
 *
 * A value is written to its own file, which is flushed to the disk and then takes the place of the one before; then the folder is
 * flushed. Each file begins with the hash of its content: one that was torn still, or changed by hand, is noticed, and its peer
 * counts as one that has forgotten. A deleted file is that of a peer that has never taken part: delete none of a peer that has.
 *
 * A file is named by its key, and by the beginning and a hash of one that is too long for the name of a file. Before each save the file is
 * read again: one that is not what was read or written here last was written by somebody else, who shares the folder. Two that save in the
 * same moment may both pass, or one of them finds what it wrote taken; the next save of one of them does not pass.
 */
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../machines/errors.js';
import type { Json } from '../transports/transport.js';
import { writtenByOthers } from './others.js';
import type { PeerStorage } from './storage.js';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Of the 255 bytes that the name of a file may have, so many are left next to `.json.new`. */
const NAME_LENGTH_MAX = 246;
const HASH_LENGTH = 64;

/** Different keys have different names: no sign of a key becomes `%u` or `%~`. */
function fileNameOf(key: string): string {
  const name = Array.from(key, (sign) =>
    /[\uD800-\uDFFF]/u.test(sign) ? `%u${sign.charCodeAt(0).toString(16)}` : encodeURIComponent(sign),
  ).join('');
  if (name.length <= NAME_LENGTH_MAX) return name;
  return `${name.slice(0, NAME_LENGTH_MAX - HASH_LENGTH - 2)}%~${hashOf(name)}`;
}

/**
 * The storage of a peer in a folder of Node's file system, a file for each key. A save is over once it is flushed to the disk.
 *
 * @param folder of this peer alone; it is made if it is not there.
 * @throws UsageError for a folder that is no text, or an empty one.
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
      `folderStorage takes the path of a folder. Pass a text, as in '/var/lib/printers/a', and fileURLToPath(url) for a URL`,
    );
  const fileOf = (key: string): string => join(folder, `${fileNameOf(key)}.json`);
  const others = (key: string, text: string, own: Json) =>
    writtenByOthers({ key, where: `in the folder "${folder}"`, place: 'folder', there: valueIn(text), own });
  /** What was read or written here last, whole. */
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
        // Somebody else, who wrote there in the same moment, has put it in its place.
        const now = isMissing(error) ? await textOf(file) : undefined;
        if (now !== undefined) throw others(key, now, value);
        throw error;
      }
      seen.set(key, text);
      await flushed(folder, 'r');
    },
  };
}

/** `null` for what was torn, or changed by hand. */
function valueIn(text: string): Json {
  const [hash, content] = text.split(/\n(.*)/s) as [string, string?];
  return content !== undefined && hash === hashOf(content) ? (JSON.parse(content) as Json) : null;
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

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
