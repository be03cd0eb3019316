import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { envelopeOf, envelopeSchema, isVersioned, refusal } from './envelope.js';

const schema = Compile(envelopeSchema);

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('', 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(512), '😀'.repeat(512), 'x'.repeat(513)),
);
const nearly = fc.record(
  {
    v: fc.constantFrom<unknown>(1, 2, '1', null),
    name: fc.oneof(text, fc.jsonValue()),
    message: fc.oneof(fc.record({ type: text, more: fc.jsonValue() }, { requiredKeys: [] }), fc.jsonValue()),
    extra: fc.constant(1),
  },
  { requiredKeys: [] },
);
const likely = fc.record({
  v: fc.constant(1),
  name: fc.string({ minLength: 1 }),
  message: fc.record({ type: fc.constant('find'), hops: fc.jsonValue() }),
});

test.each([
  [{ v: 2, name: 'x', message: { type: 'find' } }, /uses version 2/],
  [{ v: 1, name: '', message: { type: 'find' } }, /its name/],
  [{ v: 1, name: 'x', message: { type: 7 } }, /no type/],
  [{ v: 1, name: 'x', message: { type: 'find' }, to: 'all' }, /field "to"/],
  ['hello', /not an envelope/],
])('%j is refused with its reason', (value, reason) => {
  expect(refusal(value as never)).toMatch(reason);
});

test('a message of a node is an envelope with the version of this release', () => {
  const envelope = envelopeOf('locks', { type: 'find' });
  expect(envelope).toEqual({ v: 1, name: 'locks', message: { type: 'find' } });
  expect(refusal(envelope)).toBeNull();
});

test('a value with the fields of an envelope is versioned, others are application data', () => {
  const parts = { v: 7, name: 1, message: null };
  expect(isVersioned(parts as never)).toBe(true);
  const { v, name, message } = parts;
  expect([{ v, name }, { v, message }, { name, message }, 'x', [1], null].filter((value) => isVersioned(value as never))).toEqual(
    [],
  );
});

test.each([
  [
    { v: '1', name: 'x', message: { type: 'find' } },
    'it uses version 1 of the wire format, this peer 1. Run the same release on both',
  ],
  [{ v: 1, name: 'x'.repeat(513), message: { type: 'find' } }, 'its name is not a string of 1 to 512 characters'],
  [{ v: 1, name: '😀'.repeat(513), message: { type: 'find' } }, 'its name is not a string of 1 to 512 characters'],
  [{ v: 1, name: 'x', message: { type: 'x'.repeat(65) } }, 'its message has no type'],
  [{ v: 1, name: 'x', message: 'find' }, 'its message has no type'],
  [{ v: 1, name: '😀'.repeat(512), message: { type: '😀'.repeat(64) } }, null],
])('case %#: refused with the exact reason', (value, reason) => {
  expect(refusal(value as never)).toBe(reason);
});

test('the check and the published schema agree on every value', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), nearly, likely), (value) => {
      const isEnvelope = schema.Check(value);
      accepted += isEnvelope ? 1 : 0;
      expect(refusal(value as never) === null).toBe(isEnvelope);
    }),
    { numRuns: 5_000 },
  );
  expect(accepted).toBeGreaterThan(500);
});
