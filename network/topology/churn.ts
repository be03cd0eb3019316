/**
 * Edge-Markovian churn: each pair of nodes has a link that appears and disappears independently.
 *
 * In each step an existing link disappears with one probability, and a missing one appears with the other. The first step has the
 * stationary distribution, in which a share birth / (birth + death) of all pairs is linked, so that all times are equal.
 */
import { Random } from '../random.js';
import type { Contact } from './contacts.js';

export interface Churn {
  readonly n: number;
  readonly birth: number;
  readonly death: number;
  /** Ticks from one step to the next. */
  readonly every: number;
  readonly steps: number;
  readonly seed: number;
}

export function churn({ n, birth, death, every, steps, seed }: Churn): Contact[] {
  const random = new Random(seed, 'churn');
  const share = birth + death === 0 ? 0 : birth / (birth + death);
  const linked = Array.from({ length: n }, (_, i) => Array.from({ length: i }, () => random.chance(share)));
  const contacts: Contact[] = [];
  for (let step = 0; step < steps; step++) {
    linked.forEach((row, i) =>
      row.forEach((is, j) => {
        if (is) contacts.push({ at: step * every, i: `n${j}`, j: `n${i}` });
        row[j] = is ? !random.chance(death) : random.chance(birth);
      }),
    );
  }
  return contacts;
}
