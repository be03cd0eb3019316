/** The error for a trace that was given to a command that does not accept traces. It names the commands that do. */
import { isObject } from '../machines/checks.js';
import { UsageError } from '../machines/errors.js';
import { TRACE_VERSION, type TraceHeader } from '../network/trace.js';

/** True for the header of a trace of this version. */
export const isTraceHeader = (value: unknown): value is Partial<TraceHeader> =>
  isObject(value) && value['quiver'] === TRACE_VERSION;

/** Parses the header of a trace. Returns `null` if the line is not one. */
export function traceHeaderIn(line: string): Partial<TraceHeader> | null {
  try {
    const header: unknown = JSON.parse(line);
    return isTraceHeader(header) ? header : null;
  } catch {
    return null;
  }
}

/** The error for a trace in a place where it cannot be used. `isNot` completes the sentence "The file is a trace and". */
export function unexpectedTrace(path: string, { live, scenario }: Partial<TraceHeader>, isNot: string): UsageError {
  const what = live ? 'is a recording of live programs' : 'is a trace';
  const again = live ? [] : [`npx quiver replay ${path} to run it again`];
  const more = isObject(scenario) ? [...again, `npx quiver verify ${path} to check it`] : [];
  const ways = [`npx quiver explore ${path} to view it`, ...more];
  return new UsageError(`${path} ${what} and ${isNot}. Use ${ways.join(' or ')}.`);
}
