/**
 * A connection to a broker that the application makes: what its function gives, or a `ConnectionError` that says what it gave instead, and
 * a warning where its client goes on trying for some time.
 */
import { Subscription, type SchedulerLike } from 'rxjs';
import { shownValue } from '../../network/scenario/read.js';
import { ConnectionError } from './errors.js';
import { later } from './later.js';
import { saidBy } from './reading.js';

/** `how` names what is to be returned, `cure` what helps where the broker is not there. */
export async function connectedBy<C extends object>(
  connection: () => C | Promise<C>,
  who: string,
  broker: string,
  how: string,
  cure: string,
  absence: Absence,
): Promise<C> {
  let made: unknown;
  absence.begins();
  try {
    made = await connection();
  } catch (error) {
    throw new ConnectionError(`${who} has no connection to ${broker}: ${saidBy(error)}; ${cure}`, { cause: error });
  } finally {
    absence.ends();
  }
  if (typeof (made as { subscribe?: unknown } | null | undefined)?.subscribe === 'function') return made as C;
  throw new ConnectionError(
    `${who} was given no connection to ${broker}: connection() gave ${shownValue(made)}. Return what ${how} gives`,
  );
}

/** A client tries again for so long before there is a warning. */
const QUIET_MS = 2_000;

/** Clients of brokers go on trying without a word. While there is no connection, that is said once; an abort ends it. */
export class Absence {
  private timer: Subscription | null = null;

  constructor(
    private readonly who: string,
    private readonly clock: SchedulerLike,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', this.ends, { once: true });
  }

  readonly begins = (): void => {
    // Each try in vain is not a new absence.
    if (this.timer || this.signal.aborted) return;
    const warn = () => console.warn(`${this.who} for ${QUIET_MS / 1000} s; its client keeps trying`);
    later((this.timer = new Subscription()), this.clock, warn, QUIET_MS);
  };

  readonly ends = (): void => {
    this.timer?.unsubscribe();
    this.timer = null;
  };
}
