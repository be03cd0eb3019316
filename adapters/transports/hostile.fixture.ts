/** A transport for tests that loses, duplicates and delays the messages of another one, and can be cut off. */
import { Random } from '../../network/random.js';
import { createTransport } from './driver.js';
import { MESSAGE_BYTES_MAX } from './reading.js';
import type { Transport } from './transport.js';

export interface Hostility {
  readonly seed: number;
  readonly loss: number;
  readonly duplicate: number;
  /** Maximum delay in milliseconds, drawn for each message. */
  readonly delayMs: number;
}

export const hostileGuarantees = {
  order: 'unordered',
  loss: 'possible',
  duplication: 'possible',
  presence: 'none',
  identity: 'checked',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

export interface Hostile extends Transport<typeof hostileGuarantees> {
  /** While true, no message is sent. */
  isCut: boolean;
  /** Peers to which no message is sent. */
  readonly cutFrom: Set<string>;
}

export function hostile(inner: Transport, { seed, loss, duplicate, delayMs }: Hostility): Hostile {
  const random = new Random(seed, inner.id);
  const transport = createTransport(inner.id, hostileGuarantees, async (medium) => {
    inner.events.subscribe((event) => event.type === 'message' && medium.received(event.from, event.message));
    await inner.connect();
    medium.opened({
      send: (to, message) => {
        const isCut = result.isCut || result.cutFrom.has(to);
        const copies = isCut || random.chance(loss) ? 0 : random.chance(duplicate) ? 2 : 1;
        for (let copy = 0; copy < copies; copy++) {
          const delay = random.below(delayMs + 1);
          if (delay === 0) inner.send(to, message);
          else setTimeout(() => !inner.isClosed && inner.send(to, message), delay);
        }
      },
      close: () => inner.close(),
    });
  });
  const result = Object.assign(transport, { isCut: false, cutFrom: new Set<string>() });
  return result;
}
