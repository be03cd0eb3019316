/** Where the printed paper goes wrong, found by the checker itself, each as a shortest run (spec section 11). */
import { describe, expect, test } from 'vitest';
import { explore, type ExploreOptions } from '../../../test/explore/explore.js';
import { lossesAfterOneChange } from './theorem2.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { protocols } from '../../../machines/index.js';
import type { Property, Topology } from '../../../machines/protocol.js';
import { election } from '../../../machines/election/index.js';
import type { ElectionProtocolOptions } from '../../../machines/election/options.js';
import { isOriented, isSymmetric, leaderOf } from '../../../machines/election/view.js';

type Script = Extract<ExploreOptions['commands'], readonly unknown[]>;

const linked = (...links: readonly (readonly [string, string])[]): Topology => ({
  nodes: [...new Set(links.flat())].sort(),
  links: links.map(([u, v]) => [u, v, 1]),
});

/** In a network that never splits, only the first leader has a reason to lead. */
const noNeedlessElection: Property<ElectionProtocolOptions> = {
  name: 'no needless election',
  kind: 'always',
  description: 'While all nodes hang together the leader of the start stays the only one.',
  holds: (c) => [...c.nodes].every(([id, node]) => leaderOf(node) !== id || id === c.instance.options.leader),
};

describe('erratum 1: SINK with lid = u, as printed', () => {
  const links = linked(['n1', 'n2'], ['n1', 'n3'], ['n2', 'n3']);
  const cut: Script = [
    { do: 'cut', link: ['n1', 'n3'] },
    { do: 'cut', link: ['n2', 'n3'] },
  ];

  test('a node that has lost its last way down does nothing about it: property I breaks', () => {
    const line = linked(['n1', 'n2'], ['n2', 'n3']);
    const { counterexample, properties } = explore(election, {
      topology: line,
      options: { sink: 'printed' },
      commands: [{ do: 'cut', link: ['n1', 'n2'] }],
    });
    expect(properties.find(({ holds }) => holds === false)?.name).toBe('I: no sink');
    expect(counterexample?.choices).toEqual([{ notification: ['n2', 'n1'] }]);
  });

  test('as settled, the same changes are survived', () => {
    expect(explore(election, { topology: links, commands: cut }).verdict).toBe('valid');
  });
});

describe('erratum 19: Theorem 2 fails after one ordinary link addition', () => {
  const script: Script = [
    { do: 'up', channel: ['n2', 'n3'] },
    { do: 'up', channel: ['n3', 'n2'] },
    { do: 'cut', link: ['n1', 'n3'] },
  ];
  const run = (hello: boolean, properties: readonly Property<ElectionProtocolOptions>[]) =>
    explore(election, {
      topology: linked(['n1', 'n2'], ['n1', 'n3']),
      options: { hello },
      commands: script,
      oneByOne: true,
      properties,
    });

  test('without hello node 3 elects itself though its leader is two hops away', () => {
    const { counterexample } = run(false, [noNeedlessElection]);
    expect(counterexample?.choices).toEqual([
      { notification: ['n2', 'n3'] },
      { deliver: 0 },
      { notification: ['n3', 'n2'] },
      { deliver: 1 },
      { notification: ['n3', 'n1'] },
    ]);
  });

  test('the same choices in a network: the corrected theorem needs symmetric neighbors', () => {
    const { choices } = run(false, [noNeedlessElection]).counterexample!;
    const { nodes, links } = linked(['n1', 'n2'], ['n1', 'n3']);
    const scenario = parseScenario({ protocol: 'election', options: { hello: false }, topology: { nodes, links } }, protocols);
    const { properties, summary } = new Simulation(scenario, { choices }).run();
    expect(summary).toMatchObject({ leaders: { n1: 'n1', n2: 'n1', n3: 'n3' }, elections: 1 });
    expect(properties.find(({ name }) => name === 'S: no needless election')?.holds).toBeNull();
  });

  test('because a leader-oriented network may have one-sided neighbors', () => {
    const neverOneSided: Property<ElectionProtocolOptions> = {
      name: 'never one-sided at rest',
      kind: 'always',
      description: 'A leader-oriented network has symmetric neighbors.',
      holds: (c) => !isOriented(c) || isSymmetric(c),
    };
    expect(run(false, [neverOneSided]).counterexample?.choices).toEqual([
      { notification: ['n2', 'n3'] },
      { deliver: 0 },
      { notification: ['n3', 'n2'] },
      { deliver: 1 },
    ]);
  });

  test('with hello no node is elected, in any order of events', () => {
    expect(run(true, [noNeedlessElection])).toMatchObject({ verdict: 'valid' });
  });
});

describe('Theorem 2 in all systems of three nodes: a change, rest, and one link lost', () => {
  test.each([
    { hello: false, needless: 18 },
    { hello: true, needless: 0 },
  ])('hello $hello: $needless of 57 losses can elect a node that reaches the leader', ({ hello, needless }) => {
    expect(lossesAfterOneChange(3, { hello })).toEqual({ losses: 57, needless });
  });
});

describe('section 7.1: stability with logical clocks', () => {
  const run = (clock: 'perfect' | 'logical') =>
    explore(election, {
      topology: linked(['n1', 'n2'], ['n2', 'n3'], ['n3', 'n4'], ['n1', 'n4'], ['n4', 'n5']),
      options: { clock },
      commands: [
        { do: 'cut', link: ['n1', 'n4'] },
        { do: 'join', link: ['n1', 'n5'], weight: 1 },
        { do: 'cut', link: ['n1', 'n2'] },
      ],
      oneByOne: true,
      properties: [noNeedlessElection],
    });

  test('an old search with a large stamp elects node 4, two hops from its leader', () => {
    const { verdict, counterexample } = run('logical');
    expect(verdict).toBe('invalid');
    expect(counterexample?.steps.at(-1)).toMatch(/^n4 takes "update".*emits leader$/);
  });

  test('with perfect clocks the same changes elect no node', () => {
    expect(run('perfect').verdict).toBe('valid');
  });
});
