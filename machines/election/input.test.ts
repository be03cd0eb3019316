/** Bad input: options that cannot be, and Updates that no node has sent. */
import { describe, expect, test } from 'vitest';
import { createMetric } from '../../network/topology/metric.js';
import { createTopology } from '../../network/topology/index.js';
import { UsageError } from '../errors.js';
import type { Instance } from '../protocol.js';
import { oriented } from './height.js';
import { election } from './index.js';
import type { ElectionProtocolOptions } from './options.js';

const graph = createMetric({ nodes: ['a', 'b', 'c'], links: [['a', 'b', 1]] });
const instance = (raw = {}): Instance<ElectionProtocolOptions> => ({ ...graph, options: election.options(raw, graph) });

test('defaults: nodes lead or follow their first, perfect clocks, hello', () => {
  const { start, ...options } = instance().options;
  expect(options).toEqual({ leader: 'a', clock: 'perfect', hello: true, skipIfLeader: false, sink: 'settled', levels: [] });
  expect(Object.values(start).map(({ leader, distance }) => [leader, distance])).toEqual([
    ['a', 0],
    ['a', 1],
    ['c', 0],
  ]);
});

test('radii: separations equal them by default', () => {
  expect(instance({ radii: [2, 5] }).options.levels).toEqual([
    { radius: 2, separation: 2 },
    { radius: 5, separation: 5 },
  ]);
});

test.each([
  [{ leader: 'z' }, 'options.leader is "z", which is not a node of the topology. Name one of its 3 nodes.'],
  [{ clock: 'atomic' }, 'options.clock is "atomic". Choose one of perfect, logical.'],
  [{ hello: 1 }, 'options.hello is 1. Use true or false.'],
  [{ sink: 'any' }, 'options.sink is "any". Choose one of settled, printed.'],
  [{ radii: 2 }, 'options.radii is 2. Use a list of hops, lowest level first.'],
  [{ radii: [0] }, 'options.radii[0] is 0. Use an integer of at least 1.'],
  [{ radii: [2, 2] }, 'options.radii[1] is 2 after 2. Each level needs a larger radius than the level below.'],
  [
    { radii: [2, 5], separations: [2] },
    'options.separations must list one number for each level: 2, as options.radii, and not 1.',
  ],
  [
    { radii: [2], separations: [3] },
    'options.separations[0] is 3, more than the radius 2: leaders that far apart do not know each other. Lower it.',
  ],
  [{ separations: [1] }, 'options.separations must list one number for each level: 0, as options.radii, and not 1.'],
  [
    { radii: [1], hello: false },
    'options.radii needs options.hello: without it, a neighbor may never send its tables. Do not set hello to false.',
  ],
  [{ radius: 1 }, 'Unknown option options.radius. The options are leader, clock, hello, skipIfLeader, sink, radii, separations.'],
])('%j is refused', (raw, message) => {
  expect(() => instance(raw)).toThrow(new UsageError(message));
});

test('two nodes with one identity are rejected first', () => {
  expect(() => createTopology({ nodes: ['a', 'b', 'a'], links: [] })).toThrow(
    'topology.nodes[2] repeats "a". Names must be unique.',
  );
});

describe('Updates from the network', () => {
  const height = { ...oriented([2, 'b'], [1, 'a'], 1), tau: 3, oid: [2, 'b'] };
  const update = { type: 'update', height, hello: false, stamp: null, tables: [] };
  const withHeight = (change: object) => ({ ...update, height: { ...height, ...change } });

  test('well formed ones are accepted', () => {
    expect(election.accepts(update, instance())).toBe(true);
    expect(election.accepts({ ...update, stamp: 4 }, instance({ clock: 'logical' }))).toBe(true);
    const tables = [[{ birth: 0, id: [1, 'a'], distance: 1 }], []];
    expect(election.accepts({ ...update, tables }, instance({ radii: [1, 2] }))).toBe(true);
  });

  test.each<[string, unknown]>([
    ['no object', 'update'],
    ['another type', { ...update, type: 'find' }],
    ['no hello', { ...update, hello: undefined }],
    ['a stamp where clocks are perfect', { ...update, stamp: 4 }],
    ['no height', { ...update, height: null }],
    ['a search without originator', withHeight({ oid: null })],
    ['an originator without search', withHeight({ tau: 0 })],
    ['a reflection of nothing', withHeight({ tau: 0, oid: null, r: 1 })],
    ['a bit that is none', withHeight({ r: 2 })],
    ['a negative time', withHeight({ tau: -1 })],
    ['a delta that is no integer', withHeight({ delta: 0.5 })],
    ['an election in the future of time', withHeight({ nlts: 1 })],
    ['an endless time', withHeight({ tau: Infinity })],
    ['a leader that is no node', withHeight({ lid: [9, 'z'] })],
    ['an identity at another’s place', withHeight({ lid: [2, 'a'] })],
    ['tables where there are no levels', { ...update, tables: [[]] }],
  ])('%s is not', (_, message) => {
    expect(election.accepts(message, instance())).toBe(false);
  });

  test.each<[string, unknown]>([
    ['too few tables', []],
    ['a table that is none', [null]],
    ['somebody further than the radius', [[{ birth: 0, id: [1, 'a'], distance: 2 }]]],
    ['somebody nearer than here', [[{ birth: 0, id: [1, 'a'], distance: -1 }]]],
    ['somebody never born', [[{ birth: null, id: [1, 'a'], distance: 0 }]]],
  ])('%s is not', (_, tables) => {
    expect(election.accepts({ ...update, tables }, instance({ radii: [1] }))).toBe(false);
  });

  test('no stamp where clocks are logical is not', () => {
    expect(election.accepts(update, instance({ clock: 'logical' }))).toBe(false);
  });
});
