/**
 * A transport on a broker that others use as well: only who has the key can speak on it.
 *
 *     const transport = linked(sealed(nats({ id, connection, subject: 'orders' }), { key }), { peers });
 *
 * Every message goes with a code (HMAC, SHA-256) over itself, its sender and its receiver; what has none, or a wrong one, is dropped,
 * counted and warned of now and then. One key a namespace: give every subject or topic of the broker its own, and its transport that
 * key. Who has the key may speak for every peer. A message that is replayed passes; the link layer above knows it from a new one.
 * Messages are sealed, not hidden: anybody on the broker can read them.
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { createTransport, type Medium } from './driver.js';
import { Drops } from './drops.js';
import { ClosedError } from './errors.js';
import type { Guarantees, Json, Transport, TransportEvent } from './transport.js';

export interface SealedOptions {
  /** At least 16 bytes that nobody can guess, the same for all peers; a text stands for its UTF-8. */
  readonly key: Uint8Array | string;
}

const KEY_BYTES_MIN = 16;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Takes over the given transport: connects it, and closes it when it is closed itself. */
export function sealed<const G extends Guarantees>(transport: Transport<G>, { key }: SealedOptions): Transport<G> {
  const secret = typeof key === 'string' ? bytesOf(key) : new Uint8Array(key);
  if (secret.length < KEY_BYTES_MIN)
    throw new UsageError(`a key of ${secret.length} bytes can be guessed; give at least ${KEY_BYTES_MIN} random ones`);
  return createTransport(transport.id, transport.guarantees, async (medium, signal) => {
    const giveUp = () => void transport.close();
    signal.addEventListener('abort', giveUp, { once: true });
    const seal = new Seal(await crypto.subtle.importKey('raw', secret, HMAC, false, ['sign', 'verify']), transport, medium);
    transport.events.subscribe((event) => seal.incoming(event));
    await transport.connect();
    signal.removeEventListener('abort', giveUp);
    medium.opened({ send: (to, message) => seal.outgoing(to, message), close: () => seal.close() });
    seal.begin();
  });
}

class Seal {
  private readonly drops: Drops;
  /** Codes are made and checked one after the other: the order stays. */
  private lastOut: Promise<unknown> = Promise.resolve();
  private lastIn: Promise<unknown>;
  /** From now on what comes in is passed on. */
  begin!: () => void;

  constructor(
    private readonly key: CryptoKey,
    private readonly transport: Transport,
    private readonly medium: Medium,
  ) {
    this.drops = new Drops(`transport "${transport.id}"`);
    this.lastIn = new Promise<void>((resolve) => (this.begin = resolve));
  }

  outgoing(to: NodeId, message: Json): void {
    const text = JSON.stringify(message);
    this.lastOut = this.lastOut.then(async () => {
      const code = await crypto.subtle.sign(HMAC.name, this.key, this.covered(this.transport.id, to, text));
      if (!this.transport.isClosed) this.transport.send(to, [toBase64(new Uint8Array(code)), text]);
    });
    this.lastOut.catch((error: Error) => this.medium.lost(error));
  }

  incoming(event: TransportEvent): void {
    this.lastIn = this.lastIn.then(async () => {
      if (event.type === 'message') await this.open(event.from, event.message);
      else if (event.type === 'closed')
        this.medium.lost(event.error ?? new ClosedError(`the transport of "${this.transport.id}" was closed`));
      else this.medium[event.type](event.peer);
    });
  }

  /** What was sent before goes out before. */
  async close(): Promise<void> {
    await this.lastOut.catch(() => {});
    await this.transport.close();
  }

  private async open(from: NodeId, message: Json): Promise<void> {
    const [code, text] = Array.isArray(message) ? (message as readonly Json[]) : [];
    if (typeof code !== 'string' || typeof text !== 'string') return this.drops.drop(`a message from "${from}" has no seal`);
    const signature = fromBase64(code);
    const covered = this.covered(from, this.transport.id, text);
    const isSound = signature !== null && (await crypto.subtle.verify(HMAC.name, this.key, signature, covered));
    if (isSound) this.medium.received(from, JSON.parse(text) as Json);
    else this.drops.drop(`the seal of a message from "${from}" is broken`);
  }

  private covered(from: NodeId, to: NodeId, text: string): Uint8Array<ArrayBuffer> {
    return bytesOf(JSON.stringify([from, to, text]));
  }
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}
