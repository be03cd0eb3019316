/** Symmetry: states that differ only by a permutation of the nodes are one; asymmetric charts and properties are reported. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { directory } from '../../machines/directory/index.js';
import { effects, send } from '../../machines/effects.js';
import { ProtocolError, UsageError } from '../../machines/errors.js';
import type { Configuration, Property } from '../../machines/protocol.js';
import { everyStart } from './directory.fixtures.js';
import { explore, type ExploreOptions } from './explore.js';
import { completeGraph, names } from './fixtures.js';
import { anyTable, chartOf } from './random-charts.fixture.js';
import { replay } from './replay.fixture.js';
import { toy, type ToyInput } from './toys.fixtures.js';

const always = (name: string, holds: (c: Configuration) => boolean): Property => ({
  name,
  description: '',
  kind: 'always',
  holds,
});
const stateAt = (c: Configuration, node: string): unknown => c.nodes.get(node)!['toy']!.value;

/** Records the states that the search visits; two that a swap of the nodes maps to each other are one. */
function orbits(c: Configuration, known: Set<string>): void {
  const flights = (swap: boolean) =>
    c.flights.map(({ to, message }) => `${swap ? (to === 'n0' ? 'n1' : 'n0') : to}${message.type}`).sort();
  const nodes = ['n0', 'n1'].map((node) => JSON.stringify(stateAt(c, node)));
  known.add(
    [
      [nodes, flights(false)],
      [nodes.toReversed(), flights(true)],
    ]
      .map((state) => JSON.stringify(state))
      .sort()[0]!,
  );
}

describe('random charts, two equal nodes', () => {
  test('the number of states up to a swap, and the same violations', () => {
    let violations = 0;
    fc.assert(
      fc.property(anyTable, fc.nat(2), (table, bad) => {
        const plain = table.map((rules) => rules.map((rule) => rule && { ...rule, arms: null, announces: false }));
        const protocol = toy({ chart: chartOf(plain), commands: ['go'] });
        const known = new Set<string>();
        const count = always('count', (c) => (orbits(c, known), true));
        const meet = always('meet', (c) => stateAt(c, 'n0') !== `s${bad}` || stateAt(c, 'n1') !== `s${bad}`);
        const question = { topology: completeGraph(2), commands: 'unlimited', bounds: { depth: 4 } } as const;
        explore(protocol, { ...question, properties: [count] });
        expect(explore(protocol, { ...question, properties: [], reduce: 'symmetry' }).states).toBe(known.size);
        const full = explore(protocol, { ...question, properties: [meet] });
        const found = explore(protocol, { ...question, properties: [meet], reduce: 'symmetry' });
        expect(found.verdict).toBe(full.verdict);
        if (!found.counterexample) return;
        violations++;
        expect(found.counterexample.choices).toHaveLength(full.counterexample!.choices.length);
        const { end } = replay(protocol, completeGraph(2), found.counterexample);
        expect(['n0', 'n1'].map((node) => stateAt(end, node))).toEqual([`s${bad}`, `s${bad}`]);
      }),
      { numRuns: 60 },
    );
    expect(violations).toBeGreaterThan(10);
  });
});

