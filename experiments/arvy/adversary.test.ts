/** The adversary: its cycles cost on the directory what it says, and on three nodes no cycle at all is worse. */
import { describe, expect, test } from 'vitest';
import { chain, costOf } from './run.js';
import { everyTree, worstCycle, type AdversaryRequest } from './adversary.js';

const startOf = (kind: string, n: number, policy: string) =>
  kind === 'ring' && policy === 'bridge' ? { policy } : { policy, ...chain(n) };

describe.each(['arrow', 'second', 'middle', 'bridge'])('%s on a ring of four', (policy) => {
  test('the worst cycle costs what is said of it, and ends in the tree in which it began', () => {
    const topology = { kind: 'ring', n: 4 };
    const { from, requests, cost, opt, ratio } = worstCycle(topology, 4, startOf('ring', 4, policy));
    const again = costOf(topology, from, requests);
    expect({ cost: again.findCost, opt: again.opt, parents: again.parents }).toEqual({ cost, opt, parents: from['parents'] });
    expect(ratio).toBe(cost / opt);
  });
});

test.each(['arrow', 'ivy', 'second', 'bridge'])('%s on a ring of three: no simple cycle is worse', (policy) => {
  const topology = { kind: 'ring', n: 3 };
  const graph = everyTree(topology, 3, startOf('ring', 3, policy)).map(({ requests }) => requests);
  expect(worstCycle(topology, 3, startOf('ring', 3, policy)).ratio).toBeCloseTo(worstOfAll(graph), 9);
});

test('known bounds: Arrow is as bad as its tree, nothing is worse for the bridge than its tight cycle, which stays below five', () => {
  expect(worstCycle({ kind: 'ring', n: 4 }, 4, startOf('ring', 4, 'arrow')).ratio).toBe(3);
  expect(worstCycle({ kind: 'ring', n: 4 }, 4, { policy: 'bridge' })).toMatchObject({ cost: 5 * 4 - 6, opt: 4 + 2 });
  expect(worstCycle({ kind: 'ring', n: 3 }, 3, { policy: 'bridge' }).ratio).toBeLessThan(5);
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
