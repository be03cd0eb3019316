/** Hexagon formation one action after the other, and the effects of movements on links. */
import { describe, expect, test } from 'vitest';
import { Random } from '../../../../network/random.js';
import { Hexagon } from './hexagon.js';
import { pointKey, spiral, type Point } from './lattice.js';
import { Matter } from './matter.js';
import { Operations } from './operations.js';

export const line = (n: number) => new Map<string, Point>(Array.from({ length: n }, (_, x) => [`n${x}`, { x, y: 0 }]));

describe('movements', () => {
  const three = () =>
    new Matter(
      new Map([
        ['a', { x: 0, y: 0 }],
        ['b', { x: 1, y: 0 }],
        ['c', { x: 3, y: -1 }],
      ]),
    );

  test('expanding brings links and cuts none', () => {
    expect(three().expand('b', 0)).toEqual({ cut: [], joined: [['b', 'c']] });
  });

  test('contracting cuts the links of the tail', () => {
    const matter = three();
    matter.expand('b', 0);
    expect(matter.contract('b')).toEqual({ cut: [['a', 'b']], joined: [] });
  });

  test('a handover keeps the two together', () => {
    const matter = three();
    matter.expand('b', 0);
    expect(matter.pull('b', 'a')).toEqual({ cut: [], joined: [] });
    expect(matter.body('a')).toEqual({ head: { x: 1, y: 0 }, tail: { x: 0, y: 0 } });
  });

  test('a push is the same handover, begun by the one behind', () => {
    const [pulled, pushed] = [three(), three()];
    for (const matter of [pulled, pushed]) matter.expand('b', 0);
    expect(pushed.push('a', 'b')).toEqual(pulled.pull('b', 'a'));
    expect(pushed.shape).toEqual(pulled.shape);
  });

  test('an amoebot reads and writes those alone that it has locked', () => {
    const memories = new Map(
      three()
        .bonds()
        .flat()
        .map((id) => [id, { count: 0 }]),
    );
    const here = new Operations(three(), memories, 'b', ['a']);
    here.write('a', { count: here.read('b').count + 1 });
    expect(here.read('a')).toEqual({ count: 1 });
    expect([here.connected(3), here.connected(0)]).toEqual(['a', undefined]);
    expect(() => here.read('c')).toThrow('Amoebot b cannot read c, which it has not locked. Lock it first.');
    expect(() => here.write('c', { count: 1 })).toThrow('Amoebot b cannot write c, which it has not locked.');
    expect(() => here.push('c')).toThrow('cannot push c');
    expect(() => here.pull('c')).toThrow('cannot pull c');
  });

  test('a spiral is of a whole number of nodes, around one', () => {
    expect(() => spiral('x' as never, 5)).toThrow(
      'spiral must begin at a node of the lattice. Use integers, for example { x: 0, y: 0 }.',
    );
    expect(() => spiral({ x: 0, y: 0 }, Infinity)).toThrow(
      'A spiral of Infinity nodes is not possible. Use an integer of at least 1.',
    );
  });

  test('no amoebot expands into another', () => {
    expect(three().expand('a', 0)).toBeNull();
  });
});

test.each([2, 7, 12, 19, 30])('sequentially, a line of %i becomes a hexagon', (n) => {
  const random = new Random(n, 'activations');
  const hexagon = new Hexagon(line(n));
  for (let i = 0; i < 1_000_000 && !hexagon.isFormed; i++) {
    const amoebot = random.pick(hexagon.amoebots);
    const neighbors = hexagon.matter.neighbors(amoebot);
    const action = hexagon.enabled(amoebot, neighbors);
    if (action) hexagon.perform(amoebot, action);
    expect(neighbors.length).toBeLessThanOrEqual(8);
  }
  expect(hexagon.isFormed).toBe(true);
  expect(hexagon.matter.shape).toEqual(spiral({ x: 0, y: 0 }, n).map(pointKey).sort());
});
