/** Which events a transition answers; and a node that is put in the very state of another one. */
import { assign, setup } from 'xstate';
import { expect, test } from 'vitest';
import { effects, type Message } from '../../machines/effects.js';
import { answers } from './event-descriptors.js';
import { createHost, type HostKind } from './hosts.js';
import { selectedIn } from './selected-in.js';
import { Node } from './node.js';
import { takeOver } from './take-over.js';

test('a transition answers its own type, any type with a star, or those with a prefix, dot by dot', () => {
  const types = ['link', 'link.up', 'link.up.now', 'linked.up', 'other', 'link.*'];
  const answered = (descriptor: string) => types.filter((type) => answers(descriptor, type));
  expect(answered('link.up')).toEqual(['link.up']);
  expect(answered('*')).toEqual(types);
  expect(answered('link.*')).toEqual(['link', 'link.up', 'link.up.now', 'link.*']);
  expect(answered('link.up.*')).toEqual(['link.up', 'link.up.now']);
  expect(answered('link*')).toEqual([]);
  expect(answered('.*')).toEqual([]);
});

const chart = setup({ types: { context: {} as { n: number }, events: {} as Message }, actions: effects() }).createMachine({
  context: { n: 0 },
  initial: 'off',
  on: { go: { target: '.on', actions: assign({ n: ({ context }) => context.n + 1 }) } },
  states: { off: {}, on: {} },
});
const hosted = { charts: { c: chart } };

test.each<[from: HostKind, to: HostKind]>([
  ['snapshots', 'snapshots'],
  ['actors', 'snapshots'],
  ['snapshots', 'actors'],
  ['actors', 'actors'],
])('a node takes over from another one, %s to %s, has what it had and goes its own way', (from, to) => {
  const noChance = () => expect.unreachable();
  const [there, here] = [new Node('a', createHost(from, hosted)), createHost(to, hosted)];
  there.start(
    [
      { role: 'main', chart: 'c', input: {} },
      { role: 'more', chart: 'c', input: {} },
    ],
    noChance,
  );
  there.step('main', { type: 'go' }, noChance);
  const node = new Node('a', here);
  node.start([{ role: 'old', chart: 'c', input: {} }], noChance);
  takeOver(node, there, here);
  expect(node.view()).toEqual(there.view());
  expect(Object.keys(node.view())).toEqual(['main', 'more']);
  if (from === 'snapshots' && to === 'snapshots') expect(node.role('main')!.context).toBe(there.role('main')!.context);
  node.step('main', { type: 'go' }, noChance);
  expect([node.role('main')!.context, there.role('main')!.context, node.role('main')!.chart]).toEqual([{ n: 2 }, { n: 1 }, 'c']);
  const watching = here.selections!.watch(selectedIn);
  node.step('more', { type: 'go' }, noChance);
  expect(here.selections!.take()!.taken.map(([role]) => role)).toEqual(['more']);
  watching();
});
