/** The adversary: its cycles have the reported cost on the directory, and on three nodes no cycle is worse. */
import { describe, expect, test } from 'vitest';
import { chain, costOf } from './run.js';
import { badCycle, everyTree, worstCycle, type AdversaryRequest, type PolicyStart } from './adversary.js';
import { sweep } from './requests.js';

const startOf = (n: number, policy: PolicyStart['policy']): PolicyStart =>
  policy === 'bridge' ? { policy } : { policy, ...chain(n) };

describe.each(['arrow', 'second', 'middle', 'bridge'] as const)('%s on a ring of four', (policy) => {
  test('the worst cycle has the reported cost, and ends in the tree in which it began', () => {
    const topology = { kind: 'ring', n: 4 };
    const { from, requests, cost, opt, ratio } = worstCycle(topology, startOf(4, policy));
    const again = costOf(topology, from, requests);
    expect({ cost: again.findCost, opt: again.opt, parents: again.parents }).toEqual({ cost, opt, parents: from['parents'] });
    expect(ratio).toBe(cost / opt);
  });
});

test.each(['arrow', 'ivy', 'second', 'bridge'] as const)('%s on a ring of three: no simple cycle is worse', (policy) => {
  const topology = { kind: 'ring', n: 3 };
  const graph = everyTree(topology, startOf(3, policy)).map(({ requests }) => requests);
  expect(worstCycle(topology, startOf(3, policy)).ratio).toBeCloseTo(worstOfAll(graph), 9);
});

test('known bounds: Arrow is as bad as its tree; the bridge stays below five', () => {
  expect(worstCycle({ kind: 'ring', n: 4 }, startOf(4, 'arrow')).ratio).toBe(3);
  expect(worstCycle({ kind: 'ring', n: 4 }, { policy: 'bridge' })).toMatchObject({ cost: 5 * 4 - 6, opt: 4 + 2 });
  expect(worstCycle({ kind: 'ring', n: 3 }, { policy: 'bridge' }).ratio).toBeLessThan(5);
});

test.each([6, 8, 16])('the bridge on a ring of %i: none of its n³/4 trees is worse than the tight cycle', (n) => {
  expect(everyTree({ kind: 'ring', n }, { policy: 'bridge' })).toHaveLength(n ** 3 / 4);
  expect(worstCycle({ kind: 'ring', n }, { policy: 'bridge' })).toMatchObject({ cost: 5 * n - 6, opt: n + 2 });
});

describe('an adversary that searches', () => {
  const search = { widths: [100], length: 24, known: [sweep(5)] };
  const ring = { kind: 'ring', n: 5 };

  test.each(['arrow', 'ivy', 'second', 'middle', 'bridge'] as const)(
    '%s on a ring of five: as bad as the worst there is',
    (policy) => {
      const start = startOf(5, policy);
      expect(badCycle(ring, start, search).ratio).toBeCloseTo(worstCycle(ring, start).ratio, 9);
    },
  );

  test('it reaches all known ratios, and the directory pays the cost', () => {
    const { from, requests, ratio } = badCycle({ kind: 'ring', n: 16 }, startOf(16, 'ivy'), {
      widths: [],
      length: 0,
      known: [sweep(16)],
    });
    const paid = costOf({ kind: 'ring', n: 16 }, from, requests);
    expect({ ratio: paid.ratio, parents: paid.parents }).toEqual({ ratio, parents: from['parents'] });
    expect(ratio).toBeGreaterThan(8);
  });
});

/** Every cycle that passes no tree twice, one after the other. */
function worstOfAll(graph: readonly (readonly AdversaryRequest[])[]): number {
  let worst = 0;
  const walk = (at: number, first: number, passed: ReadonlySet<number>, cost: number, opt: number): void => {
    for (const request of graph[at]!) {
      if (request.cost + request.opt === 0) continue;
      const [paid, best] = [cost + request.cost, opt + request.opt];
      if (request.to === first) worst = Math.max(worst, paid / best);
      else if (request.to > first && !passed.has(request.to))
        walk(request.to, first, new Set([...passed, request.to]), paid, best);
    }
  };
  for (const first of graph.keys()) walk(first, first, new Set([first]), 0, 0);
  return worst;
}
