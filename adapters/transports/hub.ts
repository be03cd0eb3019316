/**
 * A hub forwards messages between peers that each have one line to it. The peers' end is in through-hub.ts.
 *
 * A line is any ordered two-way channel of texts: a MessagePort, a WebSocket, a pair of functions. A client sends `hello` with its id and
 * its key. The hub replies with `welcome` and the list of connected peers, or with `refused`. From then on the client sends `send` frames
 * and the hub sends `message`, `up` and `down`, until the client sends `bye`. The hub sets the sender's id itself, so no client can
 * impersonate another.
 *
 * An id is one seat. A client with the key of the seat's holder is the holder itself after its line broke, and gets the seat at once. A
 * client with another key gets the seat only if the holder's line no longer answers; a running peer keeps its seat.
 *
 * A message to a peer that has not connected yet waits for it. A message to a peer that has left is dropped. Waiting messages are limited
 * by count and size, for each sender, each receiver and in total. A sender above a limit is refused with an error that names the absent
 * peer. The link layer leaves no waiting messages: it sends only to connected peers.
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

/** A key is a random text. The application defines the content of a token. */
export const KEY_LENGTH_MAX = 255;
export const TOKEN_LENGTH_MAX = 2 ** 13;
/** Limit of a frame before admission: a hello with the longest values, escaped. */
export const HELLO_BYTES_MAX = 2 ** 16;
/** Limit of the ids that a welcome lists. The client receives the others one by one, as `up`. */
const WELCOME_CHARS_MAX = FRAME_BYTES_MAX / 4;

/** Refusal for a peer whose id is held by another peer. */
export const idTaken = (id: NodeId): string => `the id "${quote(id)}" is in use. Use a unique id for each peer`;

/** Refusal for a peer that still runs when another process connects with its key. */
export const DISPLACED = 'another process uses the id and the key of this peer. Use unique ones for each process';

export interface Line {
  send(text: string): void;
  close(): void | Promise<void>;
  /** Called once; frames that came before are kept until then. */
  listen(listener: LineListener): void;
  /** True if the other end answers a check now. A line without this method is closed when its other end goes. */
  answers?(): Promise<boolean>;
  /**
   * True if the line was closed because the process at its other end has ended: the system of that end has closed the connection from
   * this port, without a proxy. A line without this method closes only if that process ends.
   */
  hasCrashed?(port: number | undefined): boolean;
  /** Port from which this end has dialed, if known. */
  readonly port?: number | undefined;
  /** Id of the peer once it is known, for warnings. */
  peer?: NodeId;
}

export interface LineListener {
  readonly frame: (text: unknown) => void;
  /** Called when the other end is gone. */
  readonly closed: () => void;
}

export interface PeerHello {
  readonly id: NodeId;
  readonly key: string;
  /** Input for the application's own rule. */
  readonly token?: string;
  /** Port from which the peer has dialed. If the connection comes from another one, there is a proxy. */
  readonly port?: number | undefined;
}

export interface HubRules extends InEnvironment {
  /** Reason for which this peer may not connect; `null` if it may. @defaultValue any peer may connect */
  readonly refuses?: (hello: PeerHello, line: Line) => string | null | Promise<string | null>;
  /** Called for each peer that is refused for good, with the id that it claims. */
  readonly refused?: (id: NodeId, why: string, line: Line) => void;
  /** Milliseconds after which a line is closed that has not been admitted. @defaultValue no limit */
  readonly helloMs?: number;
  /** True if the hub sends beats. The first one follows the welcome, so that a peer watches its line from then on. */
  readonly beats?: boolean;
}

const BEAT = '{"type":"ping"}';

/** The other end of a line: it has sent nothing yet, its hello is being checked, it has a seat, or it is gone. */
interface Guest {
  readonly line: Line;
  state: 'new' | 'asking' | 'seated' | 'gone';
  id: NodeId;
  key: string;
  port: number | undefined;
  readonly deadline: Subscription;
}

