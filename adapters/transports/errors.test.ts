import { expect, test } from 'vitest';
import * as errors from './errors.js';

test('the name of each error is that of its class', () => {
  const { BackpressureError, ...others } = errors;
  const made = Object.entries(others).map(([name, Made]) => [name, new Made('what there is').name]);
  expect(made).toEqual(Object.keys(others).map((name) => [name, name]));
  expect(new BackpressureError('too much waits', 'b')).toMatchObject({ name: 'BackpressureError', peer: 'b' });
});

test('a lost lock may be requested again unless its locks ended, with advice', () => {
  const { LostError } = errors;
  expect(new LostError('lost')).toMatchObject({
    isRetryable: true,
    message: 'lost. See the page "Locks", section "When a lock is lost"',
  });
  expect(new LostError('lost', { cause: new Error('the end') }).isRetryable).toBe(false);
});
