/** Branching over chance: whatever draws its answers from a `Choose` can be run once for every way in which they can fall. */
import { ProtocolError } from '../../machines/errors.js';
import type { Choose } from '../../machines/protocol.js';

export interface DrawOutcome<T> {
  readonly value: T;
  /** The answers given, in order. */
  readonly drawn: readonly number[];
}

/** Runs `run` for every sequence of answers to its draws, in lexicographic order, each time from the start. */
export function* everyDraw<T>(run: (choose: Choose) => T, where: string): Generator<DrawOutcome<T>> {
  const drawn: number[] = [];
  const bounds: number[] = [];
  do {
    let asked = 0;
    const value = run((bound) => {
      if (!Number.isSafeInteger(bound) || bound < 1) {
        throw new ProtocolError(`${where} draws below ${bound}; the bound of a draw is a whole number of at least 1`);
      }
      if (asked === drawn.length) {
        drawn.push(0);
        bounds.push(bound);
      } else if (bounds[asked] !== bound) {
        throw new ProtocolError(`${where} draws below ${bound} where it drew below ${bounds[asked]} before; charts are pure`);
      }
      return drawn[asked++]!;
    });
    yield { value, drawn: drawn.slice() };
  } while (advance(drawn, bounds));
}

/** Counts up the last answer that can be counted up and forgets those after it. */
function advance(drawn: number[], bounds: number[]): boolean {
  while (drawn.length > 0 && drawn[drawn.length - 1]! + 1 === bounds[bounds.length - 1]) {
    drawn.pop();
    bounds.pop();
  }
  if (drawn.length === 0) return false;
  drawn[drawn.length - 1]!++;
  return true;
}
