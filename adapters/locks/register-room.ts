/**
 * The room of a register: a value has to fit into the longest message that will contain it, which is the answer to a read, whatever the
 * membership. A value that can be written but not read would stay forever, and no change of it would end.
 *
 * An eighth of a message is reserved for the lists with which a copy is kept: two while it moves, each at most a sixteenth
 * (machines/locks/membership.ts). A value that fits once therefore fits with every later membership.
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

  get bytes(): number {
    return this.transport.guarantees.messageBytesMax;
  }

  /** The reason why a value has no room; `null` if it fits with any membership. */
  refused(value: Json): string | null {
    return this.beyond({ fence: 0, value, keepers: { version: LARGEST, peers: [], from: [] } }, VALUE);
  }

  /** The reason why a copy does not fit with its present members; `null` if it fits. */
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
