/** The history of one value of a context around a line: the lines that changed it. */
import { lastAtMost } from './columns.js';
import type { ReadTrace } from './recording.js';
import { fieldsOf } from '../../machines/checks.js';

export interface ValueChange {
  /** The line that set the value. */
  readonly line: number;
  /** As JSON; `null` where the role was closed, or had no such key. */
  readonly value: string | null;
}

export interface ValueHistory {
  readonly changes: readonly ValueChange[];
  /** True if there are steps before or after that were not searched. */
  readonly before: boolean;
  readonly after: boolean;
}

/** The most steps of the role that are searched in each direction. */
const STEPS_MAX = 2000;

export function historyOf(recording: ReadTrace, node: number, role: string, key: string, line: number): ValueHistory {
  const { lines } = recording.slotsOf[node]?.find((slot) => slot.role === role) ?? { lines: [] };
  const here = lastAtMost(lines, line);
  const [first, end] = [Math.max(here - STEPS_MAX, 0), Math.min(here + STEPS_MAX + 1, lines.length)];
  const changes: ValueChange[] = [];
  for (const at of lines.slice(first, end)) {
    const value = valueAt(recording, at, role, key);
    if (changes.length === 0 || changes.at(-1)!.value !== value) changes.push({ line: at, value });
  }
  return { changes, before: first > 0, after: end < lines.length };
}

function valueAt(recording: ReadTrace, line: number, role: string, key: string): string | null {
  const context = recording.step(line)?.roles[role]?.context;
  const fields = fieldsOf(context);
  return Object.hasOwn(fields, key) ? (JSON.stringify(fields[key]) ?? null) : null;
}

/** The change that determines the value after a line; -1 before the first one. */
export const changeAt = ({ changes }: ValueHistory, line: number): number =>
  lastAtMost(
    changes.map((change) => change.line),
    line,
  );
