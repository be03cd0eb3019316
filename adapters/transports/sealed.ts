/**
 * A transport with message authentication, for a broker that other programs also use: only processes with the key can send.
 *
 * Every frame contains a code (HMAC, SHA-256) over its sender, its receiver, the runs of both, its number and its text. A frame without a
 * correct code is dropped and counted, with occasional warnings. A forged frame costs at most one hash, a repeated one none.
 *
 * A run is a random name that an end chooses when it starts. A message contains the run of its receiver, so a peer rejects everything that
 * was sealed for one of its earlier runs or for another peer. A message also contains a number, so a peer accepts it only once. To learn
 * the run of the other end, an end sends a challenge that it uses once. It sends the waiting messages when it receives an answer with that
 * challenge. An end that receives a message for an earlier run replies that the run is stale, and the sender then asks for the new one.
 *
 * Keys: either one key for all peers, or one for each pair of peers, so that no peer can impersonate another. If there are several keys,
 * the first one seals and all of them open. So a key is changed in three rollouts: [old, new], [new, old], [new]. Messages are
 * authenticated but not encrypted: every client of the broker can read them.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { environmentOf, type PlatformEnvironment, type InEnvironment } from '../environment.js';
import { checkOptions, environment as environmentChecks, isTransport, must } from '../options.js';
import { absenceOf, explainAbsence } from './absence.js';
import { createTransport, type DriverListener } from './driver.js';
import { checkId } from './ids.js';
import { limitsHere } from '../limits.js';
import { linkedPeersOf } from './linked-peers.js';
import { Drops } from './drops.js';
import { ClosedError } from './errors.js';
import { quote, readFrame } from './reading.js';
import type { Guarantees, Json, Transport, TransportEvent } from './transport.js';
import { fieldsOf } from '../../machines/checks.js';

/**
 * A secret of at least 16 random bytes. A string is encoded as UTF-8.
 *
 * @public
 */
export type Key = Uint8Array | string;

/**
 * Options for `sealed`.
 *
 * @public
 */
export interface SealedOptions extends InEnvironment {
  /**
   * One key or several: the first one seals, all of them open. A function returns the keys that are shared with a peer, synchronously.
   * While it returns none for a peer or throws, messages to and from that peer are dropped with a warning.
   */
  readonly key: Key | readonly Key[] | ((peer: NodeId) => Key | readonly Key[]);
}

const CHECKS = {
  key: must(
    'a key of at least 16 random bytes, several of them, or a function that returns those for a peer',
    (value) => value !== null,
  ),
  ...environmentChecks,
};
const KEY_BYTES_MIN = 16;
/** Minimum of milliseconds between two requests for a run, and between two reports of a stale one. */
const PAUSE_MS = 100;
/**
 * Milliseconds after which a message that waits for the run of its receiver is dropped, if the transport may lose messages. By then the
 * link layer has sent it again.
 */
const WAIT_MS = 5_000;
/** Number of senders for which the reason of the last refusal is stored. */
const REFUSED_MAX = 1_000;
/** Size of a frame without its text. Quotes and backslashes may double the text. */
const HEAD_BYTES = 1_024;

/**
 * Adds message authentication to a transport: every message is sealed with HMAC-SHA-256, and messages without a valid seal are dropped.
 * Messages are not encrypted. The result owns the given transport: it connects and closes it. Its largest message is half of the given
 * transport's, minus 512 bytes.
 *
 * @param transport the transport to wrap.
 * @param options the key of at least 16 bytes, or a function that returns the key for each peer.
 * @returns a transport that drops messages without a valid seal.
 * @throws UsageError for a value that is not a transport, for options that are missing, wrong or unknown, and for a key of fewer than 16
 * bytes.
 * @example
 * ```ts
 * import { broadcastChannel, linked, sealed } from 'xstate-quiver/transports';
 *
 * const key = crypto.getRandomValues(new Uint8Array(32)); // the same for all peers
 * const transport = linked(sealed(broadcastChannel({ id: 'a' }), { key }), { peers: ['a', 'b'] });
 * ```
 * @public
 */