export class Hub {
  private readonly members = new Map<NodeId, Guest>();
  private readonly limits = limitsHere();
  private readonly waiting = new Waiting(this.limits.mail);
  private readonly left = new Set<NodeId>();
  private readonly guests = new Set<Guest>();
  /** Number of frames that no client of Quiver sends. They were dropped, and unreadable ones ended their lines. */
  malformed = 0;
  /** Limits a warning to one, because peers retry. */
  private hasReported = false;

  constructor(private readonly rules: HubRules = {}) {}

  /** Serves the peer at the other end of the line. */
  attach(line: Line): void {
    const { helloMs } = this.rules;
    const guest: Guest = { line, state: 'new', id: '', key: '', port: undefined, deadline: new Subscription() };
    this.guests.add(guest);
    const closed = () => this.dismiss(guest, line.hasCrashed?.(guest.port) ?? true);
    line.listen({ frame: (text) => this.receive(guest, text), closed });
    if (helloMs === undefined) return;
    later(guest.deadline, environmentOf(this.rules).clock, () => this.giveUpOn(guest, helloMs), helloMs);
  }

  /** A rule of the application that does not answer would leave both ends without a result. */
  private giveUpOn(guest: Guest, ms: number): void {
    if (guest.state !== 'asking') return this.refuse(guest, `no hello was accepted within ${ms} ms`, true);
    if (!this.hasReported)
      console.warn(
        `hub: admit has not settled for "${escape(guest.id)}" within ${ms} ms, so the peer is refused for now. It may try again`,
      );
    this.hasReported = true;
    this.refuse(guest, DOUBT, true);
  }

  /** Sends a heartbeat to every peer. */
  beat(): void {
    for (const { line } of this.members.values()) line.send(BEAT);
  }

  /** Closes every line. */
  close(): void {
    for (const guest of this.guests) this.dismiss(guest);
    this.waiting.clear();
  }

  private receive(guest: Guest, text: unknown): void {
    if (guest.state === 'gone') return;
    const isSeated = guest.state === 'seated';
    const reading = readFrame(text, isSeated ? FRAME_BYTES_MAX : HELLO_BYTES_MAX);
    const frame = 'value' in reading ? reading.value : null;
    if (isSeated && isSend(frame)) this.carry(guest, frame);
    else if (isHello(frame) && guest.state === 'new') this.admit(guest, frame).catch(() => this.refuse(guest, DOUBT, true));
    else if (isObject(frame) && frame['type'] === 'bye') this.dismiss(guest);
    else if (!(isObject(frame) && frame['type'] === 'pong')) {
      this.malformed++;
      // Before admission a client may send only one hello.
      if (!isSeated || 'refused' in reading) this.dismiss(guest);
    }
  }

