/**
 * A hub: peers that each have one line to it reach one another through it. The peers' end is in through-hub.ts.
 *
 * A line is any ordered two-way channel of texts: a MessagePort, a WebSocket, a pair of functions. A client says `hello` with its id
 * and its key; the hub answers `welcome` with who is there, or `refused`. From then on the client asks to `send`, the hub brings each
 * `message`, `up` and `down`, until the client says `bye`. The hub writes the sender's id itself, so nobody can speak for another.
 *
 * An id is one seat. Who comes with the key of its holder is the holder, back after its line broke, and takes the seat at once. Who
 * comes with another key gets it only when the holder's line no longer answers; a living peer keeps its seat.
 *
 * A message to a peer that has not come yet waits for it, one to a peer that has left is dropped. What waits is bounded by count and
 * by bytes, for each sender, each receiver and in all, and whoever goes beyond is refused with the name of the peer that has not come.
 * The link layer leaves no mail: it says to nobody anything before he is there.
 */
import { Subscription } from 'rxjs';
import { isObject } from '../../machines/checks.js';
import type { NodeId } from '../../machines/effects.js';
import { environmentOf, type InEnvironment } from '../environment.js';
import { limitsHere, type PeerLimits, type MailLimits } from '../limits.js';
import { isId, refusedId } from './ids.js';
import { later } from './later.js';
import { UsageError } from '../../machines/errors.js';
import { escape, FRAME_BYTES_MAX, fits, quote, readFrame } from './reading.js';
import type { Json } from './transport.js';

/** A key is a random text; a token is whatever the application makes of it. */
export const KEY_LENGTH_MAX = 255;
export const TOKEN_LENGTH_MAX = 2 ** 13;
/** A hello with the longest of everything, escaped: nobody says more before being let in. */
export const HELLO_BYTES_MAX = 2 ** 16;
/** What a welcome lists of those who are there; of the others the newcomer hears one by one. */
const WELCOME_CHARS_MAX = FRAME_BYTES_MAX / 4;

/** What a peer hears that comes to a place which somebody else has. */
export const idTaken = (id: NodeId): string => `the id "${quote(id)}" is in use. Use a unique id for each peer`;

/** What a peer hears that is alive when another one comes with its key. */
export const DISPLACED = 'another process uses the id and the key of this peer. Use unique ones for each process';

export interface Line {
  send(text: string): void;
  close(): void | Promise<void>;
  /** Called once; what came before is kept until then. */
  listen(listener: LineListener): void;
  /** True if the other end is there, asked now; a line without it is closed when the other end goes. */
  answers?(): Promise<boolean>;
  /** Whose it is, once that is known: for warnings. */
  peer?: NodeId;
}

export interface LineListener {
  readonly frame: (text: unknown) => void;
  /** The other end is gone. */
  readonly closed: () => void;
}

export interface PeerHello {
  readonly id: NodeId;
  readonly key: string;
  /** What the application's own rule asks for. */
  readonly token?: string;
}

export interface HubRules extends InEnvironment {
  /** Why this peer may not come in; `null` when it may. Everybody may unless it is given. */
  readonly refuses?: (hello: PeerHello, line: Line) => string | null | Promise<string | null>;
  /** Notified of each peer that is refused for good, under the id that it says to have. */
  readonly refused?: (id: NodeId, why: string, line: Line) => void;
  /** A line that has not been let in after so long is closed; unless it is given, a line may wait. */
  readonly helloMs?: number;
  /** True if the hub beats: the first beat comes with the welcome, so that a peer watches its line from then on. */
  readonly beats?: boolean;
}

const BEAT = '{"type":"ping"}';

/** The other end of a line: it has said nothing yet, has said hello and is being looked at, has a seat, or is gone. */
interface Guest {
  readonly line: Line;
  state: 'new' | 'asking' | 'seated' | 'gone';
  id: NodeId;
  key: string;
  readonly impatience: Subscription;
}

export class Hub {
  private readonly members = new Map<NodeId, Guest>();
  private readonly limits = limitsHere();
  private readonly waiting = new Waiting(this.limits.mail);
  private readonly left = new Set<NodeId>();
  private readonly guests = new Set<Guest>();
  /** Frames that no client of ours would send; they were dropped, and those that nobody can read ended their lines. */
  malformed = 0;
  /** Peers try again and again. */
  private hasReported = false;

  constructor(private readonly rules: HubRules = {}) {}

