import { expect, test } from 'vitest';
import { bytesOfLocks, bytesOfRecords } from './room.js';

const want = (node: string, lock: string) => ({ node, lock });

test('a lock that several clients want is recorded once, with the longest of their ids', () => {
  const [one, long] = [want('x', 'l'), want('a client with a long id', 'l')];
  const alone = bytesOfRecords({ id: 'a', wants: [long] });
  expect(alone).toBeGreaterThan(bytesOfRecords({ id: 'a', wants: [one] }));
  expect(bytesOfRecords({ id: 'a', wants: [one, long] })).toBe(alone);
  expect(bytesOfRecords({ id: 'a', wants: [long, one] })).toBe(alone);
  expect(bytesOfRecords({ id: 'a', wants: [long, want('x', 'm')] })).toBeGreaterThan(alone);
});

test('locks that only the voter itself wants are not recorded', () => {
  expect(bytesOfRecords({ id: 'a', wants: [want('a', 'l')] })).toBe(0);
});

test('a lock takes the bytes of its name as JSON, and of the longest id of a voter', () => {
  const [plain, escaped] = [bytesOfLocks(['abcdef'], ['a']), bytesOfLocks(['\u0001bcdef'], ['a'])];
  expect(escaped - plain).toBe(5);
  expect(bytesOfLocks(['abcdef'], ['a', 'a longer one']) - plain).toBe(11);
  expect(bytesOfLocks(['abcdef', 'abcdef'], ['a'])).toBe(2 * plain);
});
