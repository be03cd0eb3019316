import { expect, test } from 'vitest';
import { Rate } from './rate.js';

test('the limit is per second, and saves up to one second', () => {
  let now = 0;
  const rate = new Rate(10, { now: () => now });
  const allowed = (tries: number) => Array.from({ length: tries }, () => rate.allows()).filter(Boolean).length;
  expect(allowed(20)).toBe(10);
  now = 500;
  expect(allowed(20)).toBe(5);
  now = 60_000;
  expect(allowed(20)).toBe(10);
  now = 0;
  expect(allowed(20)).toBe(0);
});

test('a longer saving starts with the capacity of one second', () => {
  let now = 0;
  const rate = new Rate(10, { now: () => now }, 3);
  const allowed = (tries: number) => Array.from({ length: tries }, () => rate.allows()).filter(Boolean).length;
  expect(allowed(20)).toBe(10);
  now = 60_000;
  expect(allowed(50)).toBe(30);
});

test('past events are charged beyond the limit, and the debt is paid first', () => {
  let now = 0;
  const rate = new Rate(10, { now: () => now });
  rate.charge();
  expect(rate.isSpent).toBe(false);
  rate.charge(19);
  expect(rate.isSpent).toBe(true);
  now = 1000;
  expect(rate.allows()).toBe(false);
  now = 1100;
  expect([rate.allows(25), rate.allows()]).toEqual([true, false]);
  now = 3500;
  expect([rate.isSpent, rate.allows()]).toEqual([true, false]);
  now = 3600;
  expect(rate.isSpent).toBe(false);
});

test('time that passes while too much arrives is still saved up', () => {
  let now = 0;
  const rate = new Rate(10, { now: () => now });
  rate.charge(10);
  for (now = 20; now < 100; now += 20) expect(rate.allows()).toBe(false);
  now = 100;
  expect(rate.allows()).toBe(true);
});
