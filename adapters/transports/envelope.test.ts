import { expect, test } from 'vitest';
import { envelopeOf, isVersioned, refusal } from './envelope.js';

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
