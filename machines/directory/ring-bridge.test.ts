/** The start of the ring bridge, on unit rings as in Algorithm 2 and on any weights (spec 1.4). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTopology } from '../../network/topology/index.js';
import { ringBridge, sidesOf } from './ring-bridge.js';

const ring = (n: number, weights?: readonly number[]) => createTopology({ kind: 'ring', n, ...(weights ? { weights } : {}) });

describe('ring bridge', () => {
  test.each([
    [4, 'n1', 'n2'],
    [8, 'n3', 'n4'],
    [5, 'n2', 'n3'],
  ])('unit ring of %i: root %s, bridge owner %s', (n, root, owner) => {
    expect(ringBridge(ring(n))).toMatchObject({ root, bridgeOwner: owner });
  });

  test('two nodes: their one link is the bridge', () => {
    expect(ringBridge(createTopology({ kind: 'path', n: 2 }))).toMatchObject({ root: 'n0', bridgeOwner: 'n1' });
  });

  test('on any weights each side of the tree weighs less than half the ring', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 3, maxLength: 40 }), (weights) => {
        const n = weights.length;
        const { parents, bridgeOwner, root } = ringBridge(ring(n, weights));
        const sides = sidesOf(parents, bridgeOwner);
        const half = weights.reduce((sum, weight) => sum + weight, 0) / 2;
        for (const side of ['A', 'B']) {
          const inside = weights.slice(0, n - 1).filter((_, i) => sides[`n${i}`] === side && sides[`n${i + 1}`] === side);
          expect(inside.reduce((sum, weight) => sum + weight, 0)).toBeLessThan(half);
        }
        expect(sides[root]).toBe('A');
      }),
    );
  });

  test('anything but a ring is rejected', () => {
    const path = {
      nodes: ['a', 'b', 'c'],
      links: [
        ['a', 'b', 1],
        ['b', 'c', 1],
      ] as const,
    };
    expect(() => ringBridge(path)).toThrow(/options.policy "bridge" needs a ring/);
  });
});