export function sealed<const G extends Guarantees>(transport: Transport<G>, options: SealedOptions): Transport<G> {
  if (!isTransport(transport))
    throw new UsageError('sealed takes a transport as its first argument, as in sealed(nats({ id, connection }), { key })');
  if (linkedPeersOf(transport) !== undefined)
    throw new UsageError(
      `sealed goes below linked, and transport "${transport.id}" is linked already. Write linked(sealed(transport, { key }), { peers })`,
    );
  checkOptions('sealed', options, CHECKS);
  const { key, ...environment } = options;
  checkId(transport.id, 'the id of a transport');
  const keys = new Keys(key);
  const messageBytesMax = Math.floor((transport.guarantees.messageBytesMax - HEAD_BYTES) / 2);
  const refused = new Refused();
  const made = createTransport(transport.id, { ...transport.guarantees, messageBytesMax }, async (medium, signal) => {
    const giveUp = () => void transport.close();
    signal.addEventListener('abort', giveUp, { once: true });
    const seal = new Seal(keys, transport, medium, environmentOf(environment), refused);
    transport.events.subscribe((event) => seal.incoming(event));
    await transport.connect();
    signal.removeEventListener('abort', giveUp);
    medium.opened({ send: (to, _, text) => seal.outgoing(to, text), close: () => transport.close() });
    seal.begin();
  });
  explainAbsence(made, (peer) => refused.why(peer) ?? absenceOf(transport, peer));
  return made;
}

/** Reasons of refusals since the last accepted message, by claimed sender. On many media any client can claim any id. */
class Refused {
  private readonly reasons = new Map<NodeId, string>();

  note(peer: NodeId, why: string): void {
    // The latest is last, so the oldest is deleted first.
    this.reasons.delete(peer);
    this.reasons.set(peer, why);
    if (this.reasons.size > REFUSED_MAX) this.reasons.delete(this.reasons.keys().next().value!);
  }

  taken(peer: NodeId): void {
    this.reasons.delete(peer);
  }

  why(peer: NodeId): string | null {
    return this.reasons.get(peer) ?? null;
  }
}

/** Kinds of frames: `ask` and `tell` are for the run of an end, `say` contains a message, `stale` reports a message for another run. */
type Kind = 'ask' | 'tell' | 'say' | 'stale';
type Frame = readonly [key: string, code: string, kind: Kind, run: string, echo: string, number: number, text: string];

/** State of a peer at this end. */
interface Other {
  /** Run of the peer that messages are sealed for. */
  run: string | null;
  /** Challenge that a valid `tell` contains. */
  challenge: string | null;
  askedAt: number;
  calledStaleAt: number;
  sent: number;
  waiting: { readonly text: string; readonly since: number }[];
  /** Run in which the peer sends, the numbers received in it, and earlier runs. */
  speaksIn: string | null;
  numbers: Numbers;
  readonly retired: Set<string>;
}

class Seal {
  private readonly limits = limitsHere();
  private run: string;
  private readonly others = new Map<NodeId, Other>();
  private readonly drops: Drops;
  private early: TransportEvent[] | null = [];

  constructor(
    private readonly keys: Keys,
    private readonly transport: Transport,
    private readonly medium: DriverListener,
    private readonly environment: PlatformEnvironment,
    private readonly refused: Refused,
  ) {
    const { clock, crypto } = environment;
    this.run = crypto.randomUUID();
    this.drops = new Drops(`transport "${transport.id}"`, clock);
  }

  /** Starts to pass on events. */
  begin(): void {
    const events = this.early ?? [];
    this.early = null;
    for (const event of events) this.incoming(event);
  }

  outgoing(to: NodeId, text: string): void {
    const other = this.other(to);
    if (other.run !== null) return void this.send(to, 'say', other.run, ++other.sent, text);
    const now = this.environment.clock.now();
    if (this.transport.guarantees.loss === 'possible')
      other.waiting = other.waiting.filter(({ since }) => now - since <= WAIT_MS);
    other.waiting.push({ text, since: now });
    if (other.waiting.reduce((sum, each) => sum + each.text.length, 0) > this.limits.unansweredChars) {
      other.waiting.pop();
      this.drops.drop(`"${to}" has not answered, and more than ${this.limits.unansweredChars} characters wait for it`);
    }
    this.ask(to, other);
  }

  incoming(event: TransportEvent): void {
    if (this.early) this.early.push(event);
    else if (event.type === 'message') this.open(event.from, event.message);
    else if (event.type === 'closed')
      this.medium.lost(event.error ?? new ClosedError(`the transport of "${this.transport.id}" was closed`));
    else {
      // A peer that returns has another run.
      if (event.type === 'down') this.forget(event.peer);
      this.medium[event.type](event.peer);
    }
  }

