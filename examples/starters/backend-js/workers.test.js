import { expect, test } from 'vitest';
import { createStore } from './store.js';
import { createWorkers, work } from './workers.js';

test('three workers send each invoice once, with growing fencing tokens', async () => {
  const store = createStore();
  const workers = createWorkers();
  await Promise.all(workers.map((locks) => work(locks, store, [1, 2, 3])));
  await Promise.all(workers.map((locks) => locks.close()));
  expect(store.sent.map(({ invoice }) => invoice)).toEqual([1, 2, 3]);
  const fences = store.sent.map(({ fence }) => fence);
  expect(fences).toEqual(fences.toSorted((a, b) => a - b));
});

test('a late write of an earlier holder is refused', () => {
  const store = createStore();
  store.send(1, 8);
  expect(() => store.send(2, 7)).toThrow('The fencing token 7 is too old');
});
