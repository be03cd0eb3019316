/** The desks of all locks that are held or waited for at one peer: as many as the messages of an epoch carry. */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { limitsHere } from '../limits.js';
import { bytesOf } from '../transports/reading.js';
import type { Transport } from '../transports/transport.js';
import type { LockDesk } from './lock-desk.js';

/** What a lock takes beside its name where an epoch tells who keeps it. */
const BESIDE_NAME = 140;
/** One that is changed to a larger list has these to begin with. */
const VOTERS_MIN = 3;

const sizeOf = (name: string): number => bytesOf(JSON.stringify(name)) + BESIDE_NAME;

export class Desks extends Map<string, LockDesk> {
  private readonly sizeMax = limitsHere().openLocks;
  private bytes = 0;

  override set(name: string, desk: LockDesk): this {
    if (!this.has(name)) this.bytes += sizeOf(name);
    return super.set(name, desk);
  }

  override delete(name: string): boolean {
    if (this.has(name)) this.bytes -= sizeOf(name);
    return super.delete(name);
  }

  /**
   * One message names all locks of all voters, so each has its part of the largest one.
   *
   * @throws UsageError where another lock would be one too many.
   */
  requireRoom(name: string, { id, guarantees }: Transport, voters: readonly NodeId[]): void {
    const share = guarantees.messageBytesMax / Math.max(VOTERS_MIN, voters.length);
    const fits = this.bytes + sizeOf(name) <= share;
    if (fits && this.size < this.sizeMax) return;
    throw new UsageError(
      `lock "${name}" is one too many at peer "${id}": ${this.size} others are held or waited for there, which is the most${fits ? '' : ' with names so long'}; release some first`,
    );
  }
}
