/**
 * A message on a medium that itself knows of no senders: a broker's topic, a channel that all tabs hear.
 *
 * The sender's id is whatever the frame claims, so such a medium is for those who trust each other, or for `sealed` messages.
 */
import { asyncScheduler, type TimestampProvider } from 'rxjs';
import { isObject } from '../../machines/checks.js';
import type { NodeId } from '../../machines/effects.js';
import { Drops } from './drops.js';
import type { DriverListener } from './driver.js';
import { isId } from './ids.js';
import { Rate } from './rate.js';
import { FRAME_BYTES_MAX, readFrame } from './reading.js';
import type { Json } from './transport.js';

/** More than peers send that are in their right mind; the link layer sends again what was dropped. */
const FRAMES_PER_SECOND_MAX = 100_000;

const decoder = new TextDecoder();

/** A frame around the JSON of a message. */
export const frameText = (from: NodeId, message: string): string => `{"from":${JSON.stringify(from)},"message":${message}}`;

/** Hands what comes in to the medium, and drops what is not a frame. */
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

  /** Too many are no text: what is larger than any frame is not even decoded. */
  readBytes(bytes: Uint8Array): void {
    const { byteLength } = bytes;
    if (byteLength <= FRAME_BYTES_MAX) this.read(decoder.decode(bytes));
    else this.drops.drop(`its ${byteLength} bytes are over the limit of ${FRAME_BYTES_MAX}`);
  }

  read(text: unknown): void {
    if (!this.rate.allows()) {
      this.drops.drop(`more than ${this.rate.perSecond} come in a second`);
      return;
    }
    const reading = readFrame(text);
    if ('refused' in reading) {
      this.drops.drop(reading.refused);
      return;
    }
    const frame = reading.value;
    if (isObject(frame) && isId(frame['from']) && frame['message'] !== undefined) {
      this.medium.received(frame['from'], frame['message'] as Json);
    } else this.drops.drop('it names no sender or carries no message');
  }
}

/** The limit of an id, too, so that with one of them it stays below what every broker takes. */
const ROOT_LENGTH_MAX = 255;

/** True if brokers take the text for the first part of a subject or topic: nothing unseen, no halves of characters, nothing of their own. */
export const isTopicRoot = (value: unknown): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  value.length <= ROOT_LENGTH_MAX &&
  !value.startsWith('$') &&
  !/[\p{C}\p{Zl}\p{Zp}]/u.test(value);

/** An id as one token of a subject or topic: letters, digits, `-` and `_` stand for themselves, everything else for its bytes. */
export const topicToken = (id: NodeId): string =>
  Array.from(new TextEncoder().encode(id), (byte) => {
    const letter = String.fromCharCode(byte);
    return /[A-Za-z0-9_-]/.test(letter) ? letter : `=${byte.toString(16).padStart(2, '0')}`;
  }).join('');
