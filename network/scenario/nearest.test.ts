import { describe, expect, test } from 'vitest';
import { nearestWord } from './read.js';

describe('nearest', () => {
  test.each([
    ['latncy', ['latency', 'loss'], 'latency'],
    ['LOSS', ['latency', 'loss'], 'loss'],
    ['banana', ['latency', 'loss'], undefined],
    ['b', ['n'], undefined],
    ['zz', ['b', 'c'], undefined],
    ['', ['n'], undefined],
    ['n1', ['n10', 'n1', 'n2'], 'n1'],
  ])('%s among %j is %s', (word, choices, expected) => {
    expect(nearestWord(word, choices)).toBe(expected);
  });
});
