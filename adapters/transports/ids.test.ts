import { expect, test } from 'vitest';
import { evil } from './ids.fixture.js';
import { checkId, isId, refusedId } from './ids.js';

test('readable names are ids', () => {
  for (const id of ['printer 3', 'ä b', '日本', 'a.*>', '😀', 'x'.repeat(255)]) expect(isId(id)).toBe(true);
});

test.each(evil)('an id is invalid: %s', (_, id) => {
  expect(isId(id)).toBe(false);
  expect(() => checkId(id, 'the id of a transport')).toThrow(
    /^the id of a transport cannot be ".*": .*. Pass a non-empty string of/s,
  );
});

test.each<[unknown, string]>([
  [7, 'it is 7. It is not a string'],
  ['', 'it is empty'],
  ['x'.repeat(256), 'its 256 characters are over the limit of 255'],
  ['a\nb', 'it has a control or format character, or half a character'],
  ['a\u202Eb', 'it has a control or format character, or half a character'],
  ['\uD800', 'it has a control or format character, or half a character'],
  ['a\uFE0F', 'it has an invisible character'],
  [' a', 'it begins or ends with a space, or has an uncommon space or line break'],
  ['a ', 'it begins or ends with a space, or has an uncommon space or line break'],
  ['a\u00A0b', 'it begins or ends with a space, or has an uncommon space or line break'],
  ['e\u0301', 'it is not in Unicode NFC (use `id.normalize()`)'],
  ['toString', 'every JavaScript object has a property of that name'],
])('%j is refused with its reason', (id, why) => {
  expect(refusedId(id)).toBe(why);
});

test('an error quotes the value and describes a valid id', () => {
  expect(() => checkId('a\nb', 'a member')).toThrow(
    'a member cannot be "a\\u{a}b": it has a control or format character, or half a character. Pass a non-empty string of at most 255 characters',
  );
  expect(() => checkId('a b', 'a member')).not.toThrow();
});
