/**
 * A driver whose connection is made again when it is lost, and waited for when it cannot be made: for as long as the transport is open.
 *
 * In between every peer is down and what is sent is lost; the link layer above knows how to live with that. The first try comes within
 * a tenth of a second, the others after pauses that grow to two, each by chance, so that a thousand peers do not come back in the same
 * moment. A try that has not led anywhere after five seconds counts as failed, and so does a connection that is lost within five:
 * two processes with one id and key would take the place from each other hundreds of times a second.
 *
 * Of several drivers, one for each hub, the next is tried when one fails. All peers have to meet at one hub, so a peer that is not at
 * the first one looks every two seconds whether it can go home: the new connection is before the old one is left, and nothing is
 * heard on the old one from then on, which keeps the order.
 */
import { Subscription } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { environmentOf, fraction, type PlatformEnvironment, type InEnvironment } from '../environment.js';
import type { Connection, Driver, DriverListener } from './driver.js';
import { ConnectionError } from './errors.js';
import { later } from './later.js';
import { escape } from './reading.js';
import { DisplacedError } from './through-hub.js';

const FIRST_PAUSE_MS_MAX = 100;
const PAUSE_MS_MAX = 2_000;
export const ATTEMPT_MS_MAX = 5_000;
const HOME_MS = 2_000;
/** A connection that has stood for so long was not a failed try: longer than the pauses, or whoever waits would count as one that lasts. */
export const LASTING_MS = 5_000;
/** So many rounds fail before there is a warning, and so long it is until the next. */
const QUIET_ROUNDS = 3;
const QUIET_MS = 10_000;

/** So long is it until the next try after the first and so many further ones have failed. */
export function pauseAfter(failures: number, { crypto }: Pick<PlatformEnvironment, 'crypto'>): number {
  const longest = Math.min(FIRST_PAUSE_MS_MAX * 2 ** Math.min(failures, 10), PAUSE_MS_MAX);
  return longest * (failures === 0 ? fraction(crypto) : 1 - fraction(crypto) / 2);
}

/** `moved` hears at which of the drivers there is a connection, whenever it is another one; `null` for none. */
export function reconnecting(
  drivers: readonly Driver[],
  who: string,
  environment: InEnvironment = {},
  moved: (place: number | null) => void = () => {},
): Driver {
  return (medium, signal) => new Reconnecting(drivers, who, medium, environmentOf(environment), moved).begin(signal);
}

/** One try at one driver, and what came of it. */
class Attempt {
  readonly peers = new Set<NodeId>();
  readonly ending = new AbortController();
  /** What time does to it: a try that takes too long has failed, a connection that has lasted is a success. */
  deadline = new Subscription();
  connection: Connection | undefined;

  constructor(readonly place: number) {}

  giveUp(): void {
    this.deadline.unsubscribe();
    this.ending.abort();
  }
}

class Reconnecting {
  private readonly timers = new Subscription();
  /** The connection, or the try to get one. */
  private current: Attempt | undefined;
  /** The try to get to a hub before the current one. */
  private homeward: Attempt | undefined;
  private failures = 0;
  private hasOpened = false;
  private reportedAt = -Infinity;

  constructor(
    private readonly drivers: readonly Driver[],
    private readonly who: string,
    private readonly medium: DriverListener,
    private readonly environment: PlatformEnvironment,
    private readonly moved: (place: number | null) => void,
  ) {}

  begin(signal: AbortSignal): void {
    const end = () => {
      this.timers.unsubscribe();
      this.homeward?.giveUp();
      if (this.current?.connection) this.current.deadline.unsubscribe();
      else this.current?.giveUp();
    };
    signal.addEventListener('abort', end, { once: true });
    this.current = this.attempt(0);
  }

  private attempt(place: number): Attempt {
    const attempt = new Attempt(place);
    const late = () => this.failed(attempt, new ConnectionError(`no answer within ${ATTEMPT_MS_MAX} ms`));
    later(attempt.deadline, this.environment.clock, late, ATTEMPT_MS_MAX);
    Promise.resolve()
      .then(() => this.drivers[place]!(this.mediumOf(attempt), attempt.ending.signal))
      .catch((error: Error) => this.failed(attempt, error));
    return attempt;
  }

  private mediumOf(attempt: Attempt): DriverListener {
    const isCurrent = () => this.current === attempt;
    return {
      opened: (connection) => this.opened(attempt, connection),
      received: (from, message) => {
        if (isCurrent()) this.medium.received(from, message);
      },
      up: (peer) => {
        attempt.peers.add(peer);
        if (isCurrent()) this.medium.up(peer);
      },
      down: (peer) => {
        attempt.peers.delete(peer);
        if (isCurrent()) this.medium.down(peer);
      },
      // Of several hubs, a peer may be at another one now.
      gone: (peer) => {
        if (isCurrent() && this.drivers.length === 1) this.medium.gone(peer);
      },
      lost: (error) => this.failed(attempt, error),
      broke: (error) => {
        if (isCurrent() || this.homeward === attempt) this.medium.broke(error);
      },
    };
  }

  private opened(attempt: Attempt, connection: Connection): void {
    if (this.timers.closed || (attempt !== this.current && attempt !== this.homeward)) return void connection.close();
    attempt.connection = connection;
    attempt.deadline.unsubscribe();
    if (attempt === this.homeward) {
      const left = this.current!;
      this.current = attempt;
      this.homeward = undefined;
      this.allDown(left);
      left.deadline.unsubscribe();
      void left.connection?.close();
    }
    attempt.deadline = new Subscription();
    later(attempt.deadline, this.environment.clock, () => (this.failures = 0), LASTING_MS);
    this.moved(attempt.place);
    if (!this.hasOpened) {
      this.medium.opened({
        send: (to, message, text) => this.current?.connection?.send(to, message, text),
        close: () => this.current?.connection?.close(),
      });
    }
    this.hasOpened = true;
    if (attempt.place > 0) this.lookHome(attempt, 0);
  }

  private failed(attempt: Attempt, error: Error): void {
    attempt.giveUp();
    if (attempt === this.homeward) this.homeward = undefined;
    if (attempt !== this.current) return;
    this.current = this.homeward;
    this.homeward = undefined;
    this.moved(null);
    this.allDown(attempt);
    if (!this.current && !this.timers.closed) this.tryNext(attempt.place, error);
  }

  private tryNext(place: number, error: Error): void {
    const round = Math.floor(this.failures++ / this.drivers.length);
    const next = () => (this.current = this.attempt((place + 1) % this.drivers.length));
    later(this.timers, this.environment.clock, () => void next(), pauseAfter(round, this.environment));
    // A hub that is only started again is nothing to speak of.
    if (round >= QUIET_ROUNDS || error instanceof DisplacedError) this.complain(error);
  }

  private lookHome(from: Attempt, place: number): void {
    const look = () => {
      if (this.current !== from) return;
      this.homeward ??= this.attempt(place);
      this.lookHome(from, (place + 1) % from.place);
    };
    later(this.timers, this.environment.clock, look, HOME_MS * (1 - fraction(this.environment.crypto) / 4));
  }

  private allDown({ peers }: Attempt): void {
    for (const peer of peers) this.medium.down(peer);
    peers.clear();
  }

  /** Nobody else would say why a peer waits. */
  private complain(error: Error): void {
    if (this.environment.clock.now() - this.reportedAt < QUIET_MS) return;
    this.reportedAt = this.environment.clock.now();
    console.warn(`${this.who} has no connection and keeps trying: ${escape(error.message)}`);
  }
}
