/** Levels, capacities and distances of the bins (paper section 4.1, spec section 2). */
import { describe, expect, test } from 'vitest';
import { capacity, exponentFor, hierarchy, levelAt, LOCAL_LEVEL, requestSize, supervisorDistance } from './bins.js';

test('the level of a depth is how often two divides it', () => {
  expect([1, 2, 3, 4, 6, 8, 12, 16].map(levelAt)).toEqual([0, 1, 0, 2, 1, 3, 2, 4]);
});

describe('the exponent of Lambda: the largest e with 2^e · 2U · lg(U+1) <= W', () => {
  test.each([
    { U: 7, W: 42, exponent: 0 },
    { U: 7, W: 41, exponent: -1 },
    { U: 7, W: 84, exponent: 1 },
    { U: 2 ** 29 - 1, W: 2 * (2 ** 29 - 1) * 29, exponent: 0 },
    { U: 4, W: 1, exponent: -5 },
  ])('U = $U, W = $W', ({ U, W, exponent }) => expect(exponentFor(W, U)).toBe(exponent));

  test('without waste there is none, and every capacity is one (E5)', () => {
    expect(exponentFor(0, 7)).toBeNull();
    expect([LOCAL_LEVEL, 0, 5].map((level) => capacity(hierarchy(0, 7), level))).toEqual([1, 1, 1]);
  });
});

test('a capacity is one or half that of the supervisor, its gift (Lemma 4.1.3, E4)', () => {
  const scale = { exponent: -1 };
  expect([LOCAL_LEVEL, 0, 1, 2, 3].map((level) => capacity(scale, level))).toEqual([1, 1, 1, 2, 4]);
  expect([0, 1, 2, 3].map((level) => requestSize(scale, level))).toEqual([1, 1, 1, 2]);
});

test('a supervisor is at most 1 hop from a local bin, 2^l or 3 · 2^l from level l', () => {
  for (let depth = 1; depth <= 64; depth++) {
    expect(supervisorDistance(LOCAL_LEVEL, depth)).toBe(depth % 2 === 1 ? 0 : 1);
    const level = levelAt(depth);
    const distance = supervisorDistance(level, depth);
    expect([2 ** level, 3 * 2 ** level]).toContain(distance);
    expect(depth === distance || levelAt(depth - distance) === level + 1).toBe(true);
  }
});
