import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random } from './random.js';

const draws = (random: Random, count: number, bound = 1000) => Array.from({ length: count }, () => random.below(bound));

describe('streams', () => {
  test('the same seed and label give the same draws, pinned against generator changes', () => {
    expect(draws(new Random(1, 'latency'), 5)).toEqual(draws(new Random(1, 'latency'), 5));
    expect(draws(new Random(1, 'latency'), 5)).toMatchInlineSnapshot(`
      [
        21,
        848,
        0,
        266,
        979,
      ]
    `);
    expect(new Random(1, 'latency').unit()).toMatchInlineSnapshot(`0.18641385299181934`);
  });

  test('another label or seed gives other draws, with large and negative seeds', () => {
    const seeds = [0, 1, -1, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1];
    const labels = ['', 'a', 'b', 'ab', 'ba', 'loss', 'latency'];
    const firsts = seeds.flatMap((seed) => labels.map((label) => draws(new Random(seed, label), 4, 2 ** 32).join()));
    expect(new Set(firsts).size).toBe(seeds.length * labels.length);
  });

  test('100,000 streams of one seed start differently and their first bits are fair', () => {
    const firsts = Array.from({ length: 100_000 }, (_, i) => new Random(7, `n${i}`).unit());
    expect(new Set(firsts).size).toBe(100_000);
    // Four standard deviations of a fair coin.
    expect(Math.abs(firsts.filter((x) => x < 0.5).length - 50_000)).toBeLessThan(4 * Math.sqrt(25_000));
  });
});

test('a copy draws what the original would, and neither draws for the other', () => {
  const [one, other] = [new Random(1, 'one'), new Random(2, 'other')];
  one.below(10);
  other.takeOver(one);
  expect(draws(other, 5)).toEqual(draws(one, 5));
  expect(one.unit()).toBe(other.unit());
});

describe('draws', () => {
  test('below is uniform: chi-square over ten cells', () => {
    const counts = new Array<number>(10).fill(0);
    for (const x of draws(new Random(3, 'below'), 100_000, 10)) counts[x]!++;
    const chi = counts.reduce((sum, n) => sum + (n - 10_000) ** 2 / 10_000, 0);
    expect(chi).toBeLessThan(27.88); // 9 degrees of freedom, p = 0.001
  });

  test('below stays below, for any bound', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.maxSafeNat().filter((n) => n > 0),
        (seed, bound) => {
          const x = new Random(seed, 'x').below(bound);
          expect(Number.isInteger(x) && x >= 0 && x < bound).toBe(true);
        },
      ),
    );
  });

  test.each([[0], [-1], [1.5], [NaN], [2 ** 53]])('below(%s) is refused', (bound) => {
    expect(() => new Random(1, 'x').below(bound)).toThrow(/Cannot draw below/);
  });

  test('picking from an empty list throws an error', () => {
    expect(() => new Random(1, 'x').pick([])).toThrow(/Cannot draw below 0\. Use an integer of at least 1\./);
  });

  test('shuffle is a permutation, a copy, and reaches every order of three', () => {
    const random = new Random(5, 'shuffle');
    const list = ['a', 'b', 'c'];
    const orders = new Set(Array.from({ length: 200 }, () => random.shuffle(list).join('')));
    expect([...orders].sort()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
    expect(list).toEqual(['a', 'b', 'c']);
  });

  test('chance: never at 0, always at 1, and 0 draws nothing', () => {
    const random = new Random(1, 'chance');
    const untouched = new Random(1, 'chance');
    expect(Array.from({ length: 100 }, () => random.chance(0))).not.toContain(true);
    expect(random.unit()).toBe(untouched.unit());
    expect(Array.from({ length: 100 }, () => random.chance(1))).not.toContain(false);
    const hits = Array.from({ length: 10_000 }, () => random.chance(0.1)).filter(Boolean).length;
    expect(Math.abs(hits - 1000)).toBeLessThan(4 * 30);
  });

  test('exponential has its mean and its median', () => {
    const random = new Random(9, 'exponential');
    const xs = Array.from({ length: 100_000 }, () => random.exponential(20)).sort((a, b) => a - b);
    const mean = xs.reduce((sum, x) => sum + x, 0) / xs.length;
    expect(xs[0]).toBeGreaterThanOrEqual(0);
    expect(Math.abs(mean - 20)).toBeLessThan(0.3);
    expect(Math.abs(xs[50_000]! - 20 * Math.LN2)).toBeLessThan(0.3);
  });
});
