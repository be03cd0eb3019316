/**
 * A driver that reconnects: it makes its connection again when it is lost or cannot be made, for as long as the transport is open.
 *
 * In between, every peer is down and messages are lost; the link layer above tolerates that. The first attempt follows within a tenth of a
 * second, later ones after random pauses that grow to one second, so that a thousand peers do not return at the same moment. An attempt
 * fails after five seconds. A connection that is lost within five seconds also counts as failed: otherwise two processes with one id and
 * key would displace each other hundreds of times a second.
 *
 * If there are several drivers, one for each hub, the next one is tried when one fails. All peers must meet at one hub. So a peer at a later hub
 * checks about every two seconds whether an earlier one is available. It opens the new connection before it leaves the old one, and ignores
 * the old one from then on, which keeps the order.
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
const PAUSE_MS_MAX = 1_000;
export const ATTEMPT_MS_MAX = 5_000;
const HOME_MS = 2_000;
/**
 * Milliseconds after which a connection counts as successful. Longer than the pauses, so that an attempt that only waits does not count as
 * success.
 */
export const LASTING_MS = 5_000;
/** Number of failed rounds before a warning, and milliseconds until the next one. */
const QUIET_ROUNDS = 3;
const QUIET_MS = 10_000;

/** Milliseconds until the next attempt, after the first and so many further ones have failed. */
export function pauseAfter(failures: number, { crypto }: Pick<PlatformEnvironment, 'crypto'>): number {
  const longest = Math.min(FIRST_PAUSE_MS_MAX * 2 ** Math.min(failures, 10), PAUSE_MS_MAX);
  return longest * (failures === 0 ? fraction(crypto) : 1 - fraction(crypto) / 2);
}

/** Creates the driver. `moved` is called with the index of the connected driver whenever it changes; `null` for none. */
export function reconnecting(
  drivers: readonly Driver[],
  who: string,
  environment: InEnvironment = {},
  moved: (place: number | null) => void = () => {},
): Driver {
  return (medium, signal) => new Reconnecting(drivers, who, medium, environmentOf(environment), moved).begin(signal);
}

/** One attempt with one driver, and its result. */
class Attempt {
  readonly peers = new Set<NodeId>();
  readonly ending = new AbortController();
  /** Timer of the attempt: it fails after too much time, and a connection that has lasted resets the failures. */
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
  /** The connection, or the attempt to make one. */
  private current: Attempt | undefined;
  /** The attempt to return to an earlier hub. */
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
      // With several hubs, the peer may be at another one now.
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
    // No warning while a hub only restarts.
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

  /** Warns with the reason for which the peer waits. */
  private complain(error: Error): void {
    const now = this.environment.clock.now();
    if (now - this.reportedAt < QUIET_MS) return;
    this.reportedAt = now;
    console.warn(`${this.who} has no connection and will retry: ${escape(error.message)}`);
  }
}
