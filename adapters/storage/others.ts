/**
 * The error for stored data that another process has changed. The peer must stop, because each process would overwrite the other's changes.
 */
import { StorageError } from '../transports/errors.js';
import { fieldsOf } from '../../machines/checks.js';

/** The peer of a value, which `save` of storage.ts adds. */
const peerOf = (value: unknown): unknown => fieldsOf(value)['peer'];

/** Another process's value and the value that was to replace it. @internal */
export interface Contested {
  readonly key: string;
  /** A description of the key's place. */
  readonly where: string;
  /** The kind of place: a folder, a bucket, a database. */
  readonly place: string;
  readonly there: unknown;
  readonly own: unknown;
}

/** @internal */
export function writtenByOthers({ key, where, place, there, own }: Contested): StorageError {
  const [other, peer] = [peerOf(there), peerOf(own)];
  const [who, fix] =
    other && peer && other !== peer
      ? [`Peers "${peer}" and "${other}" share a ${place}`, `Use a separate ${place} for each peer`]
      : [
          `Two processes with the same id, or two clusters, share a ${place}`,
          `Run one process for each id, and use a separate ${place} or name for each cluster (createLocks({ name }))`,
        ];
  return new StorageError(
    `"${key}" ${where} was written by another process since it was read. ${who}. ${fix}, and restart the peer.`,
  );
}
