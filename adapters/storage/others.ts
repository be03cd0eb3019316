/** What is said where somebody else writes what one peer has stored: both would go on from what the other does not know. */
import { StorageError } from '../transports/errors.js';

/** Whose a value is, as `save` of storage.ts says it. */
const peerOf = (value: unknown): unknown => (value as { readonly peer?: unknown } | null | undefined)?.peer;

/** What somebody else has written, and what was to be written over it. @internal */
export interface Contested {
  readonly key: string;
  /** Where the key stands. */
  readonly where: string;
  /** What kind of thing is to be had again: a folder, a bucket, a database. */
  readonly place: string;
  readonly there: unknown;
  readonly own: unknown;
}

/** @internal */
export function writtenByOthers({ key, where, place, there, own }: Contested): StorageError {
  const [other, peer] = [peerOf(there), peerOf(own)];
  const [who, cure] =
    other && peer && other !== peer
      ? [`peers "${peer}" and "${other}" share a ${place}`, `give each peer a ${place} of its own`]
      : [
          `two processes of one id, or two clusters, share a ${place}`,
          `run one process of each id, give each cluster a ${place} or a name of its own (createLocks({ name }))`,
        ];
  return new StorageError(
    `"${key}" ${where} was written by somebody else since it was read: ${who}; ${cure}, and start the peer again`,
  );
}
