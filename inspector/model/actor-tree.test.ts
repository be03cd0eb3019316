import { expect, test } from 'vitest';
import { treeRows, type ActorTreeInput, type TreeRow } from './actor-tree.js';
import type { Life } from './moment.js';

function textOf(row: TreeRow): string {
  const indent = '  '.repeat(row.level - 1);
  if (row.kind === 'program') return `${indent}${row.name} (${row.running})`;
  return `${indent}${row.kind === 'kind' ? `${row.name} (${row.count})` : row.label}`;
}

/** A program with an actor that has started a promise for each job. */
function shop(jobs: number, lifeOfJob: Life = 'ended'): ActorTreeInput {
  const names = ['shop/app', 'shop/app/cart', ...Array.from({ length: jobs }, (_, i) => `shop/app/load (${i + 1})`), 'lone'];
  return {
    names,
    programs: names.map((name) => (name === 'lone' ? undefined : 'shop')),
    parents: names.map((name) => (name.startsWith('shop/app/') ? 0 : undefined)),
    groups: [],
    lifeOf: (node) => (names[node]!.includes('load') ? lifeOfJob : 'alive'),
    isHere: () => true,
    toggled: new Set(),
    matches: null,
  };
}

test('program, actor and child; stopped actors are one row', () => {
  expect(treeRows(shop(1500)).map(textOf)).toEqual(['shop (2)', '  app', '    cart', '    1,500 stopped', 'lone']);
  expect(treeRows(shop(1500, 'failed')).map(textOf)[3]).toBe('    1,500 stopped, 1,500 failed');
});

test('a single stopped actor keeps its row, and so do running ones', () => {
  expect(treeRows(shop(1)).map(textOf)).toEqual(['shop (2)', '  app', '    cart', '    load (1)', 'lone']);
  expect(treeRows(shop(2, 'alive')).map(textOf)).toEqual([
    'shop (4)',
    '  app',
    '    cart',
    '    load (1)',
    '    load (2)',
    'lone',
  ]);
});

test('rows open and close', () => {
  const rows = treeRows(shop(3));
  const fold = rows.find(({ kind }) => kind === 'stopped')!;
  expect(
    treeRows({ ...shop(3), toggled: new Set([fold.key]) })
      .map(textOf)
      .slice(3),
  ).toEqual(['    3 stopped', '      load (1)', '      load (2)', '      load (3)', 'lone']);
  expect(treeRows({ ...shop(3), toggled: new Set([rows[0]!.key]) }).map(textOf)).toEqual(['shop (2)', 'lone']);
});

test('a filter keeps matches and their ancestors, and counts the matches of a fold', () => {
  const input = shop(30);
  const matches = (node: number) => input.names[node]!.endsWith('(7)');
  expect(treeRows({ ...input, matches }).map(textOf)).toEqual(['shop (2)', '  app', '    1 of 30 stopped', '      load (7)']);
});

test('actors that claim to be parents of each other are shown once', () => {
  const lines = treeRows({ ...shop(0), names: ['a', 'b'], programs: [], parents: [1, 0] }).map(textOf);
  expect(lines).toEqual(['a', '  b']);
});

/** Two members in separate programs, and orders that they host. */
function cluster(orders: number): ActorTreeInput {
  const names = ['a', 'order/1', 'b', ...Array.from({ length: orders - 1 }, (_, i) => `order/${i + 2}`), 'room/x/y'];
  return {
    ...shop(0),
    names,
    programs: names.map((name) => (name === 'a' ? 'one' : 'two')),
    parents: [],
    groups: names.map((name) => (name.includes('/') ? name.slice(0, name.indexOf('/')) : undefined)),
    lifeOf: () => 'alive',
  };
}

test('cluster actors are grouped by kind, outside of programs', () => {
  expect(treeRows(cluster(2)).map(textOf)).toEqual([
    'one (1)',
    '  a',
    'two (1)',
    '  b',
    'order (2)',
    '  1',
    '  2',
    'room (1)',
    '  x/y',
  ]);
  const named = { ...cluster(1), names: ['a', 'shop/order/1', 'b', 'shop/room/x/y'] };
  expect(treeRows(named).map(textOf).slice(4)).toEqual(['shop/order (1)', '  1', 'shop/room (1)', '  x/y']);
});

test('a kind with hundreds of actors is closed at first; a filter opens it', () => {
  const input = cluster(300);
  expect(treeRows(input).map(textOf).slice(4)).toEqual(['order (300)', 'room (1)', '  x/y']);
  const matches = (node: number) => input.names[node] === 'order/77';
  expect(treeRows({ ...input, matches }).map(textOf)).toEqual(['order (1)', '  77']);
});
