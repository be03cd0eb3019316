/**
 * A transport on a broker that others use as well: only who has the key can speak on it.
 *
 * Every frame bears a code (HMAC, SHA-256) over its sender, its receiver, the runs of both, its number and its text; what has none, or
 * a wrong one, is dropped, counted and warned of now and then. A forged frame costs one hash at most, a repeated one none.
 *
 * A run is a random name that an end takes when it starts. A message bears the run of its receiver, so nothing that was sealed for an
 * earlier run of a peer, or for another peer, is taken by this one; and a number, so nothing of this run is taken twice. To learn the
 * other's run, an end asks with a challenge that it uses once, and sends what waits when the answer bears it. An end that gets what is
 * meant for an earlier run says that it is stale, and is asked.
 *
 * Keys. One key for all, or for every peer its own: then no peer speaks for another. Of several keys the first seals and all open, so a
 * key is changed in three rollouts: [old, new], [new, old], [new]. Messages are sealed, not hidden: anybody on the broker can read them.
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

/**
 * At least 16 bytes that nobody can guess; a text stands for its UTF-8.
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
   * Of several keys the first seals, and all open. A function gives those that are shared with a peer, at once and not as a promise; as long
   * as it gives none for a peer, or throws, what is sent to that peer and what comes from it is dropped with a warning that says so.
   */
  readonly key: Key | readonly Key[] | ((peer: NodeId) => Key | readonly Key[]);
}

const CHECKS = {
  key: must(
    'a key of at least 16 random bytes, several of them, or a function that gives those of a peer',
    (value) => value !== null,
  ),
  ...environmentChecks,
};
const KEY_BYTES_MIN = 16;
/** An end asks, and calls another stale, at most so often. */
const PAUSE_MS = 100;
/**
 * Where messages may be lost, what waits for an answer is lost after so long, as it would be without a seal: the link layer has said it
 * again by then, and speaks ten times a second to who is not there.
 */
const WAIT_MS = 5_000;
/** Of so many names is it remembered why what came in them was refused. */
const REFUSED_MAX = 1_000;
/** What stands around a text in a frame; its quotes and backslashes may double it. */
const HEAD_BYTES = 1_024;

/**
 * A transport on which only who has the key can speak: every message is sealed with HMAC-SHA-256, and what has no right seal is
 * dropped. Messages are sealed, not hidden. It takes over the given transport: connects it, and closes it when it is closed itself;
 * its largest message is half of that one's, less 512 bytes.
 *
 * @throws UsageError for what is no transport, for options that are missing, wrong or unknown, and for a key of fewer than 16 bytes.
 * @example
 * ```ts
 * import { broadcastChannel, linked, sealed } from 'xstate-quiver/transports';
 *
 * const key = crypto.getRandomValues(new Uint8Array(32)); // the same for everybody
 * const transport = linked(sealed(broadcastChannel({ id: 'a' }), { key }), { peers: ['a', 'b'] });
 * ```
 * @public
 */
