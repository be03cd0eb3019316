/** The causes and effects of a step: Lamport's happened-before relation, read from the vector clocks. */
import { lastAtMost } from './columns.js';
import type { ReadTrace } from './recording.js';

export type Relation = 'self' | 'before' | 'after' | 'concurrent';

/** The relation of another line to the step at `line`, as a function, so that the step's clock is read once. */
export function relationTo(recording: ReadTrace, line: number): (other: number) => Relation {
  const node = recording.nodeOf(line);
  const clock = recording.line(line).clock;
  const name = recording.nodes.names[node];
  const own = name === undefined ? 0 : (clock[name] ?? 0);
  const [from, to] = gapsAround(recording, line);
  return (other) => {
    if (other === line) return 'self';
    // Causes that passed through other nodes in between are unknown.
    if (other < from) return 'before';
    if (other > to) return 'after';
    const otherName = recording.nodes.names[recording.nodeOf(other)];
    if (name === undefined || otherName === undefined) return 'concurrent';
    if (name === otherName) return other < line ? 'before' : 'after';
    const otherClock = recording.line(other).clock;
    const count = otherClock[otherName] ?? 0;
    if (count > 0 && count <= (clock[otherName] ?? 0)) return 'before';
    return own > 0 && (otherClock[name] ?? 0) >= own ? 'after' : 'concurrent';
  };
}

/** The last gap before a line and the first one after it. */
function gapsAround({ gaps }: ReadTrace, line: number): readonly [number, number] {
  const before = lastAtMost(gaps, line);
  return [gaps[before] ?? -1, gaps[before + 1] ?? Infinity];
}
