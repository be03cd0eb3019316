/** What is said where somebody else writes what one peer has stored: both would go on from what the other does not know. */
import { StorageError } from '../transports/errors.js';

/** `where` a key stands, and what kind of `place` is to be had once more: a folder, a bucket, a database. @internal */
export const writtenByOthers = (key: string, where: string, place: string): StorageError =>
  new StorageError(
    `"${key}" ${where} was written by somebody else since it was read: two processes of one id, or two clusters, share a ${place}; run one process of each id, give each cluster a ${place} or a name of its own (createLocks({ name })), and start the peer again`,
  );