  /** Serves the peer at the other end of the line. */
  attach(line: Line): void {
    const { helloMs } = this.rules;
    const guest: Guest = { line, state: 'new', id: '', key: '', impatience: new Subscription() };
    this.guests.add(guest);
    line.listen({ frame: (text) => this.hear(guest, text), closed: () => this.dismiss(guest, true) });
    if (helloMs === undefined) return;
    later(guest.impatience, environmentOf(this.rules).clock, () => this.giveUpOn(guest, helloMs), helloMs);
  }

  /** A rule of the application that does not answer would leave both ends without a word. */
  private giveUpOn(guest: Guest, ms: number): void {
    if (guest.state !== 'asking') return this.refuse(guest, `no hello was accepted within ${ms} ms`, true);
    if (!this.hasReported)
      console.warn(
        `hub: admit has not answered for "${escape(guest.id)}" within ${ms} ms, so the peer is refused for now. It may try again`,
      );
    this.hasReported = true;
    this.refuse(guest, DOUBT, true);
  }

  /** Tells every peer that the hub is there. */
  beat(): void {
    for (const { line } of this.members.values()) line.send(BEAT);
  }

  /** Closes every line. */
  close(): void {
    for (const guest of this.guests) this.dismiss(guest);
    this.waiting.clear();
  }

  private hear(guest: Guest, text: unknown): void {
    if (guest.state === 'gone') return;
    const isSeated = guest.state === 'seated';
    const reading = readFrame(text, isSeated ? FRAME_BYTES_MAX : HELLO_BYTES_MAX);
    const frame = 'value' in reading ? reading.value : null;
    if (isSeated && isSend(frame)) this.carry(guest, frame);
    else if (isHello(frame) && guest.state === 'new') this.admit(guest, frame).catch(() => this.refuse(guest, DOUBT, true));
    else if (isObject(frame) && frame['type'] === 'bye') this.dismiss(guest);
    else if (!(isObject(frame) && frame['type'] === 'pong')) {
      this.malformed++;
      // Who has not been let in says hello and waits: everything else would be read for nothing.
      if (!isSeated || 'refused' in reading) this.dismiss(guest);
    }
  }

  private async admit(guest: Guest, hello: PeerHello): Promise<void> {
    const { id, key } = hello;
    Object.assign(guest, { state: 'asking', id });
    const noId = refusedId(id);
    if (noId !== null) return this.refuse(guest, `this cannot be an id: ${noId}`);
    if (this.rules.refuses) {
      const why = await this.rules.refuses(hello, guest.line);
      if (why !== null) return this.refuse(guest, why);
    }
    const isGone = () => guest.state === 'gone';
    for (let holder = this.members.get(id); holder && !isGone(); holder = this.members.get(id)) {
      const isHeld = holder.key !== key && (!holder.line.answers || (await holder.line.answers()));
      if (isHeld && this.members.get(id) === holder) return this.refuse(guest, idTaken(id));
      // A holder that does not answer any more has lost the seat; one that is alive would come again at once unless it hears why.
      if (!isHeld) this.refuse(holder, DISPLACED, true);
    }
    if (isGone()) return;
    guest.key = key;
    this.seat(guest);
  }

  private seat(guest: Guest): void {
    const { id, line } = guest;
    guest.state = 'seated';
    line.peer = id;
    guest.impatience.unsubscribe();
    this.welcome(line);
    if (this.rules.beats) line.send(BEAT);
    const up = JSON.stringify({ type: 'up', peer: id });
    for (const other of this.members.values()) other.line.send(up);
    this.members.set(id, guest);
    this.left.delete(id);
    for (const text of this.waiting.take(id)) line.send(text);
  }

  private welcome(line: Line): void {
    const peers = [...this.members.keys()];
    let chars = 0;
    const listed = peers.findIndex((peer) => (chars += peer.length) > WELCOME_CHARS_MAX);
    const others = listed < 0 ? [] : peers.splice(listed);
    line.send(JSON.stringify({ type: 'welcome', peers }));
    for (const peer of others) line.send(JSON.stringify({ type: 'up', peer }));
  }

  /** `isBroken`: its line was closed, and it has not taken leave. */
  private dismiss(guest: Guest, isBroken = false): void {
    if (guest.state === 'gone') return;
    const wasSeated = guest.state === 'seated';
    guest.state = 'gone';
    this.guests.delete(guest);
    guest.impatience.unsubscribe();
    void guest.line.close();
    if (!wasSeated) return;
    const { id } = guest;
    this.members.delete(id);
    this.left.add(id);
    if (this.left.size > this.limits.gone) this.left.delete(this.left.values().next().value!);
    const down = JSON.stringify({ type: 'down', peer: id, ...(isBroken && { broken: true }) });
    for (const other of this.members.values()) other.line.send(down);
  }

