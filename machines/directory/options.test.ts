/** Options that the directory rejects. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { directory } from './index.js';

describe('meaningless options are rejected with the option, its place and the fix', () => {
  const scenario = (options: object) => ({ protocol: 'directory', topology: { kind: 'ring', n: 3 }, options });
  test.each([
    [{ policy: 'arrows' }, /options\.policy is "arrows"\. Choose one of arrow, ivy/],
    [{ root: 'x' }, /options\.root is "x", which is not a node of the topology\. Name one of its/],
    [{ parents: { n0: 'n0' } }, /options\.parents contains no parent for n1\. Every node needs one\./],
    [{ parents: { n0: 'n0', n1: 'n2', n2: 'n1' } }, /options\.parents is not a tree: following the parents of/],
    [{ parents: { n0: 'n1', n1: 'n1', n2: 'n1' } }, /options\.parents must map the root n0 to itself\./],
    [{ bridgeOwner: 'n1' }, /options\.bridgeOwner needs policy "bridge", not "/],
    [{ tree: 'steiner' }, /options\.tree is "steiner"\. Choose one of shortest, lightest, lowStretch/],
    [
      { tree: 'lightest', parents: { n0: 'n0', n1: 'n0', n2: 'n0' } },
      /options\.tree and options\.parents cannot be combined\. Omit one of them\./,
    ],
    [
      { policy: 'bridge', tree: 'lightest' },
      /options\.tree cannot be combined with policy "bridge"\. Omit it, or set options\.parents\./,
    ],
    [{ hold: -1 }, /options\.hold is -1\. Use an integer between 0 and 10000000000000/],
    [{ token: 1 }, /Unknown option options\.token\. The options are/],
  ])('%o', (options, message) => {
    expect(() => parseScenario(scenario(options), { directory })).toThrow(message);
  });

  test('low-stretch trees exist only for small networks; a split network has no tree', () => {
    const large = { protocol: 'directory', topology: { kind: 'path', n: 129 }, options: { tree: 'lowStretch' } };
    expect(() => parseScenario(large, { directory })).toThrow(
      /options\.tree "lowStretch" supports at most 128 nodes\. Set options\.parents instead\./,
    );
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
