/**
 * The first keys of an object, and how many it has.
 *
 * JavaScript lists all keys of an object or none, which takes milliseconds where there are fifty thousand. So the first ones of a large
 * object are remembered for as many looks as pay for listing them all again. What they hold is read at every look.
 */

interface Keys {
  readonly first: readonly string[];
  /** Of a large object, how many there were when they were listed. */
  readonly count: number;
}

/** An object with more is a large one. */
const SMALL_MAX = 2_000;
/** To list so many keys costs less than to look at one object. */
const LISTED_IN_A_LOOK = 100;

const large = new WeakMap<object, Keys & { looks: number }>();

/** As many of the first ones as are asked for, or more. */
export function firstKeys(value: object, wanted: number): Keys {
  const known = wanted <= SMALL_MAX ? large.get(value) : undefined;
  if (known && known.looks-- > 0 && isAsListed(value, known)) return known;
  const first = Object.keys(value);
  const count = first.length;
  if (wanted > SMALL_MAX || count <= SMALL_MAX) return { first, count };
  const keys = { first: first.slice(0, SMALL_MAX), count, looks: count / LISTED_IN_A_LOOK };
  large.set(value, keys);
  return keys;
}

/** Whether nobody has emptied it. */
const isAsListed = (value: object, { first }: Keys): boolean =>
  Object.hasOwn(value, first[0]!) && Object.hasOwn(value, first.at(-1)!);
