/** The trees of the tables, as the parent of each node; node 0 is the root. */
import { Random } from '../../../network/random.js';

export interface TreeShape {
  readonly name: string;
  /** Parent of each node; `parents[0]` is ignored. */
  readonly parents: readonly number[];
}

const shape = (name: string, n: number, parentOf: (i: number) => number): TreeShape => ({
  name,
  parents: Array.from({ length: n }, (_, i) => (i === 0 ? 0 : parentOf(i))),
});

export const chainShape = (n: number): TreeShape => shape('chain', n, (i) => i - 1);
export const starShape = (n: number): TreeShape => shape('star', n, () => 0);
export const binary = (n: number): TreeShape => shape('binary', n, (i) => (i - 1) >> 1);

/** Each node joins under a node drawn from all before it. */
export function recursive(n: number, seed = 1): TreeShape {
  const random = new Random(seed, 'tree');
  return shape('recursive', n, (i) => random.below(i));
}

export function depthsOf({ parents }: TreeShape): number[] {
  const depths: number[] = [];
  parents.forEach((parent, i) => depths.push(i === 0 ? 0 : depths[parent]! + 1));
  return depths;
}

export const meanDepth = (shape: TreeShape): number =>
  depthsOf(shape).reduce((sum, depth) => sum + depth, 0) / shape.parents.length;
