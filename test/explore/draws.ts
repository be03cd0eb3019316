/** Runs a function once for every sequence of random numbers that it can draw, so that the checker tries all of them. */
import { ProtocolError } from '../../machines/errors.js';
import type { Choose } from '../../machines/protocol.js';

export interface DrawOutcome<T> {
  readonly value: T;
  /** The answers, in order. */
  readonly drawn: readonly number[];
}

/** Runs `run` for every sequence of answers to its draws, in lexicographic order, each time from the start. */
export function* everyDraw<T>(run: (choose: Choose) => T, where: string): Generator<DrawOutcome<T>> {
  const drawn: number[] = [];
  const bounds: number[] = [];
  do {
    let answered = 0;
    const value = run((bound) => {
      if (!Number.isSafeInteger(bound) || bound < 1) {
        throw new ProtocolError(`${where} draws below ${bound}. Pass a whole number of at least 1 as the bound.`);
      }
      if (answered === drawn.length) {
        drawn.push(0);
        bounds.push(bound);
      } else if (bounds[answered] !== bound) {
        throw new ProtocolError(
          `${where} draws below ${bound}, but drew below ${bounds[answered]} in the same situation before. Make the chart pure.`,
        );
      }
      return drawn[answered++]!;
    });
    yield { value, drawn: drawn.slice() };
  } while (advance(drawn, bounds));
}

/** Increments the last answer that is not at its maximum and removes those after it. */
function advance(drawn: number[], bounds: number[]): boolean {
  while (drawn.length > 0 && drawn[drawn.length - 1]! + 1 === bounds[bounds.length - 1]) {
    drawn.pop();
    bounds.pop();
  }
  if (drawn.length === 0) return false;
  drawn[drawn.length - 1]!++;
  return true;
}
