/** A violation of every property, by a state or by a run. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { protocols } from '../index.js';
import type { Configuration, Flight, NodeView } from '../protocol.js';
import type { LevelContext } from '../hierarchy/level.js';
import type { ElectionContext } from './machine.js';
import { electSelf, startNewRefLevel, type Height } from './height.js';
import { election } from './index.js';
import { heightOf, withLink, withoutLink } from './links.js';
import { electionContext } from './view.js';

/** a - b - c at rest, the leader at one end, one level of leaders. */
function atRest(options = {}): Configuration<any> {
  const scenario = {
    protocol: 'election',
    topology: {
      nodes: ['a', 'b', 'c'],
      links: [
        ['a', 'b'],
        ['b', 'c'],
      ],
    },
    options: { radii: [1], ...options },
  };
  const simulation = new Simulation(parseScenario(scenario, protocols), { host: 'snapshots' });
  simulation.start();
  const { instance, nodes, flights, links } = simulation.configuration;
  return { instance, nodes: new Map(nodes), flights, links };
}

function withRole<C>(
  c: Configuration<any>,
  id: string,
  role: string,
  change: (old: C) => Partial<C>,
  value?: string,
): Configuration<any> {
  const node = c.nodes.get(id)!;
  const old = node[role]!;
  const changed: NodeView = {
    ...node,
    [role]: { ...old, context: { ...old.context, ...change(old.context) }, ...(value ? { value } : {}) },
  };
  return { ...c, nodes: new Map([...c.nodes, [id, changed]]) };
}

const at = (c: Configuration<any>, id: string, change: (old: ElectionContext) => Partial<ElectionContext>) =>
  withRole(c, id, 'election', change);
const level = (c: Configuration<any>, id: string, change: (old: LevelContext) => Partial<LevelContext>, value?: string) =>
  withRole(c, id, 'level 1', change, value);

const own = (c: Configuration<any>, id: string): Height => electionContext(c.nodes.get(id)!).height;

/** Changes a height in all places, so that only the intended property is violated. */
const everywhere = (c: Configuration<any>, id: string, height: Height): Configuration<any> => {
  let changed = at(c, id, () => ({ height }));
  for (const other of c.nodes.keys()) {
    changed = at(changed, other, ({ links }) => ({ links: heightOf(links, id) ? withLink(links, id, height) : links }));
  }
  return changed;
};

const flying = (from: string, to: string, height: Height): Flight => ({
  id: 1,
  from,
  to,
  cost: 1,
  message: { type: 'update', height, hello: false, stamp: null, tables: [[]] } as Flight['message'],
});

const later = (c: Configuration<any>): Configuration<any> =>
  [...c.nodes.keys()].reduce((changed, id) => at(changed, id, () => ({ now: 9 })), c);

/** Violated properties, by the first word of their names. */
function broken(c: Configuration<any>): string[] {
  return election
    .properties(c.instance)
    .filter((property) => {
      if (property.kind === 'eventually') return [...c.nodes.keys()].some((id) => property.when(c, id) && !property.holds(c, id));
      if (property.kind !== 'always') return false;
      const holds = property.holds(c);
      // A property of one node's neighborhood finds only violations there.
      const around = [...c.nodes.keys()].every((id) => property.holdsAround?.(c, id) ?? holds);
      expect(around).toBe(holds);
      return !holds;
    })
    .map(({ name }) => name.split(':')[0]!);
}

const start = atRest();
const b = own(start, 'b');

test('a network at rest satisfies all of them', () => {
  expect(broken(start)).toEqual([]);
});

test('nothing is promised if one end of a link is down and the other up', () => {
  const ring = {
    nodes: ['a', 'b', 'c', 'd'],
    links: [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
      ['d', 'a'],
    ],
  };
  const run = (events: readonly unknown[]) => {
    const json = { protocol: 'election', topology: ring, options: { radii: [1, 2] }, events };
    return new Simulation(parseScenario(json, protocols), { host: 'snapshots' }).run();
  };
  const half = [{ at: 1, do: 'down', channel: ['a', 'b'] }];
  expect(run(half)).toMatchObject({ verdict: 'valid' });
  expect(run([...half, { at: 9, do: 'down', channel: ['b', 'a'] }])).toMatchObject({
    verdict: 'valid',
    summary: { oriented: true },
  });
});

