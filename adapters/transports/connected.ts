/** A connection to a broker that the application makes: what its function gives, or a `ConnectionError` that says what it gave instead. */
import { shownValue } from '../../network/scenario/read.js';
import { ConnectionError } from './errors.js';
import { saidBy } from './reading.js';

/** `how` names what is to be returned, `cure` what helps where the broker is not there. */
export async function connectedBy<C extends object>(
  connection: () => C | Promise<C>,
  who: string,
  broker: string,
  how: string,
  cure: string,
): Promise<C> {
  let made: unknown;
  try {
    made = await connection();
  } catch (error) {
    throw new ConnectionError(`${who} has no connection to ${broker}: ${saidBy(error)}; ${cure}`, { cause: error });
  }
  if (typeof (made as { subscribe?: unknown } | null | undefined)?.subscribe === 'function') return made as C;
  throw new ConnectionError(
    `${who} was given no connection to ${broker}: connection() gave ${shownValue(made)}; return what ${how} gives`,
  );
}
