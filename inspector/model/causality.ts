/** What could have influenced a step, and what it could influence: Lamport's happened-before, read from the vector clocks. */
import type { Recording } from './recording.js';

export type Relation = 'self' | 'before' | 'after' | 'concurrent';

/** How another line stands to the step at `line`, as a function, so that the step's clock is read once. */
export function relationTo(recording: Recording, line: number): (other: number) => Relation {
  const node = recording.nodeOf(line);
  const clock = recording.line(line).clock;
  const name = recording.nodes.names[node];
  const own = name === undefined ? 0 : (clock[name] ?? 0);
  return (other) => {
    if (other === line) return 'self';
    const otherName = recording.nodes.names[recording.nodeOf(other)];
    if (name === undefined || otherName === undefined) return 'concurrent';
    if (name === otherName) return other < line ? 'before' : 'after';
    const otherClock = recording.line(other).clock;
    const count = otherClock[otherName] ?? 0;
    if (count > 0 && count <= (clock[otherName] ?? 0)) return 'before';
    return own > 0 && (otherClock[name] ?? 0) >= own ? 'after' : 'concurrent';
  };
}
