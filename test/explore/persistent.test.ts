/** Partial-order reduction against the search without it: the same ends, and a violation whenever there is one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emit, setup } from 'xstate';
import { controller } from '../../machines/controller/index.js';
import { directory } from '../../machines/directory/index.js';
import { election } from '../../machines/election/index.js';
import { exclusion } from '../../machines/exclusion/index.js';
import { queue } from '../../machines/queue/index.js';
import type { Configuration, Property, Protocol, Topology } from '../../machines/protocol.js';
import { explore, type Exploration, type ExploreOptions } from './index.js';
import { completeGraph, names } from './fixtures.js';
import { anyTable, chartOf } from './random-charts.fixture.js';
import { replay } from './replay.fixture.js';
import { toy } from './toys.js';

const stateAt = (c: Configuration, node: string): unknown => c.nodes.get(node)!['toy']!.value;
const line = (n: number): Topology => ({ nodes: names(n), links: names(n - 1).map((node, i) => [node, `n${i + 1}`, 1]) });
const command = (name: string, node: string, fields = {}) => ({ do: 'command', name, node, fields }) as const;

/** Two of the nodes must not be in these states at once. */
const apart = (one: string, two: string, bad: number): Property => ({
  name: 'apart',
  says: '',
  kind: 'always',
  holds: (c) => stateAt(c, one) !== `s${bad}` || stateAt(c, two) !== `s${bad}`,
});

/** The ends, as texts: a promise that is never asked is looked at in each of them. */
function endsOf(protocol: Protocol, options: ExploreOptions): { readonly found: Exploration; readonly ends: readonly string[] } {
  const ends = new Set<string>();
  const look: Property = {
    name: 'look',
    says: '',
    kind: 'eventually',
    holds: () => true,
    when: ({ nodes, flights, links }, node) => {
      const [first] = nodes.keys();
      if (flights.length > 0 || node !== first) return false;
      const up = [...nodes.keys()].map((id) => links.neighbours(id));
      return ends.add(JSON.stringify([[...nodes], up])).size < 0;
    },
  };
  return { found: explore(protocol, { ...options, properties: [look] }), ends: [...ends].sort() };
}

describe('charts made at random on three nodes', () => {
  const anyQuestion = fc.record({
    table: anyTable,
    order: fc.constantFrom('fifo' as const, 'fifo' as const, 'fifo' as const, 'unordered' as const),
    reach: fc.constantFrom('links' as const, 'links' as const, 'links' as const, 'routed' as const),
    after: fc.nat(1),
    changes: fc.boolean(),
    bad: fc.nat(2),
  });

  function questionOf({
    table,
    order,
    reach,
    after,
    changes,
  }: {
    table: any;
    order: any;
    reach: any;
    after: number;
    changes: boolean;
  }) {
    const reactions = () => [{ on: 'did', event: { type: 'react' }, after }];
    const protocol = toy({ chart: chartOf(table), commands: ['go'], network: { order, reach }, reactions });
    const cut = { do: 'cut', link: ['n0', 'n1'] } as const;
    const commands = [command('go', 'n0'), command('go', 'n2'), ...(changes && reach === 'links' ? [cut] : [])];
    return { protocol, question: { topology: line(3), commands, bounds: { states: 1000 } } satisfies ExploreOptions };
  }

  /** The plain search may come to a violation within its bound that the reduced one, which has another order, finds behind it. */
  const further = (question: ExploreOptions) => ({ ...question, bounds: { states: 50_000 } });

  test('the same states at rest', () => {
    let [full, part, smaller] = [0, 0, 0];
    fc.assert(
      fc.property(anyQuestion, (any) => {
        const { protocol, question } = questionOf(any);
        const all = endsOf(protocol, question);
        if (all.found.stopped !== undefined) return;
        const some = endsOf(protocol, { ...question, reduce: 'order' });
        // In flight are still those that nobody has to deliver: none. So an end is a state of rest, and the other way round.
        expect(some.found.terminal).toBe(all.found.terminal);
        expect(all.ends).toEqual(expect.arrayContaining([...some.ends]));
        full += all.found.states;
        part += some.found.states;
        if (some.found.states < all.found.states) smaller++;
      }),
      // A seed, for what stands below is not so of each 120.
      { numRuns: 120, seed: 1 },
    );
    expect(smaller).toBeGreaterThan(4);
    expect(part).toBeLessThan(full);
  });

  test('two nodes that must not meet: the same verdict, and the schedule leads there', () => {
    let violations = 0;
    fc.assert(
      fc.property(anyQuestion, fc.constantFrom(['n0', 'n1'], ['n0', 'n2'], ['n1', 'n1'], ['n2', 'n2']), (any, [one, two]) => {
        const { protocol, question } = questionOf(any);
        const property = apart(one, two, any.bad);
        const full = explore(protocol, { ...question, properties: [property] });
        if (full.stopped !== undefined) return;
        const found = explore(protocol, { ...further(question), properties: [property], reduce: 'order' });
        expect(found.verdict).toBe(full.verdict);
        if (!found.counterexample) return;
        violations++;
        const { end } = replay(protocol, line(3), found.counterexample, question.commands);
        expect([stateAt(end, one), stateAt(end, two)]).toEqual([`s${any.bad}`, `s${any.bad}`]);
      }),
      { numRuns: 150 },
    );
    expect(violations).toBeGreaterThan(10);
  });

  test('to rest while something is owed: found exactly when it can happen', () => {
    let stuck = 0;
    fc.assert(
      fc.property(anyQuestion, (any) => {
        const { protocol, question } = questionOf(any);
        const isBad = (c: Configuration) => stateAt(c, 'n1') === `s${any.bad}`;
        const owed = (atRest: boolean): Property => ({
          name: 'owed',
          says: '',
          kind: 'eventually',
          when: (c) => isBad(c) && (!atRest || c.flights.length === 0),
          holds: () => false,
        });
        const reduced = explore(protocol, { ...further(question), properties: [owed(false)], reduce: 'order' });
        const full = explore(protocol, { ...question, properties: [owed(false)] });
        if (full.stopped !== undefined) return;
        const rests = ({ counterexample }: Exploration) => counterexample?.loop === counterexample?.choices.length;
        if (reduced.counterexample) {
          stuck++;
          expect(full.verdict).toBe('invalid');
        } else {
          expect(reduced.verdict).toBe('unknown');
          expect(full.verdict === 'invalid' && rests(full)).toBe(false);
        }
      }),
      { numRuns: 100 },
    );
    expect(stuck).toBeGreaterThan(10);
  });
});

