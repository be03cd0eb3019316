/** Values from fast-check for every transport: they must arrive unchanged, and are the same in every run. */
import fc from 'fast-check';
import type { Json } from './transport.js';

/** Names with a meaning in JavaScript or in frames are frequent keys. */
const key = fc.oneof(
  fc.string(),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'type', 'from', 'to', 'message', 'v', 'name'),
);

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json' },
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    // As from a parser: `__proto__` is an ordinary key.
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((pairs) => JSON.parse(objectText(pairs)) as unknown),
  ),
}));

const objectText = (pairs: readonly (readonly [string, unknown])[]): string =>
  `{${pairs.map(([name, inner]) => `${JSON.stringify(name)}:${JSON.stringify(inner)}`).join()}}`;

export const fuzz = fc.sample(value, { numRuns: 150, seed: 9 }) as Json[];
