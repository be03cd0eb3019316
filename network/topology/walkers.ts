/**
 * Random walkers with a radio: points in the unit square that go straight, turn at random, and bounce off the walls. Two of them are linked
 * while they are within each other's range.
 *
 * Directions come from a table of the compass, not from `Math.cos`, so that a walk is the same on every platform.
 */
import { Random } from '../random.js';
import type { Contact } from './contacts.js';
import { closePairs } from './random-graphs.js';

export interface Walkers {
  readonly n: number;
  /** The range of the radios. */
  readonly radius: number;
  /** Distance of a walker's step. */
  readonly speed: number;
  /** Probability of a new direction after a step. */
  readonly turn: number;
  /** Ticks from one step to the next. */
  readonly every: number;
  readonly steps: number;
  readonly seed: number;
}

const DIAGONAL = Math.SQRT1_2;
const COMPASS = [
  [1, 0],
  [DIAGONAL, DIAGONAL],
  [0, 1],
  [-DIAGONAL, DIAGONAL],
  [-1, 0],
  [-DIAGONAL, -DIAGONAL],
  [0, -1],
  [DIAGONAL, -DIAGONAL],
] as const;

export function walkers({ n, radius, speed, turn, every, steps, seed }: Walkers): Contact[] {
  const random = new Random(seed, 'walkers');
  const direction = (): readonly [number, number] => random.pick(COMPASS);
  const walking = Array.from({ length: n }, () => ({ x: random.unit(), y: random.unit(), to: direction() }));
  const contacts: Contact[] = [];
  for (let step = 0; step < steps; step++) {
    const points = walking.map(({ x, y }) => [x, y] as const);
    for (const [i, j] of closePairs(points, radius)) contacts.push({ at: step * every, i: `n${i}`, j: `n${j}` });
    for (const walker of walking) {
      const [dx, dy] = walker.to;
      const [x, y] = [walker.x + speed * dx, walker.y + speed * dy];
      walker.x = within(x);
      walker.y = within(y);
      walker.to = random.chance(turn) ? direction() : [x === walker.x ? dx : -dx, y === walker.y ? dy : -dy];
    }
  }
  return contacts;
}

/** Reflects a coordinate at the walls. */
const within = (place: number): number => (place < 0 ? Math.min(1, -place) : place > 1 ? Math.max(0, 2 - place) : place);