describe('broken on purpose', () => {
  const stamped = startNewRefLevel(b, 5);
  test.each<[string, Configuration<any>]>([
    ['A, own: a search from the future', everywhere(start, 'a', electSelf(own(start, 'a'), 7))],
    [
      'A, recorded: a clock behind what it has heard',
      at(later(everywhere(start, 'a', electSelf(own(start, 'a'), 7))), 'b', () => ({ now: 3 })),
    ],
  ])('%s', (_, c) => {
    expect(broken(c)).toContain('A');
  });

  test('B: the newest height differs from the last one sent', () => {
    expect(broken(at(later(start), 'b', () => ({ height: stamped })))).toContain('B');
  });

  test('B: an older reference level behind a newer one', () => {
    const newer = startNewRefLevel(b, 6);
    const c = {
      ...at(later(start), 'b', () => ({ height: stamped })),
      flights: [flying('b', 'a', newer), flying('b', 'a', stamped), flying('b', 'c', stamped)],
    };
    expect(broken(c)).toContain('B');
  });

  test('C: a search without originator', () => {
    expect(broken(later(everywhere(start, 'b', { ...b, tau: 5 })))).toContain('C');
  });

  test('C: a search of an unknown node', () => {
    expect(broken(later(everywhere(start, 'b', { ...b, tau: 5, oid: [9, 'z'] })))).toContain('C');
  });

  test('E: two deltas in one reference level', () => {
    const c = { ...later(start), flights: [flying('b', 'a', { ...b, delta: 7 })] };
    expect(broken(c)).toContain('E');
  });

  test('I: a sink that does not lead', () => {
    expect(broken(at(start, 'c', ({ links }) => ({ links: withLink(links, 'b', { ...b, delta: 5 }) })))).toContain('I');
  });

  test('J: delta below zero outside of a search', () => {
    expect(broken(everywhere(start, 'b', { ...b, delta: -1 }))).toContain('J');
  });

  test('J: delta zero away from the leader', () => {
    expect(broken(everywhere(start, 'b', { ...b, delta: 0 }))).toContain('J');
  });

  test('K: a row without a channel, a channel without a row', () => {
    expect(broken(at(start, 'a', ({ links }) => ({ links: withLink(links, 'c', null) })))).toContain('K');
    expect(broken(at(start, 'a', ({ links }) => ({ links: withoutLink(links, 'b') })))).toContain('K');
  });

  test('K: something in a channel that is down', () => {
    expect(broken({ ...start, flights: [flying('a', 'c', own(start, 'a'))] })).toContain('K');
  });

  test.each<[string, Configuration<any>]>([
    ['a leader that counts as oriented', withRole(start, 'a', 'election', () => ({}), 'oriented')],
    ['a follower that counts as the leader', withRole(start, 'b', 'election', () => ({}), 'leader')],
    ['a node with a neighbor that counts as isolated', withRole(start, 'c', 'election', () => ({}), 'isolated')],
  ])('states are read off heights: %s', (_, c) => {
    expect(broken(c)).toEqual(['states are read off heights']);
  });

  describe('leader-oriented', () => {
    test('1: something is in flight', () => {
      expect(broken({ ...start, flights: [flying('a', 'b', own(start, 'a'))] })).toContain('leader-oriented');
    });
    test('2: a view that is not exact', () => {
      const c = at(start, 'a', ({ links }) => ({ links: withLink(links, 'b', { ...b, delta: 2 }) }));
      expect(broken(c)).toContain('leader-oriented');
    });
    test('3: two leaders', () => {
      const c = withRole(later(everywhere(start, 'c', electSelf(own(start, 'c'), 3))), 'c', 'election', () => ({}), 'leader');
      expect(broken(c)).toEqual(['leader-oriented']);
    });
    test('4: a second sink', () => {
      const c = everywhere(start, 'c', { ...own(start, 'c'), delta: 0.5 });
      expect(broken(c)).toContain('leader-oriented');
    });
  });

  test('symmetric neighbors: one end still forming', () => {
    expect(broken(at(start, 'a', ({ links }) => ({ links: withLink(links, 'b', null) })))).toContain('symmetric neighbors');
  });

  test('reports reach the top: a node and its district leader follow different leaders', () => {
    expect(broken(everywhere(start, 'b', { ...b, lid: [3, 'c'] }))).toContain('reports reach the top');
  });

  const entry = { birth: 0, id: [1, 'a'] as const, distance: 1 };
  const states: [string, Configuration<any>][] = [
    ['D1', level(start, 'b', () => ({ table: [{ ...entry, distance: 0 }] }))],
    ['D2', level(start, 'b', () => ({ table: [] }))],
    ['D2', level(start, 'c', () => ({ member: [1, 'a'], table: [entry] }), 'following')],
    ['D3', level(start, 'b', () => ({ member: [2, 'b'] }), 'leading')],
  ];
  test.each(states)('%s', (name, c) => {
    expect(broken(c)).toContain(name);
  });
});
