/**
 * A peer's disk as the storage of its nodes, as `folderStorage` keeps values: under their hash, in its own file that takes the place of the
 * one before once it is safe. So a value that a loss of power has torn counts as one that has been forgotten, and none is half of another.
 */
import { createHash } from 'node:crypto';
import type { RehearsedPeer } from './peer.js';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * The disk of a rehearsed peer, where `createLocks` and its like take a `storage`. While the disk is full they end with a `StorageError`, as on a
 * machine; a main that then calls `process.exit` is started again.
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
 *     process.exit(1); // a supervisor starts it again, until the disk has room
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
    const [hash, content] = text.split(/\n(.*)/s) as [string, string?];
    return content !== undefined && hash === hashOf(content) ? JSON.parse(content) : null;
  },
  save: async (key: string, value: unknown) => {
    const content = JSON.stringify(value);
    await disk.write(`${key}.new`, `${hashOf(content)}\n${content}`);
    await disk.rename(`${key}.new`, key);
  },
});
