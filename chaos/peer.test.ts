import { expect, test } from 'vitest';
import { changesMade } from './peer.js';

const removal = { add: null, remove: 'c', number: 1 };
const addition = { add: 'f', remove: null, number: 2 };

test('a peer that made the first change late does not report the second', async () => {
  const ends: (() => void)[] = [];
  const made: number[] = [];
  const receive = changesMade(
    () => new Promise<void>((resolve) => ends.push(resolve)),
    (number) => made.push(number),
  );
  receive(removal);
  receive(removal);
  receive(addition);
  expect(ends).toHaveLength(2);
  ends[0]!();
  await expect.poll(() => made).toEqual([1]);
  ends[1]!();
  await expect.poll(() => made).toEqual([1, 2]);
});

test('a failed peer makes a change when it is requested again, but no earlier change', async () => {
  const asked: (string | null)[] = [];
  const fails: (() => void)[] = [];
  const receive = changesMade(
    ({ add }) => {
      asked.push(add);
      return new Promise<void>((_, reject) => fails.push(() => reject(new Error('closed'))));
    },
    () => {},
  );
  receive(removal);
  receive(addition);
  fails[0]!();
  await Promise.resolve();
  receive(addition);
  expect(asked).toEqual([null, 'f']);
  fails[1]!();
  await expect
    .poll(() => {
      receive(addition);
      return asked;
    })
    .toEqual([null, 'f', 'f']);
});
