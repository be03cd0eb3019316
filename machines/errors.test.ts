/** The conversion of thrown values to errors and texts. */
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { asError, thrownText } from './errors.js';

test.each([new Error('no'), new DOMException('no'), runInNewContext('new TypeError("no")')])(
  'an error stays as it is: %s',
  (error) => {
    expect(asError(error)).toBe(error);
    expect(thrownText(error)).toBe('no');
  },
);

test.each([
  ['a text', '"a text" was thrown, which is not an Error'],
  [undefined, 'undefined was thrown, which is not an Error'],
  [{ message: 'no' }, '{"message":"no"} was thrown, which is not an Error'],
])('another value is shown: %s', (thrown, text) => {
  expect(asError(thrown).message).toBe(text);
  expect(thrownText(thrown)).toBe(text);
});
