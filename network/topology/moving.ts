/** Topologies that change during a run: the parameters of each kind, and the contacts that it generates. */
import { TICKS_MAX } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import { placeIn, readFields, readInteger, readNumber, type Fields } from '../scenario/read.js';
import type { Contact } from './contacts.js';
import { Random } from '../random.js';
import { closePairs } from './random-graphs.js';

/** Limit of pairs times steps, because every pair is visited in every step. */
const CHECKS_MAX = 200_000_000;

type Read = (value: unknown, place: string) => number;

const whole =
  (min: number, fallback?: number): Read =>
  (value, place) =>
    readInteger(value ?? fallback, place, min);
const chance: Read = (value, place) => readNumber(value, place, 'a chance', 0, 1);
const length: Read = (value, place) => readNumber(value, place, 'a number', 0, 2);
const common = { n: whole(1), every: whole(1, 20), steps: whole(1), seed: whole(0, 1) };

interface Moving {
  readonly parameters: Readonly<Record<string, Read>>;
  contacts(parameters: unknown): Contact[];
}

export const movingKinds: Readonly<Record<string, Moving>> = {
  churn: { parameters: { ...common, birth: chance, death: chance }, contacts: churn },
  walkers: {
    parameters: { ...common, radius: length, speed: length, turn: (value, place) => chance(value ?? 0.1, place) },
    contacts: walkers,
  },
};

/** Creates a topology that changes over time. It starts without links, which come with the contacts. */
export function ofMovingKind(name: string, spec: Fields, place: string) {
  const { parameters, contacts } = movingKinds[name]!;
  const known = Object.keys(parameters);
  const fields = readFields(spec, place, ['kind', ...known]);
  const read = Object.fromEntries(known.map((key) => [key, parameters[key]!(fields[key], placeIn(place, key))]));
  const { n = 0, steps = 0, every = 0 } = read;
  if (n * n * steps > 2 * CHECKS_MAX)
    throw new UsageError(`${place} of kind ${name} takes too long to compute. Lower n or steps.`);
  if (every * steps > TICKS_MAX)
    throw new UsageError(`${place} of kind ${name} continues beyond tick ${TICKS_MAX}. Lower every or steps.`);
  return { nodes: Array.from({ length: n }, (_, i) => `n${i}`), links: [], contacts: contacts(read) };
}

/**
 * Edge-Markovian churn: each pair of nodes has a link that appears and disappears independently.
 *
 * In each step an existing link disappears with one probability, and a missing one appears with the other. The first step has the
 * stationary distribution, in which a share birth / (birth + death) of all pairs is linked, so that all times are equal.
 */
interface Churn {
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

/**
 * Random walkers with a radio: points in the unit square that go straight, turn at random, and bounce off the walls. Two of them are linked
 * while they are within each other's range.
 *
 * Directions come from a table of the compass, not from `Math.cos`, so that a walk is the same on every platform.
 */
interface Walkers {
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
