/** The triangular lattice: nodes in axial coordinates, six directions counted counterclockwise from the right. */
import { isIntegerOf } from '../../../../machines/checks.js';
import { UsageError } from '../../../../machines/errors.js';

/** A node of the triangular lattice, in axial coordinates. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export type Direction = 0 | 1 | 2 | 3 | 4 | 5;

export const directions: readonly Direction[] = [0, 1, 2, 3, 4, 5];

const STEPS: readonly Point[] = [
  { x: 1, y: 0 },
  { x: 0, y: 1 },
  { x: -1, y: 1 },
  { x: -1, y: 0 },
  { x: 0, y: -1 },
  { x: 1, y: -1 },
];

export const turned = (direction: Direction, by: number): Direction => ((direction + by + 6) % 6) as Direction;

export const adjacentTo = ({ x, y }: Point, direction: Direction): Point => ({
  x: x + STEPS[direction]!.x,
  y: y + STEPS[direction]!.y,
});

export const around = (point: Point): Point[] => directions.map((direction) => adjacentTo(point, direction));

export const isSamePoint = (a: Point, b: Point): boolean => a.x === b.x && a.y === b.y;

/** The direction from a node to an adjacent one. */
export const toward = (from: Point, to: Point): Direction =>
  directions.find((direction) => isSamePoint(adjacentTo(from, direction), to))!;

/** A point as text, for maps and sets: `x y`. */
export const pointKey = ({ x, y }: Point): string => `${x} ${y}`;

/** The first nodes of the spiral around a node: a hexagon whose last layer may be incomplete. */
export function spiral(center: Point, length: number): Point[] {
  if (!Number.isSafeInteger(center?.x) || !Number.isSafeInteger(center.y))
    throw new UsageError('spiral must begin at a node of the lattice. Use integers, for example { x: 0, y: 0 }.');
  if (!isIntegerOf(length, 1)) throw new UsageError(`A spiral of ${length} nodes is not possible. Use an integer of at least 1.`);
  const nodes = [center];
  const taken = new Set([pointKey(center)]);
  let direction: Direction = 0;
  while (nodes.length < length) {
    const next = adjacentTo(nodes.at(-1)!, direction);
    nodes.push(next);
    taken.add(pointKey(next));
    direction = turned(direction, 3);
    while (taken.has(pointKey(adjacentTo(next, direction)))) direction = turned(direction, -1);
  }
  return nodes;
}
