/** Rule 10: grants that a majority has confirmed have fences that grow in real time, even across a divided network. */
import { createMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { Simulation } from '../../network/simulation.js';
import { Random } from '../../network/random.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { explore } from '../../test/explore/explore.js';
import { send } from '../effects.js';
import type { Property } from '../protocol.js';
import { epochsMachine } from './epochs.js';
import { locks } from './index.js';
import type { LockContext } from './lock.js';
import { confirmation } from './orders.js';
import { oneUser } from './users.fixtures.js';
import { all, ask, crash, cut, mutant, nodes, searchOn, notified, type Commands, type Search } from './systems.fixtures.js';
import { usesOf } from './view.js';

const confirm = { confirm: true };

describe('every interleaving of three voters', () => {
  test.each<[string, number, Commands, Search]>([
    ['nothing fails', 188, [ask('a'), ask('b')], { hold: 1, properties: [oneUser] }],
    ['one link is cut', 391, [ask('b'), cut('a', 'b')], { hold: 1 }],
    ['the first holder and leader crashes', 694, [ask('b'), ...crash('a')], { hold: 1 }],
  ])('%s: %i states', (_, states, commands, search) => {
    const found = searchOn(all, locks, commands, { ...search, options: confirm });
    expect([found.verdict, found.states]).toEqual(['valid', states]);
  });
});

/** For searches in which `late` requests in a quiescent state, after the others were granted the lock. */
const realTime = (late: string): Property => ({
  name: 'real time',
  description: `${late}, which requests last, has the largest fence.`,
  kind: 'always',
  holds: (c) => {
    const own = usesOf(c).find(({ node }) => node === late);
    return own === undefined || usesOf(c).every(({ fence }) => fence <= own.fence);
  },
});

/**
 * Both others are notified that they do not reach `late`, which is not notified. One of them is granted the lock, then `late` requests it.
 */
function cutOff(late: string, protocol: typeof locks, options: object) {
  const [first, second] = nodes.filter((node) => node !== late) as [string, string];
  return explore(protocol, {
    topology: all,
    options: { hold: null, ...options },
    commands: [notified('down', first, late), notified('down', second, late), ask(first), ask(late)],
    oneByOne: true,
    properties: [...protocol.properties({} as never), realTime(late)],
  });
}

describe('a peer that is cut off unnoticed requests after a majority has gone on', () => {
  test.each<[string, number]>([
    ['a', 21],
    ['b', 30],
    ['c', 30],
  ])('%s is granted nothing with a smaller fence: %i states', (late, states) => {
    const found = cutOff(late, locks, confirm);
    expect([found.verdict, found.states]).toEqual(['valid', states]);
  });

  test.each<[string, typeof locks, object]>([
    ['grants are plain', locks, {}],
    ['nobody is asked', mutant({}, { guards: { isConfirmed: () => true } }), confirm],
  ])('it is granted one where %s', (_, protocol, options) => {
    const properties = nodes.map((late) => cutOff(late, protocol, options).counterexample?.property);
    expect(properties).toContain('real time');
  });
});

type Happening = Readonly<Record<string, unknown>> & { readonly at: number };

function run(
  topology: object,
  events: readonly Happening[],
  protocol: typeof locks,
  network: object,
  { seed = 1, options = {} } = {},
) {
  const scenario = {
    protocol: 'locks',
    options: { ...confirm, hold: 1, ...options },
    topology,
    network: { order: 'fifo', ...network },
    events: events.toSorted((p, q) => p.at - q.at),
    seed,
    until: { idle: true },
  };
  const { properties, summary } = new Simulation(parseScenario(scenario, { locks: protocol }), { host: 'snapshots' }).run();
  const failed = properties.filter(({ holds }) => holds === false).map(({ name }) => name);
  return { failed, grants: (summary as { grants: { node: string; fence: number }[] }).grants };
}

const BROKEN = 'a confirmed fence is larger than all granted before its request';

describe('a confirmation of an earlier grant', () => {
  /** c is far from a: its confirmation of the first grant arrives while a waits for the second, long after c has gone on with b. */
  const topology = {
    nodes,
    links: [
      ['a', 'b', 1],
      ['a', 'c', 100],
      ['b', 'c', 1],
    ],
  };
  const events: Happening[] = [
    { at: 0, do: 'request', node: 'a' },
    { at: 105, do: 'down', channel: ['b', 'a'] },
    { at: 150, do: 'request', node: 'b' },
    { at: 160, do: 'request', node: 'a' },
  ];
  const options = { leader: 'b', patience: 10 };

  test('is ignored', () => {
    const { failed, grants } = run(topology, events, locks, { latency: 'weight' }, { options });
    expect([failed, grants.map(({ node }) => node)]).toEqual([[], ['a', 'b']]);
  });

  test('would grant a smaller fence if it counted', () => {
    const mistaken = mutant({}, { guards: { isOfThisGrant: () => true } });
    expect(run(topology, events, mistaken, { latency: 'weight' }, { options }).failed).toContain(BROKEN);
  });
});

type In = { context: LockContext };

/** Grants of b are plain. */
const plainAtB = mutant(
  {},
  {
    guards: { isConfirmed: (({ context: { id, confirmed, others } }: In) => id === 'b' || confirmed.length >= others) as never },
  },
);

/** Rule 10, changed: a voter that has promised a later epoch also confirms. */
function answering(locks: typeof plainAtB): typeof locks {
  const { config, implementations } = epochsMachine;
  const on = { ...config.on, confirm: { actions: send(confirmation) } };
  return {
    ...locks,
    charts: { ...locks.charts, epochs: createMachine({ ...config, on } as never, implementations as never) as never },
  };
}

describe('a voter that has promised a later epoch', () => {
  /**
   * b, the leader, is notified that it does not reach a. It serves {b, c} after c has promised that, before c has received that it has
   * begun.
   */
  const topology = {
    nodes,
    links: [
      ['a', 'b', 1],
      ['a', 'c', 1],
      ['b', 'c', 50],
    ],
  };
  const events: Happening[] = [
    { at: 0, do: 'down', channel: ['b', 'a'] },
    { at: 200, do: 'request', node: 'b' },
    { at: 220, do: 'request', node: 'a' },
  ];
  const options = { leader: 'b', patience: 10 };

  test('confirms no grant in an earlier one, after a plain one in the later', () => {
    expect(run(topology, events, plainAtB, { latency: 'weight' }, { options })).toMatchObject({
      failed: [],
      grants: [{ node: 'b' }],
    });
  });

  test('would make a smaller fence a grant if it did', () => {
    expect(run(topology, events, answering(plainAtB), { latency: 'weight' }, { options }).failed).toContain(BROKEN);
  });
});

const five = ['a', 'b', 'c', 'd', 'e'];
const pairs = five.flatMap((u, i) => five.slice(i + 1).map((v) => [u, v] as const));

/** Links go down and up, with each end notified separately; then all links are up, and all nodes request again. */
function turmoil(seed: number): Happening[] {
  const random = new Random(seed, 'confirmed');
  const events: Happening[] = [];
  for (let at = 0; at < 1200; at += 1 + random.below(30)) {
    const [u, v] = random.pick(pairs);
    const what = random.pick(['down', 'down', 'up', 'request', 'request', 'request']);
    events.push({
      at,
      do: what,
      ...(what === 'request'
        ? { node: u }
        : {
            channel: random.pick([
              [u, v],
              [v, u],
            ]),
          }),
    });
  }
  for (const [u, v] of pairs)
    for (const channel of [
      [u, v],
      [v, u],
    ])
      events.push({ at: 1300, do: 'down', channel }, { at: 1400, do: 'up', channel });
  for (const node of five) events.push({ at: 3000, do: 'request', node });
  return events;
}

describe('five voters whose links go down and up', () => {
  const whole = { nodes: five, links: pairs.map(([u, v]) => [u, v, 1]) };
  const network = { latency: { min: 1, max: 9 } };
  const seeds = Array.from({ length: 3 }, (_, seed) => seed);
  test('fences grow in real time, and all requests are granted in the end', () => {
    for (const seed of seeds) {
      const { failed, grants } = run(whole, turmoil(seed), locks, network, { seed });
      expect([seed, ...failed]).toEqual([seed]);
      expect(new Set(grants.slice(-5).map(({ node }) => node))).toEqual(new Set(five));
    }
  });
});

describe('an epoch of three of five voters', () => {
  /** {a, b, c}; then c goes on with d and e, and a and b have not noticed. */
  const topology = {
    nodes: five,
    links: [
      ['a', 'b', 1],
      ['a', 'c', 1],
      ['b', 'c', 1],
      ['c', 'd', 1],
      ['c', 'e', 1],
      ['d', 'e', 1],
    ],
  };
  const events: Happening[] = [
    { at: 100, do: 'down', channel: ['c', 'a'] },
    { at: 100, do: 'down', channel: ['c', 'b'] },
    { at: 200, do: 'request', node: 'c' },
    { at: 300, do: 'request', node: 'a' },
  ];

  test('grants nothing that three have not confirmed', () => {
    expect(run(topology, events, locks, { latency: 1 })).toMatchObject({ failed: [], grants: [{ node: 'c' }] });
  });

  test('would grant a smaller fence confirmed by two, a majority of its members', () => {
    const mistaken = mutant({}, { guards: { isConfirmed: (({ context }: In) => context.confirmed.length >= 1) as never } });
    expect(run(topology, events, mistaken, { latency: 1 }).failed).toContain(BROKEN);
  });
});
