import { describe, expect, test } from 'vitest';
import { simulate } from '../../testing/simulate.js';
import { fixed } from './queue.fixture.js';

describe('bad options', () => {
  test.each([
    [{ tau: 1e308 }, 'options.tau is 1e+308; give a number of round trips'],
    [{ tau: 1.9 }, 'options.tau is 1.9; give a number of round trips of at least 2'],
    [{ root: 'zz' }, 'options.root is "zz", which is no node of the topology'],
    [{ parents: { n0: 'n0', n1: 'n2', n2: 'n1', n3: 'n1' } }, 'options.parents is no tree'],
    [{ parents: { n0: 'n0', n1: 'n0', n2: 'n1', n3: 'n1' } }, 'options.parents puts n2 under n1, and no link joins them'],
    [{ tree: 'stabilizing', parents: {} }, 'options.parents goes with tree "fixed"'],
    [{ tree: 'oak' }, 'options.tree is "oak"; choose one of fixed, stabilizing'],
    [{ period: 3 }, 'options.period is not known here'],
  ])('%j', (options, message) => {
    expect(() => simulate({ ...fixed, options })).toThrow(message);
  });

  test('a latency without a bound', () => {
    expect(() => simulate({ ...fixed, network: { latency: { exponential: 3 } } })).toThrow('network.latency has no bound');
  });

  test('a topology in two parts', () => {
    const topology = { nodes: ['a', 'b', 'c'], links: [['a', 'b']] };
    expect(() => simulate({ protocol: 'queue', topology })).toThrow('no path leads from c to the root a');
  });
});