describe('the directory: all nodes are symmetric', () => {
  const safety = (n: number): ExploreOptions => {
    const start = everyStart(n, 0);
    return { ...start, properties: start.properties.filter(({ kind }) => kind === 'always') };
  };

  /** The smallest text of a state among all permutations of the nodes. */
  function leastName({ nodes, flights }: Configuration, renamings: readonly Readonly<Record<string, string>>[]): string {
    const texts = renamings.map((names) => {
      const renamed = (value: unknown): any => JSON.parse(JSON.stringify(value).replaceAll(/n\d/g, (name) => names[name]!));
      const sent = flights.map((flight) => {
        const { to, message } = flight;
        if (message.type !== 'find') return renamed([to, message.type]);
        const { producer, visited } = renamed(message);
        return [...renamed([flight.from, to]), producer, visited.sort()];
      });
      return JSON.stringify([renamed([...nodes]).sort(), sent.map(String).sort()]);
    });
    return texts.sort()[0]!;
  }

  test('every rooted tree of 3 nodes: the number of states up to renaming', () => {
    const known = new Set<string>();
    const renamings = ordersOf(names(3)).map((order) => Object.fromEntries(names(3).map((node, i) => [node, order[i]!])));
    const count = always('count', (c) => known.add(leastName(c, renamings)).size > 0);
    expect(explore(directory, { ...safety(3), properties: [count] })).toMatchObject({ verdict: 'valid', states: 180 });
    const found = explore(directory, { ...safety(3), reduce: 'symmetry' });
    expect(found).toMatchObject({ verdict: 'valid', states: 32, symmetries: 6 });
    expect(known.size).toBe(32);
  });

  test('every rooted tree of 4 nodes: 361 states instead of 8,392', () => {
    const found = explore(directory, { ...safety(4), reduce: 'symmetry' });
    expect(found).toMatchObject({ verdict: 'valid', states: 361, symmetries: 24 });
  });

  const ordersOf = (nodes: readonly string[]): string[][] =>
    nodes.length === 0
      ? [[]]
      : nodes.flatMap((node) => ordersOf(nodes.filter((other) => other !== node)).map((rest) => [node, ...rest]));

  test('nodes that a script or the first states distinguish are not permuted', () => {
    const request = (node: string) => ({ do: 'command', name: 'request', node, fields: {} }) as const;
    const options = { policy: 'ivy', root: 'n0', parents: { n0: 'n0', n1: 'n0', n2: 'n0' } };
    const ask = (...nodes: string[]) =>
      explore(directory, {
        topology: completeGraph(3),
        options,
        commands: nodes.map(request),
        properties: safety(3).properties!,
        reduce: 'symmetry',
      });
    expect(ask('n1', 'n2')).toMatchObject({ verdict: 'valid', symmetries: 2 });
    expect(ask('n1')).toMatchObject({ verdict: 'valid', symmetries: 1 });
  });
});

describe('asymmetric systems', () => {
  const chart = (target: (context: ToyInput) => string) =>
    setup({
      types: { context: {} as ToyInput & { noted: string }, input: {} as ToyInput },
      actions: { ...effects(), note: assign({ noted: ({ context }) => target(context) }) },
    }).createMachine({
      context: ({ input }) => ({ ...input, noted: '' }),
      initial: 'only',
      states: {
        only: {
          on: { go: { actions: ['note', send(({ context }) => ({ to: context.peers, message: { type: 'm' } }))] }, m: {} },
        },
      },
    });
  const ask = (target: (context: ToyInput) => string, property: Property) => () =>
    explore(toy({ chart: chart(target), commands: ['go'] }), {
      topology: completeGraph(3),
      commands: 'unlimited',
      properties: [property],
      reduce: 'symmetry',
      bounds: { depth: 3 },
    });
  const fine = always('fine', () => true);

  test('a chart that treats its peers alike is accepted', () => {
    expect(ask(({ id }) => id, fine)).not.toThrow();
  });

  test.each([
    ['compares names', ({ id, peers }: ToyInput) => (id < peers[0]! ? 'low' : 'high')],
    ['uses the first node of a list that is a set', ({ peers }: ToyInput) => peers[0]!],
  ])('a chart that %s', (_, target) => {
    expect(ask(target, fine)).toThrow(ProtocolError);
    expect(ask(target, fine)).toThrow(/Protocol toy is not symmetric: its next steps change when n\d becomes n\d/);
  });

  test('a property of one node', () => {
    const named = always('n0 is quiet', (c) => c.nodes.get('n0')!['toy']!.context.noted === '');
    expect(ask(({ id }) => id, named)).toThrow('Property "n0 is quiet" is not symmetric');
  });

  test('a liveness property', () => {
    const served: Property = { name: 'served', description: '', kind: 'eventually', when: () => true, holds: () => true };
    expect(ask(({ id }) => id, served)).toThrow(UsageError);
    expect(ask(({ id }) => id, served)).toThrow('Symmetry reduction cannot check the liveness property "served"');
  });

  test('more nodes than the limit', () => {
    const eight = () => explore(directory, { topology: completeGraph(8), properties: [], reduce: 'symmetry' });
    expect(eight).toThrow('Symmetry supports up to 7 nodes, but this system has 8');
  });
});