test('what properties look at is never put off: two nodes apart, each in the middle at once', () => {
  const chart = setup({}).createMachine({
    initial: 's0',
    states: {
      s0: { on: { go: { target: 's1', actions: emit({ type: 'did' }) } } },
      s1: { on: { react: 's2' } },
      s2: {},
    },
  });
  const reactions = () => [{ on: 'did', event: { type: 'react' }, after: 1 }];
  const protocol = toy({ chart, commands: ['go'], network: { reach: 'links' }, reactions });
  const question = {
    topology: { nodes: names(2), links: [] },
    commands: names(2).map((node) => command('go', node)),
    properties: [apart('n0', 'n1', 1)],
  };
  expect(explore(protocol, { ...question, reduce: 'order' }).verdict).toBe('invalid');
  // Looked at by nobody, one of the two goes the whole way first.
  const unseen = { ...question, properties: [] };
  expect(explore(protocol, { ...unseen, reduce: 'order' }).states).toBeLessThan(explore(protocol, unseen).states);
});

describe('our protocols: the same ends', () => {
  const lock = (node: string) => command('lock', node);
  test.each<[string, Protocol, ExploreOptions, number, number, number]>([
    [
      'local mutual exclusion, three in a line',
      exclusion,
      { topology: line(3), options: { priorities: 2, hold: 1 }, commands: [lock('n0'), lock('n2')] },
      2237,
      2237,
      1,
    ],
    [
      'a controller on a chain',
      controller,
      { topology: line(4), options: { kind: 'basic', M: 2, W: 1 }, commands: names(4).map((node) => command('take', node)) },
      466,
      422,
      10,
    ],
    [
      'an election with logical clocks, a link cut',
      election,
      { topology: line(4), options: { clock: 'logical' }, commands: [{ do: 'cut', link: ['n0', 'n1'] }] },
      40,
      30,
      1,
    ],
    [
      'a directory, whose messages go anywhere',
      directory,
      {
        topology: completeGraph(3),
        options: { policy: 'ivy', hold: 1 },
        commands: names(3).map((node) => command('request', node)),
      },
      164,
      164,
      6,
    ],
  ])('%s', (_, protocol, question, states, reduced, terminal) => {
    const all = endsOf(protocol, question);
    const some = endsOf(protocol, { ...question, reduce: 'order' });
    expect([all.found.states, some.found.states, all.found.terminal]).toEqual([states, reduced, terminal]);
    expect(some.found.terminal).toBe(terminal);
    expect(all.ends).toEqual(expect.arrayContaining([...some.ends]));
  });
});

describe('where nothing is known to commute it is refused', () => {
  const ask = (protocol: Protocol, options: Partial<ExploreOptions>) => () =>
    explore(protocol, { topology: line(2), properties: [], reduce: 'order', ...options });

  test.each<[string, () => unknown, string]>([
    ['timers that depend on others', ask(queue, {}), 'partial-order reduction is not for queue here: whether a timer may fire'],
    ['events with times', ask(election, {}), 'events carry times'],
    ['events that take turns', ask(directory, { oneByOne: true, commands: [command('request', 'n1')] }), 'not independent of it'],
    ['a goal', ask(directory, { goal: () => true }), 'leave it or the goal out'],
  ])('%s', (_, question, message) => {
    expect(question).toThrow(message);
  });
});
