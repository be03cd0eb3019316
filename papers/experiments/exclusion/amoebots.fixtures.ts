/** Hexagon formation by amoebots that act at the same time, each in a neighborhood that it has locked. */
import { expect } from 'vitest';
import { Hexagon } from './amoebot/hexagon.js';
import { adjacentTo, pointKey, spiral, type Point } from './amoebot/lattice.js';
import { Train } from './amoebot/train.js';
import { actTogether } from './amoebots.js';

const KEPT = { isLocal: true, isConfined: true, isSerializable: true };

export const line = (n: number) => new Map<string, Point>(Array.from({ length: n }, (_, x) => [`n${x}`, { x, y: 0 }]));
export const hexagonOf = (n: number) => new Hexagon(line(n));
const shapeOf = (n: number) => spiral({ x: 0, y: 0 }, n).map(pointKey).sort();

/** A way with turns, and back over the former positions of the train. */
const WAY = [0, 0, 1, 2, 2, 3, 3] as const;
const trainOf = (n: number) => new Train(new Map([...line(n)].map(([id, { x }]) => [id, { x: -x, y: 0 }])), WAY);

/** All carriages follow the engine, as in the sequential run. */
export function followsEngine({ n, requests, seed }: { n: number; requests: number; seed: number }): void {
  const { algorithm: train, verdict, conventions } = actTogether(() => trainOf(n), { requests, seed });
  expect({ verdict, conventions, isFormed: train.isFormed }).toEqual({ verdict: 'valid', conventions: KEPT, isFormed: true });
  const places = train.amoebots.map((amoebot) => train.matter.body(amoebot).head);
  const expected = [...line(n)].map(([, { x }]) => placeOnWay(WAY.length - x));
  expect(places).toEqual(expected);
}

/** Position of the engine after a number of steps; before the first, on the line. */
function placeOnWay(steps: number): Point {
  if (steps <= 0) return { x: steps, y: 0 };
  return WAY.slice(0, steps).reduce<Point>(adjacentTo, { x: 0, y: 0 });
}

/** A line becomes a hexagon, as in the sequential run. */
export function formsHexagon({ n, requests, seed }: { n: number; requests: number; seed: number }): void {
  const { algorithm: hexagon, verdict, conventions } = actTogether(() => hexagonOf(n), { requests, seed });
  expect({ verdict, conventions, isFormed: hexagon.isFormed }).toEqual({ verdict: 'valid', conventions: KEPT, isFormed: true });
  expect(hexagon.matter.shape).toEqual(shapeOf(n));
}