  private other(peer: NodeId): Other {
    let other = this.others.get(peer);
    if (!other) {
      const never = { run: null, challenge: null, askedAt: -Infinity, calledStaleAt: -Infinity, sent: 0, waiting: [] };
      this.others.set(peer, (other = { ...never, speaksIn: null, numbers: new Numbers(this.limits.late), retired: new Set() }));
    }
    return other;
  }

  private forget(peer: NodeId): void {
    const other = this.others.get(peer);
    if (other) Object.assign(other, { run: null, challenge: null, askedAt: -Infinity, waiting: [] });
  }

  private ask(to: NodeId, other: Other): void {
    // The question may be lost, or the other end had no key for it.
    if (other.challenge !== null && this.environment.clock.now() - other.askedAt < PAUSE_MS) return;
    // The challenge stays the same until it is answered: the answer may be slower than the next question.
    other.challenge ??= this.environment.crypto.randomUUID();
    other.askedAt = this.environment.clock.now();
    if (this.send(to, 'ask', other.challenge, 0, '')) return;
    other.challenge = null;
    other.waiting = [];
  }

  /** Seals and sends a frame. Drops it and returns false if the peer has no key. */
  private send(to: NodeId, kind: Kind, echo: string, number: number, text: string): boolean {
    if (this.transport.isClosed) return true;
    const keys = this.keys.of(to);
    if (typeof keys === 'string') {
      this.drops.drop(`messages to "${to}" cannot be sealed: ${keys}`);
      return false;
    }
    const key = keys[0]!;
    const code = key.code([this.transport.id, to, kind, this.run, echo, number, text]);
    this.transport.send(to, [key.name, code, kind, this.run, echo, number, text] satisfies Frame);
    return true;
  }

  private open(from: NodeId, message: Json): void {
    if (!isFrame(message))
      return this.refuse(
        from,
        `a message from "${from}" has no seal`,
        'it sends without a seal and is refused. Use sealed with the same key there',
      );
    const [name, code, kind, run, echo, number, text] = message;
    const known = this.others.get(from);
    const isRepeated = known !== undefined && (known.speaksIn === run ? known.numbers.has(number) : known.retired.has(run));
    if (kind === 'say' && isRepeated) return this.dropRepeated(from);
    const keys = this.keys.of(from);
    if (typeof keys === 'string')
      return this.refuse(
        from,
        `the seal of a message from "${from}" cannot be checked: ${keys}`,
        'it sends, but sealed has no key for it here',
      );
    const key = keys.find((each) => each.name === name);
    if (!key)
      return this.refuse(
        from,
        `the seal of a message from "${from}" was made with a different key. Use the same key at both peers`,
        'it sends with a seal of a different key and is refused. Use the same key at both peers',
      );
    if (!isSame(code, key.code([from, this.transport.id, kind, run, echo, number, text])))
      return this.refuse(from, `the seal of a message from "${from}" is broken`, 'it sends with a broken seal and is refused');
    this.refused.taken(from);
    const other = this.other(from);
    if (kind === 'ask') this.send(from, 'tell', echo, 0, '');
    else if (kind === 'tell') this.learnRun(from, other, run, echo);
    else if (kind === 'say') this.deliver(from, other, message);
    else if (echo === other.run) {
      other.run = null;
      this.ask(from, other);
    }
  }

  private refuse(from: NodeId, why: string, inShort: string): void {
    this.refused.note(from, inShort);
    this.drops.drop(why);
  }

  /** Warns of a repeated message, unless duplication is normal on the medium. */
  private dropRepeated(from: NodeId): void {
    if (this.transport.guarantees.duplication === 'none') this.drops.drop(`a message from "${from}" was received before`);
  }

  private learnRun(from: NodeId, other: Other, run: string, challenge: string): void {
    if (challenge !== other.challenge) return;
    other.challenge = null;
    other.run = run;
    for (const { text } of other.waiting.splice(0)) this.send(from, 'say', run, ++other.sent, text);
  }

  private deliver(from: NodeId, other: Other, [, , , run, echo, number, text]: Frame): void {
    if (echo !== this.run) {
      if (this.environment.clock.now() - other.calledStaleAt < PAUSE_MS) return;
      other.calledStaleAt = this.environment.clock.now();
      this.send(from, 'stale', echo, 0, '');
      return;
    }
    if (other.speaksIn !== run) {
      if (other.speaksIn !== null) other.retired.add(other.speaksIn);
      Object.assign(other, { speaksIn: run, numbers: new Numbers(this.limits.late) });
      // Above the limit, this end starts a new run and all peers ask for it.
      if (other.retired.size > this.limits.retired) this.renew();
    }
    other.numbers.add(number);
    const reading = readFrame(text);
    if ('refused' in reading) this.drops.drop(`${reading.refused}, from "${from}"`);
    else this.medium.received(from, reading.value);
  }

