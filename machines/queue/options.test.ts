import { describe, expect, test } from 'vitest';
import { simulateByName } from '../../testing/simulate.js';
import { fixed } from './queue.fixture.js';

describe('bad options', () => {
  test.each([
    [
      { tau: 1e308 },
      'options.tau is 1e+308. Use a number of round trips from 2, so that an observer returns before the next one starts, to at most',
    ],
    [
      { tau: 1.9 },
      'options.tau is 1.9. Use a number of round trips from 2, so that an observer returns before the next one starts, to at most',
    ],
    [{ root: 'zz' }, 'options.root is "zz", which is not a node of the topology. Name one of its'],
    [{ parents: { n0: 'n0', n1: 'n2', n2: 'n1', n3: 'n1' } }, 'options.parents is not a tree: following the parents of'],
    [
      { parents: { n0: 'n0', n1: 'n0', n2: 'n1', n3: 'n1' } },
      'options.parents makes n1 the parent of n2, but no link connects them. Use only links of the topology.',
    ],
    [
      { tree: 'stabilizing', parents: {} },
      'options.parents needs tree "fixed": a stabilizing tree computes its own parents. Omit one of them.',
    ],
    [{ tree: 'oak' }, 'options.tree is "oak". Choose one of fixed, stabilizing'],
    [{ period: 3 }, 'Unknown option options.period'],
  ])('%j', (options, message) => {
    expect(() => simulateByName({ ...fixed, options })).toThrow(message);
  });

  test('a latency without a bound', () => {
    expect(() => simulateByName({ ...fixed, network: { latency: { exponential: 3 } } })).toThrow(
      'network.latency has no upper bound, but the queue needs its longest round trip. Use a constant, {"min", "max"} or "weight".',
    );
  });

  test('a topology in two parts', () => {
    const topology = { nodes: ['a', 'b', 'c'], links: [['a', 'b']] };
    expect(() => simulateByName({ protocol: 'queue', topology })).toThrow('Node c cannot reach the root a. Connect the topology');
  });
});
