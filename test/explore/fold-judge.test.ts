/** Totals of a fold in a search: the same as those that are computed from the start in each state. */
import { describe, expect, test } from 'vitest';
import { setup } from 'xstate';
import { effects, send, type NodeId } from '../../machines/effects.js';
import { always, sometimes, type Fold } from '../../machines/folded.js';
import type { ChannelState, Configuration, Property } from '../../machines/protocol.js';
import { completeGraph } from './fixtures.js';
import { explore, type ExploreOptions } from './explore.js';
import { toy, type ToyInput } from './toys.fixtures.js';

/** Each node sends `a` or `b`, as often as the application wants, and may be marked. */
const chart = setup({ types: { context: {} as ToyInput, input: {} as ToyInput }, actions: effects() }).createMachine({
  context: ({ input }) => input,
  initial: 'plain',
  states: { plain: { on: { mark: 'marked' } }, marked: {} },
  on: Object.fromEntries(
    ['a', 'b'].map((type) => [
      `send ${type}`,
      { actions: send(({ context }: { context: ToyInput }) => ({ to: context.peers[0]!, message: { type } })) },
    ]),
  ),
});
const protocol = toy({ chart, commands: ['send a', 'send b', 'mark'], network: { order: 'fifo', reach: 'links' } });

/** The first violation of properties in a search, if any. */
const violation = (properties: readonly Property[], commands: ExploreOptions['commands'] = { unlimited: ['send a', 'send b'] }) =>
  explore(protocol, { topology: completeGraph(2), commands, properties, bounds: { depth: 4 } }).counterexample;

/** The states of nodes, the channels that are down, and the facts in flight to each node, in order. A message that is gone is the first equal one. */
class Lists {
  readonly lists: Record<NodeId, unknown[]> = { n0: [], n1: [] };
  readonly values: Record<NodeId, unknown> = {};
  readonly down = new Set<string>();

  node({ id, value }: { readonly id: NodeId; readonly value: unknown }, by: 1 | -1): void {
    if (by === 1) this.values[id] = value;
  }

  channel({ from, to, up }: ChannelState): void {
    if (up || from === to) this.down.delete(`${from} ${to}`);
    else this.down.add(`${from} ${to}`);
  }

  flight({ to, what }: { readonly to: NodeId; readonly what: unknown }, by: 1 | -1): void {
    const list = this.lists[to]!;
    if (by === 1) list.push(what);
    else list.splice(list.indexOf(what), 1);
  }
}

const foldOf = (whatOf: (type: string) => unknown): Fold<unknown, Lists> => ({
  node: (view, id) => ({ id, value: view['toy']!.value }),
  flight: ({ to, message: { type } }) => ({ to, what: whatOf(type) }),
  totals: () => new Lists(),
  isOrdered: true,
});

test('messages of a channel are in order, although some of them are equal', () => {
  const property = always(foldOf((type) => type))('all in order', 'made for a test', ({ lists }, c) => {
    const { flights } = c();
    return Object.entries(lists).every(
      ([node, list]) => String(list) === String(flights.flatMap(({ to, message }) => (to === node ? [message.type] : []))),
    );
  });
  expect(violation([property])).toBeUndefined();
});

/** An object without own fields. */
class Hidden {
  readonly #type: string;
  constructor(type: string) {
    this.#type = type;
  }
  get type(): string {
    return this.#type;
  }
  toJSON(): number {
    return 0;
  }
}

test.each<[string, (type: string) => unknown, (what: unknown) => unknown]>([
  ['strings', (type) => type, (what) => what],
  ['big integers', (type) => BigInt(type === 'a'), (what) => (what === 1n ? 'a' : 'b')],
  ['objects with a short text', (type) => ({ type, toJSON: () => 0 }), (what) => Reflect.get(Object(what), 'type')],
  ['objects that inherit a short text', (type) => new Hidden(type), (what) => (what instanceof Hidden ? what.type : what)],
])('facts that are %s are distinguished', (_, whatOf, typeOf) => {
  const notTwo = (type: string) =>
    always(foldOf(whatOf))(`not two ${type}`, 'made for a test', ({ lists }) => {
      const [first, second] = lists['n0']!.map(typeOf);
      return first !== type || second !== type;
    });
  expect(violation([notTwo('a')])).toMatchObject({ choices: { length: 2 } });
  expect(violation([notTwo('b')])).toMatchObject({ choices: { length: 2 } });
});

test('an error in a fact names a property of the fold', () => {
  const property = always(foldOf(() => fail()))('all in order', 'made for a test', () => true);
  const fail = () => {
    throw new Error('no such message');
  };
  expect(() => violation([property])).toThrow('property "all in order" failed: no such message');
});

describe('a property is judged again after a part of the state has changed', () => {
  const fold = foldOf((type) => type);
  const command = (name: string, node = 'n0') => ({ do: 'command', name, node, fields: {} }) as const;

  test.each<[string, ExploreOptions['commands'], (totals: Lists, c: () => Configuration) => boolean]>([
    ['the first node', [command('mark')], ({ values }) => values['n0'] === 'plain'],
    ['the last node', [command('mark', 'n1')], ({ values }) => values['n1'] === 'plain'],
    ['a channel', [{ do: 'cut', link: ['n0', 'n1'] }], ({ down }) => down.size === 0],
    ['the messages', [command('send a')], ({ lists }) => lists['n1']!.length === 0],
    ['their order', { unlimited: ['send a', 'send b'] }, ({ lists }) => String(lists['n1']) !== 'b,a'],
    ['what is not in the totals', [{ do: 'crash', node: 'n1' }], (_, c) => c().crashed!.length === 0],
  ])('%s', (_, commands, holds) => {
    const property = always(fold)('holds at first', 'made for a test', holds);
    expect(violation([property], commands)).toMatchObject({ property: 'holds at first' });
  });

  test('and not before', () => {
    let calls = 0;
    const answers = new Set<string>();
    const holds = ({ lists }: Lists) => {
      calls++;
      answers.add(JSON.stringify(lists));
      return true;
    };
    const property = always(foldOf(() => 'same'))('counts', 'made for a test', holds);
    expect(violation([property])).toBeUndefined();
    expect(calls).toBe(answers.size);
  });

  test('and its answers are not those of another one', () => {
    const over = foldOf(() => 'same');
    const properties = [
      always(over)('yes', 'made for a test', () => true),
      sometimes(over)('no', 'made for a test', () => false),
    ];
    const found = explore(protocol, { topology: completeGraph(2), commands: 'unlimited', properties, bounds: { depth: 4 } });
    expect(found.properties.map(({ holds }) => holds)).toEqual([null, null]);
  });
});