  /** Starts a new run. Messages sealed for the old one are rejected from now on, so the earlier runs of others can be forgotten. */
  private renew(): void {
    this.run = this.environment.crypto.randomUUID();
    for (const other of this.others.values()) other.retired.clear();
  }
}

/** Numbers of a run that have been received. */
class Numbers {
  private highest = 0;
  private readonly recent = new Set<number>();

  /** `lateMax` is the distance to the highest number within which an overtaken message is still accepted. */
  constructor(private readonly lateMax: number) {}

  has(number: number): boolean {
    return number <= this.highest - this.lateMax || this.recent.has(number);
  }

  add(number: number): void {
    this.highest = Math.max(this.highest, number);
    this.recent.add(number);
    if (this.recent.size <= 2 * this.lateMax) return;
    for (const old of this.recent) if (old <= this.highest - this.lateMax) this.recent.delete(old);
  }
}

interface SealingKey {
  /** Identifies the key without revealing it. */
  readonly name: string;
  code(covered: readonly (string | number)[]): string;
}

class Keys {
  private readonly made = new Map<string, SealingKey>();
  private readonly shared: readonly SealingKey[] | null;

  constructor(private readonly key: SealedOptions['key']) {
    this.shared = typeof key === 'function' ? null : this.all(key);
  }

  /** Keys that are shared with a peer, or the reason for which there are none: the application's function may fail for an unknown id. */
  of(peer: NodeId): readonly SealingKey[] | string {
    if (this.shared) return this.shared;
    const whose = `the key function of sealed, called with "${peer}",`;
    try {
      const given: unknown = (this.key as (peer: NodeId) => unknown)(peer);
      if (given instanceof Promise) {
        given.catch(() => {});
        return `${whose} returned a promise. Return the keys synchronously, for example from a map of the keys in use`;
      }
      return this.all(given);
    } catch (error) {
      return `${whose} ${error instanceof UsageError ? 'returned no valid key' : 'failed'}: ${quote(String(fieldsOf(error)['message'] ?? error))}`;
    }
  }

  private all(given: unknown): SealingKey[] {
    const keys: readonly unknown[] = Array.isArray(given) ? given : given === undefined || given === null ? [] : [given];
    if (keys.length === 0) throw new UsageError('no key was passed. Use at least one for every peer');
    return keys.map((key) => {
      const secret = typeof key === 'string' ? new TextEncoder().encode(key) : key;
      if (!(secret instanceof Uint8Array)) throw new UsageError(`a key is ${quote(key)}. Use a string or a Uint8Array`);
      if (secret.length < KEY_BYTES_MIN)
        throw new UsageError(`a key needs at least ${KEY_BYTES_MIN} random bytes, but has ${secret.length}. Use a longer key`);
      const hex = bytesToHex(secret);
      let made = this.made.get(hex);
      if (!made) this.made.set(hex, (made = sealingKey(secret)));
      return made;
    });
  }
}

function sealingKey(secret: Uint8Array): SealingKey {
  const keyed = hmac.create(sha256, secret);
  const codeOf = (text: string) => bytesToHex(keyed.clone().update(new TextEncoder().encode(text)).digest());
  return { name: codeOf('name').slice(0, 8), code: (covered) => codeOf(JSON.stringify(covered)) };
}

const KINDS: readonly unknown[] = ['ask', 'tell', 'say', 'stale'];
const LENGTHS_MAX = [8, 64, 5, 36, 36] as const;

function isFrame(message: Json): message is Frame {
  if (!Array.isArray(message) || message.length !== 7 || !KINDS.includes(message[2])) return false;
  const areTexts = LENGTHS_MAX.every((lengthMax, i) => typeof message[i] === 'string' && message[i].length <= lengthMax);
  return areTexts && Number.isSafeInteger(message[5]) && message[5] >= 0 && typeof message[6] === 'string';
}

/** Compares in constant time. */
function isSame(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < b.length; i++) difference |= (a.charCodeAt(i) || 0) ^ b.charCodeAt(i);
  return difference === 0;
}
