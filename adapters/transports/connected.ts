/** Obtains the connection to a broker from the application's function, checks it, and prints a warning while its client retries. */
import { Subscription, type SchedulerLike } from 'rxjs';
import { shownValue } from '../../network/scenario/read.js';
import { ConnectionError } from './errors.js';
import { later } from './later.js';
import { messageOf } from './reading.js';
import { fieldsOf } from '../../machines/checks.js';

/**
 * Obtains the connection to a broker from the application's function `connection`.
 * @param how the expected result, for errors.
 * @param advice a remedy, for the error if the broker does not respond.
 */
export async function connectedBy<C extends object>(
  connection: () => C | Promise<C>,
  who: string,
  broker: string,
  how: string,
  advice: string,
  absence: Absence,
): Promise<C> {
  let made: unknown;
  absence.begins();
  try {
    made = await connection();
  } catch (error) {
    throw new ConnectionError(`${who} has no connection to ${broker}: ${messageOf(error)}; ${advice}`, { cause: error });
  } finally {
    absence.ends();
  }
  if (typeof fieldsOf(made)['subscribe'] === 'function') return made as C;
  throw new ConnectionError(
    `${who} has no connection to ${broker}: connection() returned ${shownValue(made)}. Return the result of ${how}`,
  );
}

/** Milliseconds that a client retries before a warning. */
const QUIET_MS = 2_000;

/** Warns once while a client has no connection, because clients of brokers retry silently. An abort ends it. */
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
    // A failed attempt does not start another absence.
    if (this.timer || this.signal.aborted) return;
    const warn = () => console.warn(`${this.who} for ${QUIET_MS / 1000} s. Its client keeps trying`);
    later((this.timer = new Subscription()), this.clock, warn, QUIET_MS);
  };

  readonly ends = (): void => {
    this.timer?.unsubscribe();
    this.timer = null;
  };
}
