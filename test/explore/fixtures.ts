/** Small topologies for tests. */
import type { NodeId } from '../../machines/effects.js';
import type { Topology } from '../../machines/protocol.js';

export const names = (n: number): readonly NodeId[] => Array.from({ length: n }, (_, i) => `n${i}`);

export const complete = (n: number): Topology => {
  const nodes = names(n);
  return { nodes, links: nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v, 1] as const)) };
};

/** Every rooted labelled tree: n to the power n-1 of them, as parent pointers, the root's to itself. */
export function rootedTrees(n: number): Readonly<Record<NodeId, NodeId>>[] {
  const nodes = names(n);
  let choices: NodeId[][] = [[]];
  for (let i = 0; i < n; i++) choices = choices.flatMap((parents) => nodes.map((node) => [...parents, node]));
  const isTree = (parents: readonly NodeId[]) => {
    const up = (node: NodeId) => parents[nodes.indexOf(node)]!;
    const rootOf = (node: NodeId) => nodes.reduce((at) => up(at), node);
    const roots = new Set(nodes.map(rootOf));
    return roots.size === 1 && [...roots].every((root) => up(root) === root);
  };
  return choices.filter(isTree).map((parents) => Object.fromEntries(nodes.map((node, i) => [node, parents[i]!])));
}
