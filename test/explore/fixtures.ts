/** Small topologies for tests of the checker. */
import type { NodeId } from '../../machines/effects.js';
import type { Topology } from '../../machines/protocol.js';

export const names = (n: number): readonly NodeId[] => Array.from({ length: n }, (_, i) => `n${i}`);

export const completeGraph = (n: number): Topology => {
  const nodes = names(n);
  return { nodes, links: nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v, 1] as const)) };
};
