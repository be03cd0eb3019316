import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { envelopeSchema, refusal } from './envelope.js';

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

test.each([
  [{ v: 2, name: 'x', message: { type: 'find' } }, /speaks version 2/],
  [{ v: 1, name: '', message: { type: 'find' } }, /its name/],
  [{ v: 1, name: 'x', message: { type: 7 } }, /no type/],
  [{ v: 1, name: 'x', message: { type: 'find' }, to: 'all' }, /field "to"/],
  ['hello', /no envelope/],
])('%j is refused with its reason', (value, reason) => {
  expect(refusal(value as never)).toMatch(reason);
});
