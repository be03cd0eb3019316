/** The state of a network as properties see it, and its changes since the last query. */
import { expect, test } from 'vitest';
import { ConfigurationView } from './configuration.js';
import { FlightTable } from './flights.js';
import { Links } from './links.js';

const hello = { type: 'hello' };

/** Two linked nodes, each of which counts how often its view is built. */
function viewed() {
  const state: Record<string, number> = { a: 0, b: 0 };
  const built: string[] = [];
  const node = (id: string) => ({ view: () => (built.push(id), { role: { chart: 'c', value: 'v', context: state[id] } }) });
  const running = new Map<string, any>([
    ['a', node('a')],
    ['b', node('b')],
  ]);
  const flights = new FlightTable((from, to) => (from < to ? 1 : 2));
  const links = new Links({ nodes: ['a', 'b'], links: [['a', 'b', 1]] });
  const crashed = new Set<string>();
  const view = new ConfigurationView({} as any, running, flights, links, crashed);
  const values = () => [...view.nodes].map(([id, { role }]) => `${id}${role!.context as number}`);
  const move = (id: string) => {
    state[id] = (state[id] ?? 0) + 1;
    view.touch(id);
  };
  return { view, values, move, built, running, node, flights, links, crashed };
}

test('views are built on demand, and again only for nodes that have changed', () => {
  const { values, move, built } = viewed();
  move('a');
  expect(built).toEqual([]);
  expect([values(), built]).toEqual([
    ['a1', 'b0'],
    ['a', 'b'],
  ]);
  expect([values(), built.length]).toEqual([['a1', 'b0'], 2]);
  move('b');
  move('b');
  expect([values(), built]).toEqual([
    ['a1', 'b2'],
    ['a', 'b', 'b'],
  ]);
  expect([values(), built.length]).toEqual([['a1', 'b2'], 3]);
});

test('an added node exists', () => {
  const { values, move, running, node } = viewed();
  values();
  running.set('c', node('c'));
  move('c');
  expect(values()).toEqual(['a0', 'b0', 'c1']);
});

test('messages in flight and crashed nodes are as they are', () => {
  const { view, flights, crashed } = viewed();
  const packet = flights.launch('a', 'b', hello, 1);
  crashed.add('b');
  expect([view.flights, view.between('a', 'b'), view.between('b', 'a'), view.crashed]).toEqual([[packet], [packet], [], ['b']]);
});

test('a follower first receives everything, then the changes since its last call', () => {
  const { view, move, flights, links } = viewed();
  const first = flights.launch('a', 'b', hello, 1);
  const changes = view.follow();
  const up = (from: string, to: string, is: boolean) => ({ from, to, up: is, port: 0 });
  expect(changes()).toEqual({
    nodes: ['a', 'b'],
    channels: [up('a', 'b', true), up('b', 'a', true)],
    flights: [[first, 1]],
  });
  expect(changes()).toEqual({ nodes: [], channels: [], flights: [] });
  move('b');
  links.set('a', 'b', false);
  flights.remove(first);
  const second = flights.launch('b', 'a', hello, 1);
  expect(changes()).toEqual({
    nodes: ['b'],
    channels: [up('a', 'b', false)],
    flights: [
      [first, -1],
      [second, 1],
    ],
  });
  const later = view.follow();
  expect([later().nodes, changes().nodes]).toEqual([['a', 'b'], []]);
});
