/** The kinds of topology that change over time: their checked parameters and their contacts. */
import { TICKS_MAX } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import { placeIn, readFields, readInteger, readNumber, type Fields } from '../scenario/read.js';
import { churn } from './churn.js';
import type { Contact } from './contacts.js';
import { walkers } from './walkers.js';

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
  contacts(parameters: any): Contact[];
}

export const movingKinds: Readonly<Record<string, Moving>> = {
  churn: { parameters: { ...common, birth: chance, death: chance }, contacts: churn },
  walkers: {
    parameters: { ...common, radius: length, speed: length, turn: (value, place) => chance(value ?? 0.1, place) },
    contacts: walkers,
  },
};

/** The topology starts without links: all links come with the contacts. */
export function ofMovingKind(name: string, spec: Fields, place: string) {
  const { parameters, contacts } = movingKinds[name]!;
  const known = Object.keys(parameters);
  const fields = readFields(spec, place, ['kind', ...known]);
  const read = Object.fromEntries(known.map((key) => [key, parameters[key]!(fields[key], placeIn(place, key))]));
  const { n, steps, every } = read as { n: number; steps: number; every: number };
  if (n * n * steps > 2 * CHECKS_MAX)
    throw new UsageError(`${place} of kind ${name} takes too long to compute. Lower n or steps.`);
  if (every * steps > TICKS_MAX)
    throw new UsageError(`${place} of kind ${name} continues beyond tick ${TICKS_MAX}. Lower every or steps.`);
  return { nodes: Array.from({ length: n }, (_, i) => `n${i}`), links: [], contacts: contacts(read) };
}
