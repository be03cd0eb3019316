/** The report of a run: the same shape on the command line, in the library and in the inspector. */
import type { Meter, PropertyResult } from '../machines/protocol.js';

/**
 * `invalid` if a property is refuted, `unknown` if the run or search ended before it could decide, else `valid`.
 *
 * @public
 */
export type Verdict = 'valid' | 'invalid' | 'unknown';

/**
 * The report of a run: the same shape on the command line, in the library and in the inspector.
 *
 * @public
 */
export interface Report {
  readonly verdict: Verdict;
  readonly seed: number;
  /** Ticks of virtual time at the end. */
  readonly at: number;
  /** How many messages were sent. */
  readonly messages: { readonly total: number; readonly byType: Readonly<Record<string, number>> };
  readonly properties: readonly PropertyResult[];
  /** Measured costs, compared with the bounds of the papers. */
  readonly meters: readonly Meter[];
  readonly summary: Readonly<Record<string, unknown>>;
}

/** `invalid` if a property is violated, `unknown` if the run was cut off before it came to rest. */
export function overallVerdict(properties: readonly PropertyResult[], cutOff: boolean): Verdict {
  if (properties.some(({ holds }) => holds === false)) return 'invalid';
  return cutOff ? 'unknown' : 'valid';
}
