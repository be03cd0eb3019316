/** What the options of the directory refuse. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { directory } from './index.js';

describe('options that make no sense are refused with thing, place and cure', () => {
  const scenario = (options: object) => ({ protocol: 'directory', topology: { kind: 'ring', n: 3 }, options });
  test.each([
    [{ policy: 'arrows' }, /options.policy is "arrows"; choose one of arrow, ivy/],
    [{ root: 'x' }, /options.root is "x", which is no node of the topology/],
    [{ parents: { n0: 'n0' } }, /options.parents gives no parent for n1/],
    [{ parents: { n0: 'n0', n1: 'n2', n2: 'n1' } }, /options.parents is no tree/],
    [{ parents: { n0: 'n1', n1: 'n1', n2: 'n1' } }, /must map the root n0 to itself/],
    [{ bridgeOwner: 'n1' }, /options.bridgeOwner goes with policy "bridge"/],
    [{ tree: 'steiner' }, /options.tree is "steiner"; choose one of shortest, lightest, lowStretch/],
    [{ tree: 'lightest', parents: { n0: 'n0', n1: 'n0', n2: 'n0' } }, /options.tree and options.parents are both given/],
    [{ policy: 'bridge', tree: 'lightest' }, /options.tree goes with policies that begin with any tree, not with "bridge"/],
    [{ hold: -1 }, /options.hold is -1; give an integer between 0 and 10000000000000/],
    [{ token: 1 }, /options.token is not known/],
  ])('%o', (options, message) => {
    expect(() => parseScenario(scenario(options), { directory })).toThrow(message);
  });

  test('a tree of low stretch is looked for on small networks alone, and no tree at all in two pieces', () => {
    const large = { protocol: 'directory', topology: { kind: 'path', n: 129 }, options: { tree: 'lowStretch' } };
    expect(() => parseScenario(large, { directory })).toThrow(/"lowStretch", which is looked for on up to 128 nodes/);
    for (const tree of ['shortest', 'lightest', 'lowStretch']) {
      const pieces = {
        nodes: ['a', 'b', 'c', 'd'],
        links: [
          ['a', 'b'],
          ['c', 'd'],
        ],
      };
      expect(() => parseScenario({ protocol: 'directory', topology: pieces, options: { tree } }, { directory })).toThrow(
        /connected/,
      );
    }
  });
});
