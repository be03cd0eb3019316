/** A file that holds a trace, given to a verb that cannot take it: what it is, and what can be done with it. */
import { isObject } from '../machines/checks.js';
import { UsageError } from '../machines/errors.js';
import { TRACE_VERSION, type TraceHeader } from '../network/trace.js';

/** Whether it is the header of a trace of this version. */
export const isTraceHeader = (value: unknown): value is Partial<TraceHeader> =>
  isObject(value) && value['quiver'] === TRACE_VERSION;

/** The header of a trace by its first line; `null` for what is none. */
export function traceHeaderIn(line: string): Partial<TraceHeader> | null {
  try {
    const header: unknown = JSON.parse(line);
    return isTraceHeader(header) ? header : null;
  } catch {
    return null;
  }
}

/** The complaint about a trace instead of something else. `isNot` says what it is not, or has not. */
export function unexpectedTrace(path: string, { live, scenario }: Partial<TraceHeader>, isNot: string): UsageError {
  const what = live ? 'was saved from live programs: it tells what they did,' : 'is a trace';
  const again = live ? [] : [`quiver replay ${path} runs it again`];
  const ways = isObject(scenario) ? [...again, `quiver verify ${path} checks it`] : [];
  return new UsageError(`${path} ${what} and ${isNot}; ${[`quiver explore ${path} shows it`, ...ways].join(', ')}`);
}
