/**
 * Frames for a medium without senders, such as a broker's topic or a channel that all tabs receive.
 *
 * The frame contains the sender's id, unverified. So such a medium requires that peers trust each other, or `sealed` messages.
 */
import { asyncScheduler, type TimestampProvider } from 'rxjs';
import { isObject } from '../../machines/checks.js';
import type { NodeId } from '../../machines/effects.js';
import { Drops } from './drops.js';
import type { DriverListener } from './driver.js';
import { isId } from './ids.js';
import { Rate } from './rate.js';
import { FRAME_BYTES_MAX, readFrame } from './reading.js';

/** More than correct peers send. The link layer repeats dropped frames. */
const FRAMES_PER_SECOND_MAX = 100_000;

const decoder = new TextDecoder();

/** Wraps the JSON of a message in a frame. */
export const frameText = (from: NodeId, message: string): string => `{"from":${JSON.stringify(from)},"message":${message}}`;

/** Passes the messages of valid frames on, and drops the other frames. */
export class FrameReader {
  private readonly drops: Drops;
  private readonly rate: Rate;

  constructor(
    id: NodeId,
    private readonly medium: Pick<DriverListener, 'received'>,
    clock: TimestampProvider = asyncScheduler,
  ) {
    this.drops = new Drops(`transport "${id}"`, clock);
    this.rate = new Rate(FRAMES_PER_SECOND_MAX, clock);
  }

  /** Reads a frame in bytes. Larger ones than any frame are dropped without decoding. */
  readBytes(bytes: Uint8Array): void {
    const { byteLength } = bytes;
    if (byteLength <= FRAME_BYTES_MAX) this.read(decoder.decode(bytes));
    else this.drops.drop(`its ${byteLength} bytes are over the limit of ${FRAME_BYTES_MAX}`);
  }

  read(text: unknown): void {
    if (!this.rate.allows()) {
      this.drops.drop(`more than ${this.rate.perSecond} frames arrive per second`);
      return;
    }
    const reading = readFrame(text);
    if ('refused' in reading) {
      this.drops.drop(reading.refused);
      return;
    }
    const frame = reading.value;
    if (isObject(frame) && isId(frame['from']) && frame['message'] !== undefined) {
      this.medium.received(frame['from'], frame['message']);
    } else this.drops.drop('its sender or its message is missing');
  }
}

/** Same limit as for ids, so that root and token together stay below the limits of all brokers. */
const ROOT_LENGTH_MAX = 255;

/**
 * True if brokers accept the text as the first part of a subject or topic: no control characters, spaces, wildcards or halves of characters,
 * and not reserved by the broker, as `$SYS` is.
 */
export const isTopicRoot = (value: unknown): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  value.length <= ROOT_LENGTH_MAX &&
  !value.startsWith('$') &&
  !/[\p{C}\p{Zl}\p{Zp}]/u.test(value);

/** An id as one token of a subject or topic: letters, digits, `-` and `_` are kept, other bytes are escaped. */
export const topicToken = (id: NodeId): string =>
  Array.from(new TextEncoder().encode(id), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9_-]/.test(character) ? character : `=${byte.toString(16).padStart(2, '0')}`;
  }).join('');