  /** `again`: it may be otherwise another time. */
  private refuse(guest: Guest, why: string, again = false): void {
    if (guest.state === 'gone') return;
    if (!again) this.rules.refused?.(guest.id, why, guest.line);
    guest.line.send(JSON.stringify({ type: 'refused', why, ...(again ? { again } : {}) }));
    this.dismiss(guest);
  }

  private carry(sender: Guest, { to, message }: SendFrame): void {
    const text = `{"type":"message","from":${JSON.stringify(sender.id)},"message":${JSON.stringify(message)}}`;
    if (!fits(text, FRAME_BYTES_MAX)) {
      // `1e20` is written out with 21 digits: what has come in within the bounds may leave them, and would cost the receiver its line.
      this.malformed++;
      return;
    }
    const member = this.members.get(to);
    if (member) member.line.send(text);
    else if (!this.left.has(to)) {
      const full = this.waiting.add(sender.id, to, text);
      // Dropping it in silence would break the promise that nothing is lost.
      if (full !== null)
        this.refuse(sender, `${full}; this one is for "${to}". linked(…) needs no mail: put it around the transport`);
    }
  }
}

const DOUBT = 'the hub cannot say now whether this peer may come in';

/** How much waits, of one kind. */
class Pile {
  messages = 0;
  chars = 0;

  /** What there would be too much of with one more; `null` when it fits. */
  excess(text: string, bounds: MailLimits): string | null {
    if (this.messages >= bounds.messages) return `${bounds.messages} messages`;
    return this.chars + text.length > bounds.chars ? `${bounds.chars} characters` : null;
  }

  change(text: string, by: 1 | -1): void {
    this.messages += by;
    this.chars += by * text.length;
  }
}

/** What waits for peers that have not come. */
class Waiting {
  private readonly kept = new Map<NodeId, { readonly from: NodeId; readonly text: string }[]>();
  private readonly senders = new Map<NodeId, Pile>();
  private readonly receivers = new Map<NodeId, Pile>();
  private readonly all = new Pile();

  constructor(private readonly limits: PeerLimits['mail']) {}

  /** What there is too much of; `null` when the message has been kept. */
  add(from: NodeId, to: NodeId, text: string): string | null {
    const [sender, receiver] = [this.senders.get(from) ?? new Pile(), this.receivers.get(to) ?? new Pile()];
    const ofSender = sender.excess(text, this.limits.sender);
    if (ofSender !== null) return `${ofSender} of this peer wait for peers that have not come`;
    const forReceiver = receiver.excess(text, this.limits.receiver);
    if (forReceiver !== null) return `${forReceiver} wait for a peer that has not come`;
    const inAll = this.all.excess(text, this.limits.all);
    if (inAll !== null) return `${inAll} wait for peers that have not come`;
    this.senders.set(from, sender);
    this.receivers.set(to, receiver);
    for (const pile of [sender, receiver, this.all]) pile.change(text, 1);
    const kept = this.kept.get(to);
    if (kept) kept.push({ from, text });
    else this.kept.set(to, [{ from, text }]);
    return null;
  }

  take(to: NodeId): string[] {
    const kept = this.kept.get(to) ?? [];
    this.kept.delete(to);
    this.receivers.delete(to);
    for (const { from, text } of kept) {
      const sender = this.senders.get(from)!;
      for (const pile of [sender, this.all]) pile.change(text, -1);
      if (sender.messages === 0) this.senders.delete(from);
    }
    return kept.map(({ text }) => text);
  }

  clear(): void {
    for (const to of this.kept.keys()) this.take(to);
  }
}

interface SendFrame {
  readonly to: NodeId;
  readonly message: Json;
}

const isSend = (frame: unknown): frame is SendFrame =>
  isObject(frame) && frame['type'] === 'send' && isId(frame['to']) && frame['message'] !== undefined;

export const isHello = (frame: unknown): frame is PeerHello =>
  isObject(frame) &&
  frame['type'] === 'hello' &&
  typeof frame['id'] === 'string' &&
  isText(frame['key'], KEY_LENGTH_MAX) &&
  (frame['token'] === undefined || isText(frame['token'], TOKEN_LENGTH_MAX));

/** Throws a `UsageError` unless it is a key or a token that others can read; the text itself is a secret and not told. */
export function checkSecret(value: unknown, what: string, lengthMax: number): void {
  if (!isText(value, lengthMax)) throw new UsageError(`${what} has to be a text of 1 to ${lengthMax} characters`);
}

const isText = (value: unknown, lengthMax: number): boolean =>
  typeof value === 'string' && value !== '' && value.length <= lengthMax;
