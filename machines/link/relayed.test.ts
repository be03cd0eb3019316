/** Ends that do not reach each other, and neighbors of both that relay; and the violations without one of the rules. */
import { assign } from 'xstate';
import { describe, expect, test } from 'vitest';
import { Simulation } from '../../network/simulation.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { taken } from './frames.js';
import { link } from './index.js';
import { change, cut, cutOneWay, line, post, searchBetween, type RelayedSearch } from './relayed.fixtures.js';

test('a link is cut while a third node reaches both, without suspicions: 2780 states', () => {
  const found = searchBetween(line, [cut], { patience: 2 });
  expect(found).toMatchObject({ verdict: 'valid', doomed: 0, states: 2780 });
});

const observer = (what: object) => assign(({ context, event }: any) => taken(context, { ...event, ...what })) as never;
const silenceOf = (c: { silence: number; patience: number }) => Math.min(c.silence + 1, c.patience);

describe('without one of its rules a promise breaks, shown by a counterexample', () => {
  test.each<[string, string, Parameters<typeof searchBetween>[1], RelayedSearch]>([
    ['nobody passes on', 'return', [cut], { haveMet: false, changes: { guards: { passesOn: () => false } } }],
    [
      'silence of the direct way is ignored',
      'delivery',
      [cut, post('a', 'c', 1)],
      { changes: { actions: { noteBeat: change((c) => ({ silence: silenceOf(c) })) } } },
    ],
    [
      'a peer that is not received directly is not notified',
      'delivery',
      [cutOneWay, post('a', 'c', 1)],
      { changes: { actions: { take: observer({ hears: true }) } } },
    ],
    [
      'missing frames are ignored',
      'delivery',
      [cutOneWay, post('a', 'c', 1)],
      { changes: { actions: { take: observer({ rejects: false }) } } },
    ],
  ])('%s: %s', (_, property, commands, search) => {
    const found = searchBetween(line, commands, { suspicions: 0, ...search });
    expect(found.verdict).toBe('invalid');
    expect(found.counterexample?.property).toBe(property);
  });
});

const ring = ['a', 'b', 'c', 'd', 'e'];
const pairs = ring.flatMap((u, i) => ring.slice(i + 1).map((v) => [u, v] as const));
const isOfRing = ([u, v]: readonly [string, string]) => [1, 4].includes((ring.indexOf(v) - ring.indexOf(u) + 5) % 5);

/** Nodes that are not neighbors are connected by a relay; the direct way of one pair goes down and up. */
test('in a ring of five all are connected, messages arrive in order, and links stay up', () => {
  const cuts = pairs.filter((pair) => !isOfRing(pair)).map((pair) => ({ at: 0, do: 'cut', link: pair }));
  const posts = Array.from({ length: 60 }, (_, i) => {
    const [u, v] = pairs[i % pairs.length]!;
    return { at: 150 + 3 * i, node: i % 2 ? u : v, do: 'post', peer: i % 2 ? v : u, body: i };
  });
  const flaps = [150, 250].flatMap((at) => [
    { at, do: 'join', link: ['a', 'c'] },
    { at: at + 50, do: 'cut', link: ['a', 'c'] },
  ]);
  const scenario = {
    protocol: 'link',
    options: { patience: 20 },
    topology: { nodes: ring, links: pairs.map(([u, v]) => [u, v, 1]) },
    network: { latency: { min: 1, max: 9 }, order: 'unordered', loss: 0.05, duplicate: 0.1 },
    events: [...cuts, ...posts, ...flaps].sort((x, y) => x.at - y.at),
    seed: 7,
    until: { at: 600 },
  };
  const { summary, properties } = new Simulation(parseScenario(scenario, { link }), { host: 'snapshots' }).run();
  expect(summary).toMatchObject({ connected: 10, posted: 60, received: 60, downs: 0 });
  expect(properties.filter(({ holds }) => holds === false)).toEqual([]);
});
