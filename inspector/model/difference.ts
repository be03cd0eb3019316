/** The first difference between two runs. */
import type { ReadTrace } from './recording.js';
import { sentence } from './words.js';

/** The first line that differs between both, byte for byte; `null` if there is none. */
export const firstDifference = (a: ReadTrace, b: ReadTrace): number | null =>
  firstUnlike(a, b, (line) => a.textOf(line) === b.textOf(line));

/** The first line with a different event. Different options appear in every line and have no effect at first. */
export const firstOtherStep = (a: ReadTrace, b: ReadTrace): number | null =>
  firstUnlike(
    a,
    b,
    (line) =>
      a.textOf(line) === b.textOf(line) || (a.at(line) === b.at(line) && sentence(a.line(line)) === sentence(b.line(line))),
  );

function firstUnlike(a: ReadTrace, b: ReadTrace, isSame: (line: number) => boolean): number | null {
  const first = Math.max(a.first, b.first);
  const end = Math.min(a.end, b.end);
  for (let line = first; line < end; line++) if (!isSame(line)) return line;
  return a.end === b.end ? null : end;
}
