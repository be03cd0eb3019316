import { describe, expect, test } from 'vitest';
import type { Life, Moment } from '../../model/moment.js';
import { folded, foldsOf, groupNames, placePrograms, programsOf, seatsOf, type Span } from './programs.js';

const namesOf = (sizes: readonly number[]): (string | undefined)[] =>
  sizes.flatMap((size, program) => Array.from({ length: size }, () => `program ${program}`));

/** Every node linked to every third one, whosever it is: links alone would scatter the programs. */
const endsOf = (count: number) =>
  Array.from({ length: count }, (_, source) =>
    Array.from({ length: count }, (_, target) => ({ source, target, weight: 1 })).filter(
      ({ target }) => target > source && (target - source) % 3 === 1,
    ),
  ).flat();

describe.each([
  ['three of two', [2, 2, 2]],
  ['one of one, one of many', [1, 40]],
  ['many of all sizes', [5, 1, 9, 3, 17, 1, 2, 8]],
  ['one alone', [6]],
])('programs: %s', (_, sizes) => {
  const programs = programsOf(namesOf(sizes), namesOf(sizes).length)!;
  const { xs, ys } = placePrograms(programs, endsOf(sizes.reduce((sum, size) => sum + size, 0)));

  const middleOf = (nodes: readonly number[]) => ({
    x: nodes.reduce((sum, node) => sum + xs[node]!, 0) / nodes.length,
    y: nodes.reduce((sum, node) => sum + ys[node]!, 0) / nodes.length,
  });
  const distance = (a: { x: number; y: number }, b: { x: number; y: number }) => Math.hypot(a.x - b.x, a.y - b.y);
  const spot = (node: number) => ({ x: xs[node]!, y: ys[node]! });

  test('the nodes of a program are nearest to its middle, without overlap', () => {
    for (const { nodes } of programs) {
      const middle = middleOf(nodes);
      const radius = Math.max(...nodes.map((node) => distance(middle, spot(node))));
      for (let other = 0; other < xs.length; other++)
        if (!nodes.includes(other)) expect(distance(middle, spot(other))).toBeGreaterThan(radius + 30);
    }
    for (let a = 0; a < xs.length; a++)
      for (let b = a + 1; b < xs.length; b++) expect(distance(spot(a), spot(b))).toBeGreaterThan(40);
  });

  test('the same programs get the same places', () => {
    expect(placePrograms(programs, endsOf(xs.length)).xs).toEqual(xs);
  });
});

test('nodes without a program: no programs, or a group of one node', () => {
  expect(programsOf([], 3)).toBeNull();
  expect(programsOf([undefined, 'a', undefined, 'a'], 5)).toEqual([
    { name: null, nodes: [0] },
    { name: 'a', nodes: [1, 3] },
    { name: null, nodes: [2] },
    { name: null, nodes: [4] },
  ]);
});

test('the stopped nodes of a program share one spot', () => {
  const programs = programsOf(['a', 'a', 'a', 'a', 'b', 'b', undefined], 7)!;
  const lives = (['alive', 'ended', 'gone', 'ended', 'ended', 'crashed', 'gone'] as Life[]).map((life) => ({ life }));
  const folds = foldsOf(programs, lives);
  expect(folds).toEqual([{ nodes: [1, 2, 3], description: '2 ended, 1 gone' }]);
  const given = { xs: Float64Array.from([0, 1, 2, 3, 4, 5, 6]), ys: Float64Array.from([0, 1, 2, 3, 4, 5, 6]) };
  expect([...folded(given, folds).xs]).toEqual([0, 1, 1, 1, 4, 5, 6]);
  expect([...given.xs]).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(folded(given, [])).toBe(given);
});

test('1,500 actors, two at a time, take four seats; the first stopped keeps its own', () => {
  const span = (node: number): Span => (node === 0 ? [0, Infinity] : [node, node + 1]);
  const nodes = Array.from({ length: 1501 }, (_, node) => node);
  const seats = seatsOf(nodes, span);
  expect(new Set(seats).size).toBe(4);
  expect(seats.filter((seat) => seat === seats[1])).toHaveLength(1);
  const { xs, ys } = placePrograms([{ name: 'shop', nodes }], [], span);
  expect(new Set(nodes.map((node) => `${xs[node]} ${ys[node]}`)).size).toBe(4);
});

test('two pairs of linked programs are next to each other', () => {
  const programs = programsOf(['a', 'b', 'c', 'd'], 4)!;
  const { xs, ys } = placePrograms(programs, [
    { source: 0, target: 1, weight: 1 },
    { source: 2, target: 3, weight: 1 },
  ]);
  expect(Math.max(...xs) - Math.min(...xs)).toBeLessThan(800);
  expect(Math.max(...ys) - Math.min(...ys)).toBeLessThan(800);
});

describe('an actor of a cluster is with its host', () => {
  /** Two members with their locks; the actor is hosted by the first one. */
  const groups = (programs: readonly string[]) =>
    groupNames({
      recording: {
        nodes: { size: 5, names: ['a', 'b', 'a locks', 'b locks', 'order/1'] },
        programs: [programs[0], programs[1], programs[0], programs[1], programs[1]],
        groups: [undefined, undefined, undefined, undefined, 'order'],
        logics: ['member', 'member'],
      },
      host: () => 0,
    } as unknown as Moment);

  test('and with the other nodes of its program', () => {
    expect(groups(['one', 'two'])).toEqual(['one', 'two', 'one', 'two', 'one']);
  });

  test('alone with it in a program of several members', () => {
    expect(groups(['all', 'all'])).toEqual(['a', 'b', 'all', 'all', 'a']);
  });
});
