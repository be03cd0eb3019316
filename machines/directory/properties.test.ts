/** Every property of the directory holds in a good configuration and is violated by a bad one: none of them is vacuous. */
import { describe, expect, test } from 'vitest';
import type { Configuration, Flight, NodeView, Property } from '../protocol.js';
import type { EdgeKind, Policy } from './policies.js';
import { directoryProperties } from './properties.js';

interface Node {
  readonly state: string;
  readonly parent: string;
  readonly next?: string;
  readonly edge?: EdgeKind;
  readonly joined?: number;
}

const valueOf = (path: string): any => {
  const [head, ...rest] = path.split('.');
  return rest.length === 0 ? head : { [head!]: valueOf(rest.join('.')) };
};

const view = (id: string, { state, parent, next, edge, joined = 0 }: Node): NodeView => ({
  directory: {
    chart: 'directory',
    value: valueOf(state),
    context: { id, parent, next: next ?? null, edge: edge ?? 'tree', policy: 'ivy', fence: null, held: null, joined },
  },
});

function configuration(nodes: Record<string, Node>, flights: readonly Partial<Flight>[], policy: Policy): Configuration<any> {
  const names = Object.keys(nodes);
  const topology = { nodes: names, links: [] };
  const options = { policy, sides: policy === 'bridge' ? { a: 'A', b: 'A', c: 'B' } : null };
  return {
    instance: { topology, options, distance: () => 1, rank: (node) => names.indexOf(node) },
    nodes: new Map(names.map((id) => [id, view(id, nodes[id]!)])),
    flights: flights.map((flight, id) => ({ id, from: 'a', to: 'a', cost: 1, message: { type: 'token' }, ...flight })),
    links: { up: () => true, neighbors: () => [], port: () => 0 },
  };
}

const find = (from: string, to: string, producer: string, visited: readonly string[], edge: EdgeKind = 'tree') => ({
  from,
  to,
  message: { type: 'find', producer, visited, edge },
});

const holder = { state: 'holding.idle', parent: 'a' };
const below = (parent: string): Node => ({ state: 'idle', parent });

function holds(
  name: string,
  nodes: Record<string, Node>,
  flights: readonly Partial<Flight>[] = [],
  policy: Policy = 'ivy',
): boolean {
  const c = configuration(nodes, flights, policy);
  const property = directoryProperties(c.instance).find((candidate) => candidate.name === name) as Property<any> & {
    kind: 'always';
  };
  return property.holds(c);
}

/** c's find flies to b, which points to the holder a. */
const good: [Record<string, Node>, Partial<Flight>[]] = [
  { a: holder, b: below('a'), c: { state: 'waiting.last', parent: 'c' } },
  [find('c', 'b', 'c', ['c'])],
];

const bad: Record<string, [Record<string, Node>, Partial<Flight>[]]> = {
  'spanning tree': [{ a: holder, b: below('c'), c: below('b') }, []],
  'green trees': [good[0], [find('c', 'b', 'c', ['c', 'a'])]],
  'source side': [good[0], [find('c', 'b', 'c', ['c', 'a'])]],
  'one token': [{ a: holder, b: below('a'), c: { state: 'holding.idle', parent: 'c' } }, []],
  'one trace of a request': [good[0], []],
  'end of the queue': [{ a: { state: 'holding.idle', parent: 'b' }, b: below('a'), c: below('a') }, []],
  'head of the queue': [{ a: holder, b: below('a'), c: { state: 'waiting.last', parent: 'c' } }, []],
};

describe('invariants of spec 1.6', () => {
  test.each(Object.keys(bad))('%s', (name) => {
    expect(holds(name, ...good)).toBe(true);
    expect(holds(name, ...bad[name]!)).toBe(false);
  });

  test('end of the queue is also violated by a shared next and a cycle of next', () => {
    const waiting = (parent: string, next: string): Node => ({ state: 'waiting.followed', parent, next });
    expect(
      holds('end of the queue', { a: waiting('b', 'c'), b: waiting('a', 'c'), c: { state: 'waiting.last', parent: 'c' } }),
    ).toBe(false);
    expect(holds('end of the queue', { a: waiting('b', 'b'), b: waiting('a', 'a'), c: holder })).toBe(false);
  });

  test('end of the queue is also violated by a waiting request without a predecessor', () => {
    const joined = (state: string) => ({ a: holder, b: below('a'), c: { state, parent: 'c', joined: 1 } });
    expect(holds('end of the queue', joined('waiting.last'))).toBe(true);
    expect(holds('end of the queue', joined('holding.using.last'))).toBe(false);
  });

  test('one bridge: exactly one flagged edge, and it joins the two sides', () => {
    const ring = (edge: EdgeKind, parentOfC = 'b') => ({ a: holder, b: below('a'), c: { ...below(parentOfC), edge } });
    expect(holds('one bridge', ring('bridge'), [], 'bridge')).toBe(true);
    expect(holds('one bridge', ring('tree'), [], 'bridge')).toBe(false);
    expect(holds('one bridge', { ...ring('bridge'), b: { ...below('a'), edge: 'bridge' } }, [], 'bridge')).toBe(false);
    expect(holds('one bridge', { ...ring('bridge'), b: below('c') }, [], 'bridge')).toBe(false);
  });
});
