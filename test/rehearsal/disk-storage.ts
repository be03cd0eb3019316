/**
 * A peer's disk as storage of its nodes. Like `folderStorage`, it stores each value with its hash in a file that replaces the previous one
 * after it is safe. A value that a loss of power has torn is therefore reported as forgotten, never as a mixture of two values.
 */
import { createHash } from 'node:crypto';
import type { RehearsedPeer } from './peer.js';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Uses the disk of a rehearsed peer as `storage` of `createLocks` and others. While the disk is full, they end with a `StorageError`, as on
 * a real machine. A main that then calls `process.exit` is restarted.
 *
 * @example
 * ```ts
 * import { StorageError, InProcessBus } from 'xstate-quiver/transports';
 * import { createLocks } from 'xstate-quiver/locks';
 * import { diskStorage, rehearse, type Main } from 'xstate-quiver/rehearsal';
 *
 * const main: Main = async ({ id, disk, watch }) => {
 *   const transport = new InProcessBus().transport(id);
 *   const locks = watch(createLocks({ transport, peers: [id], storage: diskStorage(disk) }));
 *   await locks.request('report', () => {}).catch((error) => {
 *     if (!(error instanceof StorageError)) throw error;
 *     process.exit(1); // a supervisor restarts the process, until the disk has room
 *   });
 * };
 * console.log((await rehearse({ peers: 1, runs: 1, seconds: 4, faults: ['kill', 'full'] }, main)).failure);
 * ```
 * @experimental
 */
export const diskStorage = (disk: RehearsedPeer['disk']) => ({
  load: async (key: string): Promise<any> => {
    const text = await disk.read(key);
    if (text === undefined) return undefined;
    const [hash, content] = text.split(/\n(.*)/s);
    return content !== undefined && hash === hashOf(content) ? JSON.parse(content) : null;
  },
  save: async (key: string, value: unknown) => {
    const content = JSON.stringify(value);
    await disk.write(`${key}.new`, `${hashOf(content)}\n${content}`);
    await disk.rename(`${key}.new`, key);
  },
});
