/**
 * What a register may hold: what fits into the longest message that will ever tell it, which is the answer to a reading, whoever keeps it
 * then. A value that can be written and not read would be there forever, and no change of it would end.
 *
 * An eighth of a message is for the lists with which a copy is kept, two while it moves, as no list of voters takes more than a sixteenth
 * (machines/locks/membership.ts). So a value that has room once has it whoever votes later, and nobody has to know both.
 */
import { LIST } from '../../machines/locks/membership.js';
import { envelopeOf } from '../transports/envelope.js';
import { VALUES_MAX, writtenWithin } from '../transports/reading.js';
import type { Json, Transport } from '../transports/transport.js';
import type { Copy, CopyAnswer } from './register-copies.js';
import { numbered } from './register-questions.js';

const VALUE = 1 - 2 * LIST;
const LARGEST = Number.MAX_SAFE_INTEGER;

export class RegisterRoom {
  constructor(
    private readonly transport: Transport,
    private readonly conversation: string,
  ) {}

  /** So many bytes has a message. */
  get bytes(): number {
    return this.transport.guarantees.messageBytesMax;
  }

  /** Why a value has no room; `null` for one that has, whoever keeps it. */
  refused(value: Json): string | null {
    return this.beyond({ fence: 0, value, keepers: { version: LARGEST, peers: [], from: [] } }, VALUE);
  }

  /** Why a copy cannot be told with those who keep it now; `null` for one that can. */
  refusedCopy(copy: Copy): string | null {
    return this.beyond(copy, 1);
  }

  private beyond(copy: Copy, part: number): string | null {
    const answer: CopyAnswer = { type: 'copy', copy: { ...copy, fence: LARGEST }, initial: LARGEST };
    const message = envelopeOf(this.conversation, numbered(answer, LARGEST));
    const written = writtenWithin(message, Math.floor(this.bytes * part), Math.floor(VALUES_MAX * part));
    return 'refused' in written ? written.refused : null;
  }
}
