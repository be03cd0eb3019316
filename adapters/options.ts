/**
 * Checks for the options of adapters. Each error names the function, the option and the expected value, and is thrown before anything is
 * opened.
 *
 *     checkOptions('createThing', options, { transport, peers, name: optional(text), ...environment });
 */
import { fieldsOf, isIntegerOf, isObject } from '../machines/checks.js';
import { isCount } from '../machines/shapes.js';
import { UsageError } from '../machines/errors.js';
import { shownValue, unknownWord } from '../network/scenario/read.js';
import { checkId, refusedId } from './transports/ids.js';

/** The check of one option: which values it accepts, and what is wrong with others. */
export interface Check {
  /** Expected value, as in an error: `Pass …`. */
  readonly must: string;
  readonly isOptional?: true;
  /** Explains what is wrong with the value, as a predicate for the option's name; `null` if it is valid. */
  refused(value: unknown): string | null;
}

const isNumber = (value: unknown, min: number, max: number): boolean => typeof value === 'number' && value >= min && value <= max;

const shown = (value: unknown): string =>
  value instanceof Promise ? 'a promise, which is to be awaited first' : shownValue(value);

/** Check with a predicate. `words` describes the expected value. */
export const must = (words: string, isGood: (value: unknown) => boolean): Check => ({
  must: words,
  refused: (value) => (isGood(value) ? null : `is ${shown(value)}`),
});

export const optional = (check: Check): Check => ({ ...check, isOptional: true });

export const hasMethods = (value: unknown, ...methods: readonly string[]): boolean =>
  (typeof value === 'object' || typeof value === 'function') &&
  value !== null &&
  methods.every((method) => typeof fieldsOf(value)[method] === 'function');

export const someText = must('a text', (value) => typeof value === 'string' && value !== '');
export const anything = must('anything', () => true);
export const flag = must('true or false', (value) => typeof value === 'boolean');
export const signal = must('an AbortSignal', (value) => hasMethods(value, 'addEventListener', 'throwIfAborted'));
export const atLeast = (min: number, unit: string): Check =>
  must(`a number of ${unit}, at least ${min}`, (value) => typeof value === 'number' && Number.isFinite(value) && value >= min);
/** Longest delay of a platform timer. A longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;
export const milliseconds = (min: number): Check =>
  must(`a number of milliseconds from ${min} to ${TIMER_MS_MAX}`, (value) => isNumber(value, min, TIMER_MS_MAX));
/** Whole numbers, such as heartbeats and ticks: charts count in integers. */
export const wholeNumberOf = (unit: string): Check =>
  must(`a whole number of ${unit} from 1 to ${TIMER_MS_MAX}`, (value) => isIntegerOf(value, 1, TIMER_MS_MAX));
/** Throws a `UsageError` if the product of several options exceeds the longest timer. */
export function checkMilliseconds(what: string, ms: number): void {
  const check = milliseconds(1);
  const why = check.refused(ms);
  if (why !== null) throw new UsageError(`${what} ${why}. Pass less of either, for ${check.must}`);
}
export const port = must(
  'a port from 0 to 65535, where 0 takes any free one',
  (value) => Number.isInteger(value) && isNumber(value, 0, 65_535),
);
/** True for a class or constructor function, false for an arrow function. */
export const isClass = (value: unknown): boolean => typeof value === 'function' && value.prototype !== undefined;
/** A count, such as a number of permits. */
export const wholeNumber = must('a whole number of at least 0', isCount);
export const eachOf = (what: string, isGood: (value: unknown) => boolean): Check =>
  must(`a list of ${what}`, (value) => Array.isArray(value) && value.every(isGood));

/** Checks the id of a peer. `checkId` throws the error. */
export const id: Check = {
  must: 'a text that names this peer',
  refused: (value) => {
    checkId(value, 'the id of a transport');
    return null;
  },
};

/** Checks a list with the ids of all peers. */
export const peers: Check = {
  must: "the ids of all peers, as in ['a', 'b', 'c']",
  refused: (value) => {
    if (!Array.isArray(value)) return `is ${shown(value)}`;
    const wrong = value.findIndex((peer) => refusedId(peer) !== null);
    if (wrong >= 0) return `has ${shown(value[wrong])} at place ${wrong}: ${refusedId(value[wrong])}`;
    const twice: string | undefined = value.find((peer, i) => value.indexOf(peer) < i);
    if (twice !== undefined) return `contains ${shown(twice)} twice`;
    return value.length === 0 ? 'is empty' : null;
  },
};

export const isTransport = (value: unknown): boolean => isObject(value) && isObject(value['guarantees']);
export const transport = must('a transport, as in linked(webSocket({ id, url }), { peers })', isTransport);

export const storage = must("a storage for the state of a peer, as in folderStorage('/var/lib/printers/a')", (value) =>
  hasMethods(value, 'load', 'save'),
);

/** Locks that persist quotas, names and registers. */
export const someLocks = must('locks from createLocks', (value) => hasMethods(value, 'request', 'close'));

/** Checks of the options `clock` and `crypto`, the sources of time and randomness. */
export const environment = {
  clock: optional(must('a scheduler of RxJS', (value) => hasMethods(value, 'now', 'schedule'))),
  crypto: optional(must("Web Crypto, as the platform's own", (value) => hasMethods(value, 'getRandomValues', 'randomUUID'))),
};

/** Throws a `UsageError` for an option that is missing, wrong or unknown. */
export function checkOptions(who: string, options: unknown, checks: Readonly<Record<string, Check>>): void {
  const known = Object.keys(checks);
  const needed = known.filter((key) => !checks[key]!.isOptional);
  if (!isObject(options)) {
    const advice = needed.length === 0 ? `Omit them, or pass some of ${known.join(', ')}` : `Pass { ${needed.join(', ')} }`;
    throw new UsageError(`${who} takes its options as an object. ${advice}`);
  }
  for (const key of Object.keys(options)) if (!known.includes(key)) throw unknownWord(`${who} has no option ${key}`, key, known);
  for (const [key, check] of Object.entries(checks)) {
    const value = options[key];
    if (value === undefined && check.isOptional) continue;
    const why = value === undefined ? 'is missing' : check.refused(value);
    if (why !== null) throw new UsageError(`${who}: ${key} ${why}. Pass ${check.must}`);
  }
}
