/** Runs the inspector's query language without a page. A test that was saved from a query uses it to find the matching lines of a run. */
import { recordRun } from '../network/record-run.js';
import type { Scenario } from '../network/scenario/types.js';
import { queryOf } from './model/query.js';
import { ReadTrace } from './model/recording.js';
import { sentence } from './model/words.js';

/**
 * A line of a run that answers a query.
 *
 * @experimental
 */
export interface AnsweringLine {
  /** Counted from 1, as the page counts. */
  readonly line: number;
  /** Ticks of virtual time. */
  readonly at: number;
  /** The event, in words. */
  readonly description: string;
}

/**
 * Runs a scenario and returns the lines of its trace that match a query of the inspector. A test saved from a query expects none.
 *
 * @param scenario the result of `parseScenario`.
 * @param query the text as in the page's query line: `node:n3 state:compete ctx.parent=n5`.
 * @returns the matching lines in their order; an empty list if none matches.
 * @throws UsageError if the query is invalid.
 * @example
 * ```ts
 * import { parseScenario } from 'xstate-quiver/network';
 * import { protocols } from 'xstate-quiver/machines';
 * import { linesThatAnswer } from 'xstate-quiver/check';
 *
 * const json = { protocol: 'directory', topology: { kind: 'ring', n: 4 }, events: [{ at: 0, node: 'n2', do: 'request' }] };
 * console.log(linesThatAnswer(parseScenario(json, protocols), 'node:n2 type:token'));
 * ```
 * @experimental
 */
export function linesThatAnswer(scenario: Scenario, query: string): AnsweringLine[] {
  const { answers } = queryOf(query);
  const recording = new ReadTrace({ lines: Infinity, characters: Infinity });
  for (const line of recordRun(scenario, null, { host: 'snapshots' })) recording.push(`${JSON.stringify(line)}\n`);
  const lines = Array.from({ length: recording.end }, (_, line) => line);
  return lines
    .filter((line) => answers(recording, line))
    .map((line) => ({ line: line + 1, at: recording.at(line), description: sentence(recording.line(line)) }));
}
