/** Messages in flight, the numbers of their channels, and the commands that wait at a node. */
import { describe, expect, test } from 'vitest';
import { channelNumbers, FlightTable } from './flights.js';
import { CommandQueue } from './commands.js';

const NODES = ['a', 'b', 'c'];
const instance = { rank: (node: string) => NODES.indexOf(node), topology: { nodes: NODES, links: [] } } as any;
const table = () => new FlightTable(channelNumbers(instance));
const ids = (packets: readonly { readonly id: number }[]) => packets.map(({ id }) => id);
const hello = { type: 'hello' };

describe('flights', () => {
  test('have numbers in the order of sending, and the number of their channel', () => {
    const flights = table();
    const first = flights.launch('a', 'b', hello, 2);
    const second = flights.launch('b', 'a', hello, 3);
    expect(first).toEqual({ id: 0, from: 'a', to: 'b', message: hello, cost: 2, channel: flights.channelOf('a', 'b') });
    expect([second.id, flights.size, ids(flights.all), flights.get(1)]).toEqual([1, 2, [0, 1], second]);
    expect(flights.get(2)).toBeUndefined();
  });

  test('are listed by channel, and the oldest of a channel is first', () => {
    const flights = table();
    const [first, second, other] = [['a', 'b'] as const, ['a', 'b'] as const, ['b', 'a'] as const].map(([from, to]) =>
      flights.launch(from, to, hello, 1),
    );
    expect([ids(flights.between('a', 'b')), ids(flights.between('b', 'a')), flights.between('a', 'c')]).toEqual([
      [0, 1],
      [2],
      [],
    ]);
    expect([first, second, other].map((packet) => flights.isFirst(packet!))).toEqual([true, false, true]);
    flights.remove(first!);
    expect([flights.isFirst(second!), flights.isFirst(first!), flights.get(0), flights.size]).toEqual([
      true,
      false,
      undefined,
      2,
    ]);
    flights.remove(second!);
    expect([flights.between('a', 'b'), flights.isFirst(second!), flights.isFirst(other!)]).toEqual([[], false, true]);
  });

  test('a follower receives existing ones first, and each start and end once', () => {
    const flights = table();
    const first = flights.launch('a', 'b', hello, 1);
    const received: string[] = [];
    flights.follow(({ id }, by) => received.push(`${id}${by > 0 ? '+' : '-'}`));
    flights.launch('a', 'b', hello, 1);
    flights.remove(first);
    flights.remove(first);
    expect(received).toEqual(['0+', '1+', '0-']);
  });

  test('are copied with their numbers, and the copy is independent', () => {
    const flights = table();
    const first = flights.launch('a', 'b', hello, 1);
    flights.launch('a', 'b', hello, 1);
    flights.remove(first);
    const copy = flights.copy();
    expect([ids(copy.all), ids(copy.between('a', 'b')), copy.launch('b', 'c', hello, 1).id]).toEqual([[1], [1], 2]);
    copy.remove(copy.get(1)!);
    expect([ids(flights.all), flights.size, copy.size]).toEqual([[1], 1, 1]);
  });
});

describe('numbers of channels', () => {
  test('go by receiver, then by sender', () => {
    const number = channelNumbers(instance);
    const all = NODES.flatMap((to) => NODES.map((from) => number(from, to)));
    expect(all).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('those of later nodes follow, in the order of first use, and stay', () => {
    const number = channelNumbers(instance);
    expect([number('x', 'a'), number('a', 'x'), number('y', 'x')]).toEqual([10, 11, 12]);
    expect([number('a', 'x'), number('x', 'a'), number('c', 'c')]).toEqual([11, 10, 9]);
  });
});

describe('commands that wait', () => {
  const command = (name: string) => ({ name, waits: true, event: { type: name } });

  test('are taken oldest first, when the chart takes them', () => {
    const queue = new CommandQueue();
    expect([queue.head, queue.take(() => true)]).toEqual([undefined, undefined]);
    const [one, two] = [command('one'), command('two')];
    queue.add(one);
    queue.add(two);
    const asked: string[] = [];
    expect(queue.take(({ type }) => asked.push(type) === 0)).toBeUndefined();
    expect([asked, queue.head, queue.all]).toEqual([['one'], one, [one, two]]);
    expect([queue.take(() => true), queue.head, queue.all]).toEqual([one, two, [two]]);
  });

  test('are copied, and the copy goes its own way', () => {
    const queue = new CommandQueue([command('one')]);
    const copy = queue.copy();
    copy.add(command('two'));
    queue.clear();
    expect([queue.all.length, copy.all.map(({ name }) => name)]).toEqual([0, ['one', 'two']]);
  });
});
