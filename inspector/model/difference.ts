/** Where two runs part: the first line that is not the same in both. */
import type { ReadTrace } from './recording.js';

/** `null` where one is the whole other, or both are the same. */
export function firstDifference(a: ReadTrace, b: ReadTrace): number | null {
  const first = Math.max(a.first, b.first);
  const end = Math.min(a.end, b.end);
  for (let line = first; line < end; line++) if (a.textOf(line) !== b.textOf(line)) return line;
  return a.end === b.end ? null : end;
}
