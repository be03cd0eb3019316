/** Generates all rooted trees with a given number of nodes, for tests. */
import type { NodeId } from '../../machines/effects.js';

/** Every rooted labeled tree: n^(n-1) trees, as parent pointers. The root points to itself. */
export function rootedTrees(nodes: readonly NodeId[]): Readonly<Record<NodeId, NodeId>>[] {
  let choices: NodeId[][] = [[]];
  for (let i = 0; i < nodes.length; i++) choices = choices.flatMap((parents) => nodes.map((node) => [...parents, node]));
  const isTree = (parents: readonly NodeId[]) => {
    const up = (node: NodeId) => parents[nodes.indexOf(node)]!;
    const rootOf = (node: NodeId) => nodes.reduce((at) => up(at), node);
    const roots = new Set(nodes.map(rootOf));
    return roots.size === 1 && [...roots].every((root) => up(root) === root);
  };
  return choices.filter(isTree).map((parents) => Object.fromEntries(nodes.map((node, i) => [node, parents[i]!])));
}
