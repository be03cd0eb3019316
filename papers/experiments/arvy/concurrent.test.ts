/** The cost of requests that overlap, and its optimum against all orders. */
import { expect, test } from 'vitest';
import { agrees, type Table } from '../experiment.js';
import {
  apartTable,
  concurrentCost,
  isNearestNeighborPath,
  nearestNeighborTable,
  optimumOf,
  type TimedRequest,
} from './concurrent.js';
import { chain } from './run.js';

const differing = ({ rows }: Table) => rows.filter(({ cells }) => cells.some((cell) => agrees(cell) !== true));

test('requests far apart cost what sequential requests cost', () => {
  expect(differing(apartTable())).toEqual([]);
});

test('Arrow queues simultaneous requests as a nearest-neighbor path of its latency', () => {
  expect(differing(nearestNeighborTable())).toEqual([]);
  expect(isNearestNeighborPath([4, 5, 9, 3, 1])).toBe(false);
});

const orders = <T>(list: readonly T[]): T[][] =>
  list.length === 0
    ? [[]]
    : list.flatMap((one, i) => orders([...list.slice(0, i), ...list.slice(i + 1)]).map((rest) => [one, ...rest]));

test('the optimum is that of the best of all orders', () => {
  const start: TimedRequest = { node: 4, at: 0 };
  const requests = [
    { node: 0, at: 3 },
    { node: 9, at: 0 },
    { node: 5, at: 12 },
    { node: 1, at: 1 },
    { node: 7, at: 6 },
  ];
  const distance = (u: number, v: number) => Math.abs(u - v);
  const cost = (order: readonly TimedRequest[]) =>
    order.reduce(
      (sum, one, i) => sum + Math.max(distance(one.node, (order[i - 1] ?? start).node), (order[i - 1] ?? start).at - one.at),
      0,
    );
  expect(optimumOf([start, ...requests], distance)).toBe(Math.min(...orders(requests).map(cost)));
});

test('a request between two others waits for its predecessor', () => {
  const { latency, opt, order } = concurrentCost({ kind: 'path', n: 8 }, { policy: 'arrow', ...chain(8) }, [
    { node: 0, at: 0 },
    { node: 1, at: 0 },
  ]);
  expect({ latency, opt, order }).toEqual({ latency: 7, opt: 7, order: ['n1', 'n0'] });
});
