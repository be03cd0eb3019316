/** Where mutants of the queue are searched further than in its own systems. */
import type { FurtherSystem } from '../../test/mutants/promises.js';

/** A path of many edges, each in another corrupt state. */
const many = Array.from({ length: 60 }, (_, i) => `n${i}`);

export const further: readonly FurtherSystem[] = [
  // Two observations of an edge lie so far apart that all has to be right after the first of them, for 3R + tau to be kept.
  {
    topology: { kind: 'path', n: many.length },
    options: { tau: 8 },
    network: { latency: { min: 1, max: 4 } },
    events: [
      { at: 0, do: 'corrupt', nodes: many },
      ...many.flatMap((node, i) => (i % 5 === 0 ? [{ at: 10 + i, do: 'request', node }] : [])),
    ],
    states: 0,
  },
  // Finds come over links that are none of the tree, wherever the pointer leads.
  {
    topology: { kind: 'ring', n: 3 },
    options: { tree: 'stabilizing' },
    network: { latency: { min: 1, max: 4 } },
    events: Array.from({ length: 100 }, (_, i) => ({ at: 6 * i, do: 'corrupt', nodes: many.slice(0, 3) })),
    states: 0,
  },
];
