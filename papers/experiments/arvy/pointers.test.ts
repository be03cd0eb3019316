/** Pointers as plain lists match the directory: from every tree of four nodes, and along a walk through larger ones. */
import { expect, test } from 'vitest';
import { Random } from '../../../network/random.js';
import { rootedTrees } from '../../../test/explore/topologies.js';
import { greedyRequests } from './rings.js';
import { SingleRequests } from './pointers.js';
import { costOf, onRing } from './run.js';

const names = ['n0', 'n1', 'n2', 'n3'];

test.each(['arrow', 'ivy', 'second', 'middle'] as const)('%s: every request at every tree of four nodes', (policy) => {
  const path = { kind: 'path', n: 4 };
  const plain = new SingleRequests(path, policy);
  for (const parents of rootedTrees(names)) {
    const options = { policy, root: names.find((node) => parents[node] === node)!, parents };
    for (const node of names.keys()) {
      const ran = costOf(path, options, [node]);
      const { cost, opt, after } = plain.request(plain.start(options), node);
      expect({ cost, opt, after }).toEqual({ cost: ran.findCost, opt: ran.opt, after: plain.of(ran) });
      expect(plain.costs(plain.start(options))[node]).toBe(ran.findCost);
    }
  }
});

test('bridge: one request after the other on a ring of nine with odd weights', () => {
  const ring = { kind: 'ring', n: 9, weights: [1, 2, 1, 3, 1, 1, 5, 1, 2] };
  const plain = new SingleRequests(ring, 'bridge');
  const random = new Random(1, 'requests of a ring');
  let pointers = plain.start({ policy: 'bridge' });
  for (let i = 0; i < 60; i++) {
    const node = random.below(9);
    const ran = costOf(ring, plain.optionsOf(pointers), [node]);
    const { cost, after } = plain.request(pointers, node);
    expect({ cost, after }).toEqual({ cost: ran.findCost, after: plain.of(ran) });
    pointers = after;
  }
});

test('the greedy adversary of the bridge on a ring of 16 costs what the spec has', () => {
  const requests = greedyRequests({ kind: 'ring', n: 16 }, { policy: 'bridge' }, 400);
  expect(onRing(16, 'bridge', requests).ratio).toBeCloseTo(3.4474, 4);
});