  private async admit(guest: Guest, hello: PeerHello): Promise<void> {
    const { id, key, port } = hello;
    Object.assign(guest, { state: 'asking', id, port });
    const noId = refusedId(id);
    if (noId !== null) return this.refuse(guest, `the id is invalid: ${noId}`);
    if (this.rules.refuses) {
      const why = await this.rules.refuses(hello, guest.line);
      if (why !== null) return this.refuse(guest, why);
    }
    const isGone = () => guest.state === 'gone';
    for (let holder = this.members.get(id); holder && !isGone(); holder = this.members.get(id)) {
      const isHeld = holder.key !== key && (!holder.line.answers || (await holder.line.answers()));
      if (isHeld && this.members.get(id) === holder) return this.refuse(guest, idTaken(id));
      // A holder that does not answer has lost the seat. A running one would reconnect at once unless it gets the reason.
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
    guest.deadline.unsubscribe();
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

  /** `hasCrashed`: the process of the guest has probably ended. */
  private dismiss(guest: Guest, hasCrashed = false): void {
    if (guest.state === 'gone') return;
    const wasSeated = guest.state === 'seated';
    guest.state = 'gone';
    this.guests.delete(guest);
    guest.deadline.unsubscribe();
    void guest.line.close();
    if (!wasSeated) return;
    const { id } = guest;
    this.members.delete(id);
    this.left.add(id);
    if (this.left.size > this.limits.gone) this.left.delete(this.left.values().next().value!);
    const down = JSON.stringify({ type: 'down', peer: id, ...(hasCrashed && { broken: true }) });
    for (const other of this.members.values()) other.line.send(down);
  }

  /** `again`: the peer may retry. */
  private refuse(guest: Guest, why: string, again = false): void {
    if (guest.state === 'gone') return;
    if (!again) this.rules.refused?.(guest.id, why, guest.line);
    guest.line.send(JSON.stringify({ type: 'refused', why, ...(again ? { again } : {}) }));
    this.dismiss(guest);
  }

  private carry(sender: Guest, { to, message }: SendFrame): void {
    const text = `{"type":"message","from":${JSON.stringify(sender.id)},"message":${JSON.stringify(message)}}`;
    if (!fits(text, FRAME_BYTES_MAX)) {
      // `1e20` is written with 21 digits, so a frame within the limit may leave above it. The receiver would drop its line.
      this.malformed++;
      return;
    }
    const member = this.members.get(to);
    if (member) member.line.send(text);
    else if (!this.left.has(to)) {
      const full = this.waiting.add(sender.id, to, text);
      // Dropping it silently would break the guarantee that no message is lost.
      if (full !== null)
        this.refuse(sender, `${full}; this one is for "${to}". Wrap the transport: linked(transport, { peers })`);
    }
  }
}

const DOUBT = 'the hub cannot decide now whether to admit this peer';

/** Number and size of the waiting messages of one sender, one receiver or all. */
class Pile {
  messages = 0;
  chars = 0;

  /** The limit that one more message would exceed; `null` if it fits. */
  excess(text: string, bounds: MailLimits): string | null {
    if (this.messages >= bounds.messages) return `${bounds.messages} messages`;
    return this.chars + text.length > bounds.chars ? `${bounds.chars} characters` : null;
  }

  change(text: string, by: 1 | -1): void {
    this.messages += by;
    this.chars += by * text.length;
  }
}

/** Messages that wait for peers that have not connected yet. */
class Waiting {
  private readonly kept = new Map<NodeId, { readonly from: NodeId; readonly text: string }[]>();
  private readonly senders = new Map<NodeId, Pile>();
  private readonly receivers = new Map<NodeId, Pile>();
  private readonly all = new Pile();

  constructor(private readonly limits: PeerLimits['mail']) {}

  /** Keeps a message. Returns the limit that it exceeds; `null` if it was kept. */
  add(from: NodeId, to: NodeId, text: string): string | null {
    const [sender, receiver] = [this.senders.get(from) ?? new Pile(), this.receivers.get(to) ?? new Pile()];
    const ofSender = sender.excess(text, this.limits.sender);
    if (ofSender !== null) return `${ofSender} of this peer wait for peers that have not connected`;
    const forReceiver = receiver.excess(text, this.limits.receiver);
    if (forReceiver !== null) return `${forReceiver} wait for a peer that has not connected`;
    const inAll = this.all.excess(text, this.limits.all);
    if (inAll !== null) return `${inAll} wait for peers that have not connected`;
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
  (frame['token'] === undefined || isText(frame['token'], TOKEN_LENGTH_MAX)) &&
  (frame['port'] === undefined || Number.isInteger(frame['port']));

/** Throws a `UsageError` unless the value is a valid key or token. The error does not contain the value, because it is a secret. */
export function checkSecret(value: unknown, what: string, lengthMax: number): void {
  if (!isText(value, lengthMax)) throw new UsageError(`${what} must be a string of 1 to ${lengthMax} characters`);
}

const isText = (value: unknown, lengthMax: number): boolean =>
  typeof value === 'string' && value !== '' && value.length <= lengthMax;
