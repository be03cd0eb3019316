/** Semi-synchronous schedules, and Lemma 5.1 on asynchronous ones. */
import { describe, expect, test } from 'vitest';
import { lemma51, semiSynchronous, type LockCalls } from './rounds.js';

const ring = (n: number, seed: number): LockCalls => ({
  topology: { kind: 'ring', n },
  askers: Array.from({ length: n }, (_, i) => `n${i}`),
  changes: [
    ['cut', 'n0', 'n1'],
    ['cut', 'n2', 'n3'],
    ['join', 'n0', 'n1'],
  ],
  seed,
});

test.each([1, 2, 3, 4, 5])('Lemma 5.1: a semi-synchronous schedule has the same outcomes (seed %i)', (seed) => {
  const { executions, rounds, isSame } = lemma51(ring(6, seed));
  expect(isSame).toBe(true);
  expect(rounds).toBeLessThan(executions / 2);
});

describe('Theorem 4.1: under semi-synchronous schedules', () => {
  test.each(['all', 'half', 'one'] as const)('every call succeeds, %s of the nodes active', (activation) => {
    expect(semiSynchronous(ring(6, 1), activation)).toMatchObject({ isFinished: true });
  });

  test('not so with the rules as printed: two nodes deadlock', () => {
    const two = (seed: number): LockCalls => ({ topology: { kind: 'path', n: 2 }, askers: ['n0', 'n1'], rules: 'printed', seed });
    const finished = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => semiSynchronous(two(seed), 'half').isFinished);
    expect(finished).toContain(false);
  });
});
