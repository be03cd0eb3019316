/**
 * A hub: peers that each have one line to it reach one another through it.
 *
 * A line is any ordered two-way channel of JSON frames: a MessagePort, a WebSocket, a pair of functions. Both ends of the little
 * protocol on it stand here. A client says `hello` with its id; the hub answers `welcome` with who is there, or `refused`. From then
 * on the client asks to `send`, the hub brings each `message`, `up` and `down`, until the client says `bye`. The hub writes the
 * sender's id itself, so nobody can speak for another; the key in the `hello` lets a client whose line broke take its own place back
 * before the hub has noticed. A message to a peer that has not come yet waits for it, one to a peer that has left is dropped.
 */
import type { NodeId } from '../../machines/effects.js';
import { isObject } from '../../machines/checks.js';
import { NAME_LENGTH_MAX } from './envelope.js';
import { ConnectionError } from './errors.js';
import type { Driver, Medium } from './driver.js';
import type { Json } from './transport.js';

export interface Line {
  send(frame: Json): void;
  close(): void | Promise<void>;
  /** Called once; what came before is kept until then. */
  listen(listener: LineListener): void;
}

export interface LineListener {
  readonly frame: (frame: unknown) => void;
  /** The other end is gone. */
  readonly closed: () => void;
}

/** How many messages may wait in one hub for peers that have not come yet. */
const WAITING_MAX = 10_000;
/** How many of those who left the hub remembers. */
const LEFT_MAX = 10_000;

export class Hub {
  private readonly members = new Map<NodeId, Member>();
  private readonly waiting = new Map<NodeId, Json[]>();
  private waitingCount = 0;
  private readonly left = new Set<NodeId>();
  /** Frames that no client of ours would send; they were dropped. */
  malformed = 0;

  /** Serves the peer at the other end of the line. */
  attach(line: Line): void {
    let id: NodeId | undefined;
    const leave = () => {
      if (id !== undefined) this.dismiss(id, line);
    };
    line.listen({
      frame: (frame) => {
        if (isSend(frame) && id !== undefined) this.carry(id, line, frame);
        else if (isHello(frame) && id === undefined) id = this.admit(line, frame);
        else if (isObject(frame) && frame['type'] === 'bye') leave();
        else this.malformed++;
      },
      closed: leave,
    });
  }

  /** Closes every line. */
  close(): void {
    for (const [id, { line }] of this.members) this.dismiss(id, line);
    this.waiting.clear();
    this.waitingCount = 0;
  }

  private admit(line: Line, { id, key }: Hello): NodeId | undefined {
    const before = this.members.get(id);
    if (before && before.key !== key) {
      refuse(line, `the id "${id}" is taken; give every peer its own`);
      return undefined;
    }
    if (before) this.dismiss(id, before.line);
    line.send({ type: 'welcome', peers: [...this.members.keys()] });
    for (const other of this.members.values()) other.line.send({ type: 'up', peer: id });
    this.members.set(id, { line, key });
    this.left.delete(id);
    const kept = this.waiting.get(id) ?? [];
    this.waiting.delete(id);
    this.waitingCount -= kept.length;
    for (const frame of kept) line.send(frame);
    return id;
  }

  private dismiss(id: NodeId, line: Line): void {
    if (this.members.get(id)?.line !== line) return;
    this.members.delete(id);
    void line.close();
    this.left.add(id);
    if (this.left.size > LEFT_MAX) this.left.delete(this.left.values().next().value!);
    for (const other of this.members.values()) other.line.send({ type: 'down', peer: id });
  }

  private carry(from: NodeId, sender: Line, { to, message }: SendFrame): void {
    const frame = { type: 'message', from, message } as const;
    const member = this.members.get(to);
    if (member) member.line.send(frame);
    else if (!this.left.has(to) && !this.keep(to, frame)) {
      // Dropping it in silence would break the promise that nothing is lost.
      refuse(sender, `${WAITING_MAX} messages wait for peers that have not come; this one is for "${to}"`);
      this.dismiss(from, sender);
    }
  }

  private keep(to: NodeId, frame: Json): boolean {
    if (this.waitingCount >= WAITING_MAX) return false;
    this.waitingCount++;
    const kept = this.waiting.get(to);
    if (kept) kept.push(frame);
    else this.waiting.set(to, [frame]);
    return true;
  }
}

interface Member {
  readonly line: Line;
  readonly key: string;
}

interface Hello {
  readonly id: NodeId;
  readonly key: string;
}

interface SendFrame {
  readonly to: NodeId;
  readonly message: Json;
}

const isSend = (frame: unknown): frame is SendFrame =>
  isObject(frame) && frame['type'] === 'send' && isName(frame['to']) && frame['message'] !== undefined;

const isHello = (frame: unknown): frame is Hello =>
  isObject(frame) && frame['type'] === 'hello' && isName(frame['id']) && isName(frame['key']);

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= NAME_LENGTH_MAX;

function refuse(line: Line, why: string): void {
  line.send({ type: 'refused', why });
  void line.close();
}

/** The client's end: a driver for `createTransport`. */
export function throughHub(id: NodeId, open: (signal: AbortSignal) => Promise<Line> | Line): Driver {
  const key = crypto.randomUUID();
  return async (medium, signal) => {
    const line = await open(signal);
    const close = () => {
      line.send({ type: 'bye' });
      return line.close();
    };
    if (signal.aborted) {
      void close();
      return;
    }
    signal.addEventListener('abort', close, { once: true });
    line.listen({
      frame: (frame) => {
        if (!isObject(frame)) return;
        if (frame['type'] === 'refused') {
          medium.broke(new ConnectionError(`the hub refused peer "${id}": ${String(frame['why'])}`));
        } else if (frame['type'] === 'welcome' && Array.isArray(frame['peers'])) {
          signal.removeEventListener('abort', close);
          medium.opened({ send: (to, message) => line.send({ type: 'send', to, message }), close });
          for (const peer of frame['peers']) medium.up(peer);
        } else report(medium, frame as unknown as Brought);
      },
      closed: () => {
        signal.removeEventListener('abort', close);
        medium.lost(new ConnectionError(`the hub of peer "${id}" is gone`));
      },
    });
    line.send({ type: 'hello', id, key });
  };
}

type Brought =
  | { readonly type: 'message'; readonly from: NodeId; readonly message: Json }
  | { readonly type: 'up' | 'down'; readonly peer: NodeId };

function report(medium: Medium, frame: Brought): void {
  if (frame.type === 'message') medium.received(frame.from, frame.message);
  else if (frame.type === 'up') medium.up(frame.peer);
  else if (frame.type === 'down') medium.down(frame.peer);
}
