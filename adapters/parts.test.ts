import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPart, partsOf, Whole } from './parts.js';

const message = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.jsonValue());

test('every message arrives unchanged, in parts of any length that split no character', () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 1 }), fc.integer({ min: 2, max: 50 }), (messages, length) => {
      const whole = new Whole(10_000);
      const got = messages.flatMap((sent) => {
        const parts = [...partsOf(JSON.stringify(sent), length)];
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(length + 1);
          expect(isPart(part)).toBe(true);
          expect(part).not.toMatch(/\p{Cs}/u);
        }
        return parts.map((part) => whole.take(part)).filter((reading) => reading !== null);
      });
      expect(JSON.stringify(got)).toBe(JSON.stringify(messages.map((value) => ({ value }))));
    }),
  );
});

test('a message without an end is not stored, and the next one arrives', () => {
  const whole = new Whole(1_000);
  for (let i = 0; i < 100; i++) expect(whole.take(`+${'x'.repeat(100)}`)).toBe(null);
  expect((whole as unknown as { parts: string[] }).parts.length).toBeLessThanOrEqual(10);
  expect(whole.take('="between"')).toEqual({ value: 'between' });
  expect(whole.take('-x')).toMatchObject({ refused: 'its 10001 characters are over the limit of 1000 bytes' });
  expect(whole.take('="sound"')).toEqual({ value: 'sound' });
});

test.each([7, null, {}, [], '', 'x', { v: 2 }])('%j is not a part', (body) => {
  expect(isPart(body)).toBe(false);
});

test('a text that fits is whole, a longer one has two parts, and pairs stay together', () => {
  expect([...partsOf('abcd', 4)]).toEqual(['=abcd']);
  expect([...partsOf('abcde', 4)]).toEqual(['+abcd', '-e']);
  expect([...partsOf('abcdefgh', 4)]).toEqual(['+abcd', '-efgh']);
  expect([...partsOf('abc😀d', 4)]).toEqual(['+abc', '-😀d']);
  expect([...partsOf('abc\uD83Dd', 4)]).toEqual(['+abc\uD83D', '-d']);
  expect([...partsOf('abcd\uDE00', 4)]).toEqual(['+abcd', '-\uDE00']);
});

test('a message of the maximum length is read, a longer one is not', () => {
  const whole = new Whole(6);
  expect([whole.take('+"abc'), whole.take('-d"')]).toEqual([null, { value: 'abcd' }]);
  expect([whole.take('+"abc'), whole.take('-de"')]).toEqual([
    null,
    { refused: 'its 7 characters are over the limit of 6 bytes' },
  ]);
});
