import { describe, expect, test } from 'vitest';
import { freeName, freeSpot, linksWithin } from './by-hand.js';

describe('links by distance', () => {
  const spots = new Map([
    ['a', { x: 0, y: 0 }],
    ['b', { x: 60, y: 80 }],
    ['c', { x: 101, y: 0 }],
    ['d', { x: 300, y: 0 }],
  ]);

  test('near nodes get linked, far ones unlinked; the range itself is near', () => {
    const linked = new Set(['c', 'd']);
    expect(linksWithin(100, 'a', spots, (peer) => linked.has(peer))).toEqual([
      { do: 'join', link: ['a', 'b'] },
      { do: 'cut', link: ['a', 'c'] },
      { do: 'cut', link: ['a', 'd'] },
    ]);
    expect(linksWithin(300, 'a', spots, () => true)).toEqual([]);
  });
});

test('a new node is placed in the middle, or next to the node there', () => {
  expect(freeSpot({ x: 5, y: 5 }, [{ x: 50, y: 5 }])).toEqual({ x: 5, y: 5 });
  expect(
    freeSpot({ x: 0, y: 0 }, [
      { x: 0, y: 0 },
      { x: 60, y: 0 },
    ]),
  ).toEqual({ x: 120, y: 0 });
});

test('a new node has the first free name', () => {
  expect(freeName(['n0', 'n1', 'n2'])).toBe('n3');
  expect(freeName(['n3', 'a'])).toBe('n2');
  expect(freeName(['n1', 'n2', 'n3'])).toBe('n4');
});
