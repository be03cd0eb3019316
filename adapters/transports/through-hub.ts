/**
 * A peer's end of its line to a hub (hub.ts): a driver for `createTransport`.
 *
 * A hub on a network sends a heartbeat every second. A line without a heartbeat for three seconds is closed: the other end may be gone
 * without a notification, for example after a cable was pulled, and sending would never fail.
 */
import { Subscription } from 'rxjs';
import { isObject } from '../../machines/checks.js';
import type { NodeId } from '../../machines/effects.js';
import { environmentOf, type PlatformEnvironment, type InEnvironment } from '../environment.js';
import type { Driver, DriverListener } from './driver.js';
import { ConnectionError } from './errors.js';
import { checkSecret, TOKEN_LENGTH_MAX, type PeerHello, type Line } from './hub.js';
import { isId } from './ids.js';
import { later } from './later.js';
import { readFrame, reasonIn, messageOf } from './reading.js';
import type { Json } from './transport.js';

/** Milliseconds between two heartbeats of a hub, and number of missing ones after which it counts as gone. */
export const HUB_BEAT_MS = 1_000;
export const SILENT_BEATS_MAX = 3;
/** Milliseconds within which a peer with a broken connection reconnects. */
export const COME_BACK_MS = 200;

/** Credentials of a peer. A process with the key can take the peer's seat, so the key is a secret. */
export interface Credentials {
  readonly id: NodeId;
  readonly key: string;
  readonly token?: (() => string | Promise<string>) | undefined;
}

export function throughHub(
  { id, key, token }: Credentials,
  open: (signal: AbortSignal) => Promise<Line> | Line,
  environment: InEnvironment = {},
  /** Name of the hub in errors. */
  hub = 'the hub',
): Driver {
  return async (medium, signal) => {
    const shown = await shownBy(token, id);
    if (shown !== undefined) checkSecret(shown, `the token of peer "${id}"`, TOKEN_LENGTH_MAX);
    const hello: PeerHello = shown === undefined ? { id, key } : { id, key, token: shown };
    if (signal.aborted) return;
    const line = await open(signal);
    if (signal.aborted) void line.close();
    else new HubLine(line, medium, signal, environmentOf(environment), hub).begin(hello);
  };
}

/** Adds the name of the function to its error, which would otherwise look like a connection error. */
async function shownBy(token: Credentials['token'], id: NodeId): Promise<string | undefined> {
  try {
    return await token?.();
  } catch (cause) {
    throw new ConnectionError(`the token of peer "${id}" is a function that failed: ${messageOf(cause)}`, { cause });
  }
}

/** Error when the hub has given the seat to another process. */
export class DisplacedError extends ConnectionError {}

class HubLine {
  /** Resources that end with the line: the timer of the silence, and the listener for the abort signal. */
  private readonly life = new Subscription();
  /** Number of checks since the last frame. Checks are counted instead of time, because clocks can be set. */
  private silence = 0;
  private isWatched = false;
  private isSeated = false;

  constructor(
    private readonly line: Line,
    private readonly medium: DriverListener,
    private readonly signal: AbortSignal,
    private readonly environment: PlatformEnvironment,
    private readonly hub: string,
  ) {}

  begin(hello: PeerHello): void {
    const giveUp = () => void this.close();
    this.signal.addEventListener('abort', giveUp, { once: true });
    this.life.add(() => this.signal.removeEventListener('abort', giveUp));
    this.line.listen({
      frame: (text) => this.receive(text, hello.id),
      closed: () => this.lose(`the hub of peer "${hello.id}" is gone`),
    });
    this.line.send(JSON.stringify({ type: 'hello', ...hello, port: this.line.port }));
  }

  private receive(text: unknown, id: NodeId): void {
    if (this.life.closed) return;
    this.silence = 0;
    const reading = readFrame(text);
    if ('refused' in reading) this.lose(`the hub of peer "${id}" sent an unreadable frame: ${reading.refused}`);
    else if (isObject(reading.value)) this.take(reading.value, id);
  }

  private take(frame: Readonly<Record<string, unknown>>, id: NodeId): void {
    const { type, from, peer, message } = frame;
    if (type === 'message' && isId(from) && message !== undefined) this.medium.received(from, message as Json);
    else if (type === 'up' && isId(peer)) this.medium.up(peer);
    else if (type === 'down' && isId(peer)) this.part(peer, frame['broken'] === true);
    else if (type === 'welcome' && Array.isArray(frame['peers'])) this.open(frame['peers'].filter(isId));
    else if (type === 'refused')
      this.handleRefusal(`${this.hub} refused peer "${id}": ${reasonIn(frame)}`, frame['again'] === true);
    else if (type === 'ping') {
      this.line.send('{"type":"pong"}');
      if (!this.isWatched) this.watch(id);
    }
  }

  private open(peers: readonly NodeId[]): void {
    this.isSeated = true;
    this.medium.opened({
      send: (to, _, text) => this.line.send(`{"type":"send","to":${JSON.stringify(to)},"message":${text}}`),
      close: () => this.close(),
    });
    for (const peer of peers) this.medium.up(peer);
  }

  /** Reports a peer as gone if its process seems to have ended and it does not return within `COME_BACK_MS`. */
  private part(peer: NodeId, hasCrashed: boolean): void {
    this.medium.down(peer);
    // The transport ignores the report if the peer has returned.
    if (hasCrashed) later(this.life, this.environment.clock, () => this.medium.gone(peer), COME_BACK_MS);
  }

  private handleRefusal(why: string, mayTryAgain: boolean): void {
    if (mayTryAgain) return this.lose(why, this.isSeated ? DisplacedError : ConnectionError);
    this.life.unsubscribe();
    this.medium.broke(new ConnectionError(why));
  }

  /** Starts at the first beat: hubs of message ports send none. */
  private watch(id: NodeId): void {
    this.isWatched = true;
    const look = () => {
      if (this.silence++ >= SILENT_BEATS_MAX) this.lose(`the hub of peer "${id}" has been silent for ${SILENT_BEATS_MAX} beats`);
      else later(this.life, this.environment.clock, look, HUB_BEAT_MS);
    };
    later(this.life, this.environment.clock, look, HUB_BEAT_MS);
  }

  private lose(why: string, Reason = ConnectionError): void {
    if (this.life.closed) return;
    this.life.unsubscribe();
    void this.line.close();
    this.medium.lost(new Reason(why));
  }

  private close(): void | Promise<void> {
    if (!this.life.closed) this.line.send('{"type":"bye"}');
    this.life.unsubscribe();
    return this.line.close();
  }
}