export function sealed<const G extends Guarantees>(transport: Transport<G>, options: SealedOptions): Transport<G> {
  if (!isTransport(transport))
    throw new UsageError('sealed takes a transport first, as in sealed(nats({ id, connection }), { key })');
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

/** What was refused of whom, and nothing taken since: distinguished by the name that it came in, which on many media anybody can take. */
class Refused {
  private readonly reasons = new Map<NodeId, string>();

  note(peer: NodeId, why: string): void {
    // The latest last: those who go on are remembered.
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

/** What is said: `ask` and `tell` a run, `say` a message, `stale` that one was for another run. */
type Kind = 'ask' | 'tell' | 'say' | 'stale';
type Frame = readonly [key: string, code: string, kind: Kind, run: string, heard: string, number: number, text: string];

/** A peer as this end knows it. */
interface Other {
  /** Its run, for which messages are sealed. */
  run: string | null;
  /** What `tell` has to bear to be believed. */
  challenge: string | null;
  askedAt: number;
  calledStaleAt: number;
  sent: number;
  waiting: { readonly text: string; readonly since: number }[];
  /** The run that it speaks in, the numbers that were heard in it, and the runs before. */
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

  /** From now on what comes in is passed on. */
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
      this.drops.drop(`"${to}" has not answered, and ${this.limits.unansweredChars} characters wait for it`);
    }
    this.ask(to, other);
  }

  incoming(event: TransportEvent): void {
    if (this.early) this.early.push(event);
    else if (event.type === 'message') this.open(event.from, event.message);
    else if (event.type === 'closed')
      this.medium.lost(event.error ?? new ClosedError(`the transport of "${this.transport.id}" was closed`));
    else {
      // Whoever comes back has another run.
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
    // It may be lost, or the other end had no key for it.
    if (other.challenge !== null && this.environment.clock.now() - other.askedAt < PAUSE_MS) return;
    // The same as long as no answer bears it: the answer may be slower than the next question.
    other.challenge ??= this.environment.crypto.randomUUID();
    other.askedAt = this.environment.clock.now();
    if (this.send(to, 'ask', other.challenge, 0, '')) return;
    other.challenge = null;
    other.waiting = [];
  }

  /** True if there was a key to seal it with: without one it is dropped. */
  private send(to: NodeId, kind: Kind, heard: string, number: number, text: string): boolean {
    if (this.transport.isClosed) return true;
    const keys = this.keys.of(to);
    if (typeof keys === 'string') {
      this.drops.drop(`what is for "${to}" cannot be sealed: ${keys}`);
      return false;
    }
    const key = keys[0]!;
    const code = key.code([this.transport.id, to, kind, this.run, heard, number, text]);
    this.transport.send(to, [key.name, code, kind, this.run, heard, number, text] satisfies Frame);
    return true;
  }

  private open(from: NodeId, message: Json): void {
    if (!isFrame(message))
      return this.refuse(
        from,
        `a message from "${from}" has no seal`,
        'it sends without a seal and is refused: use sealed with the same key there',
      );
    const [name, code, kind, run, heard, number, text] = message;
    const known = this.others.get(from);
    const isRepeated = known !== undefined && (known.speaksIn === run ? known.numbers.has(number) : known.retired.has(run));
    if (kind === 'say' && isRepeated) return this.dropRepeated(from);
    const keys = this.keys.of(from);
    if (typeof keys === 'string')
      return this.refuse(
        from,
        `the seal of a message from "${from}" cannot be looked at: ${keys}`,
        'it sends, and sealed has no key for it here',
      );
    const key = keys.find((each) => each.name === name);
    if (!key)
      return this.refuse(
        from,
        `the seal of a message from "${from}" was made with a different key. Use the same key at both peers`,
        'it sends with a seal of a different key and is refused: use the same key at both peers',
      );
    if (!isSame(code, key.code([from, this.transport.id, kind, run, heard, number, text])))
      return this.refuse(from, `the seal of a message from "${from}" is broken`, 'it sends with a broken seal and is refused');
    this.refused.taken(from);
    const other = this.other(from);
    if (kind === 'ask') this.send(from, 'tell', heard, 0, '');
    else if (kind === 'tell') this.beTold(from, other, run, heard);
    else if (kind === 'say') this.beSaid(from, other, message);
    else if (heard === other.run) {
      other.run = null;
      this.ask(from, other);
    }
  }

  private refuse(from: NodeId, why: string, inShort: string): void {
    this.refused.note(from, inShort);
    this.drops.drop(why);
  }

  /** A medium that doubles messages does so all the time, and nothing is wrong with that. */
  private dropRepeated(from: NodeId): void {
    if (this.transport.guarantees.duplication === 'none') this.drops.drop(`a message from "${from}" was received before`);
  }

  private beTold(from: NodeId, other: Other, run: string, challenge: string): void {
    if (challenge !== other.challenge) return;
    other.challenge = null;
    other.run = run;
    for (const { text } of other.waiting.splice(0)) this.send(from, 'say', run, ++other.sent, text);
  }

  private beSaid(from: NodeId, other: Other, [, , , run, heard, number, text]: Frame): void {
    if (heard !== this.run) {
      if (this.environment.clock.now() - other.calledStaleAt < PAUSE_MS) return;
      other.calledStaleAt = this.environment.clock.now();
      this.send(from, 'stale', heard, 0, '');
      return;
    }
    if (other.speaksIn !== run) {
      if (other.speaksIn !== null) other.retired.add(other.speaksIn);
      Object.assign(other, { speaksIn: run, numbers: new Numbers(this.limits.late) });
      // They are remembered up to a bound; then everybody is asked again.
      if (other.retired.size > this.limits.retired) this.renew();
    }
    other.numbers.add(number);
    const reading = readFrame(text);
    if ('refused' in reading) this.drops.drop(`${reading.refused}, from "${from}"`);
    else this.medium.received(from, reading.value);
  }

  /** Nothing that was sealed before is taken from now on, so nothing of it needs to be remembered. */
  private renew(): void {
    this.run = this.environment.crypto.randomUUID();
    for (const other of this.others.values()) other.retired.clear();
  }
}

/** Which numbers of a run have been heard. */
class Numbers {
  private highest = 0;
  private readonly recent = new Set<number>();

  /** So far behind the highest may one come that was overtaken. */
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
  /** Which key it is, without telling anything of it. */
  readonly name: string;
  code(covered: readonly (string | number)[]): string;
}

class Keys {
  private readonly made = new Map<string, SealingKey>();
  private readonly shared: readonly SealingKey[] | null;

  constructor(private readonly key: SealedOptions['key']) {
    this.shared = typeof key === 'function' ? null : this.all(key);
  }

  /** Those that are shared with a peer, or why there are none now: the application's function may fail, and anybody can say to be anybody. */
  of(peer: NodeId): readonly SealingKey[] | string {
    if (this.shared) return this.shared;
    const whose = `the key function of sealed, asked about "${peer}",`;
    try {
      const given: unknown = (this.key as (peer: NodeId) => unknown)(peer);
      if (given instanceof Promise) {
        given.catch(() => {});
        return `${whose} gave a promise. Keep the keys that are in use where it finds them at once`;
      }
      return this.all(given);
    } catch (error) {
      return `${whose} ${error instanceof UsageError ? 'gave none that will do' : 'failed'}: ${quote(String((error as Error)?.message ?? error))}`;
    }
  }

  private all(given: unknown): SealingKey[] {
    const keys: readonly unknown[] = Array.isArray(given) ? given : given === undefined || given === null ? [] : [given];
    if (keys.length === 0) throw new UsageError('there is no key. Pass at least one for every peer');
    return keys.map((key) => {
      const secret = typeof key === 'string' ? new TextEncoder().encode(key) : key;
      if (!(secret instanceof Uint8Array)) throw new UsageError(`a key is ${quote(key)}. Pass a text or a Uint8Array`);
      if (secret.length < KEY_BYTES_MIN)
        throw new UsageError(`a key of ${secret.length} bytes can be guessed. Use at least ${KEY_BYTES_MIN} random ones`);
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

/** Takes as long for every wrong code. */
function isSame(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < b.length; i++) difference |= (a.charCodeAt(i) || 0) ^ b.charCodeAt(i);
  return difference === 0;
}
