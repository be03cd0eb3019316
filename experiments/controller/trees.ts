/** The trees of the tables, as the parent of each node; node 0 is the root. */
import { Random } from '../../network/random.js';

export interface Shape {
  readonly name: string;
  /** `parents[0]` is of no account. */
  readonly parents: readonly number[];
}

const shape = (name: string, n: number, parentOf: (i: number) => number): Shape => ({
  name,
  parents: Array.from({ length: n }, (_, i) => (i === 0 ? 0 : parentOf(i))),
});

export const chain = (n: number): Shape => shape('chain', n, (i) => i - 1);
export const star = (n: number): Shape => shape('star', n, () => 0);
export const binary = (n: number): Shape => shape('binary', n, (i) => (i - 1) >> 1);

/** Each node joins under a node drawn from all before it. */
export function recursive(n: number, seed = 1): Shape {
  const random = new Random(seed, 'tree');
  return shape('recursive', n, (i) => random.below(i));
}

export function depthsOf({ parents }: Shape): number[] {
  const depths: number[] = [];
  parents.forEach((parent, i) => depths.push(i === 0 ? 0 : depths[parent]! + 1));
  return depths;
}

export const meanDepth = (shape: Shape): number => depthsOf(shape).reduce((sum, depth) => sum + depth, 0) / shape.parents.length;
