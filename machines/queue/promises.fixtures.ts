/** Additional systems in which mutants of the queue are searched. */
import type { FurtherSystem } from '../../test/mutants/promises.fixtures.js';

/** A path of many edges, each in another corrupt state. */
const many = Array.from({ length: 60 }, (_, i) => `n${i}`);

export const further: readonly FurtherSystem[] = [
  // With a long period, the first observation must correct everything to stay within 3R + tau.
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
  // Finds arrive over links outside of the tree, with the pointer in each state.
  {
    topology: { kind: 'ring', n: 3 },
    options: { tree: 'stabilizing' },
    network: { latency: { min: 1, max: 4 } },
    events: Array.from({ length: 100 }, (_, i) => ({ at: 6 * i, do: 'corrupt', nodes: many.slice(0, 3) })),
    states: 0,
  },
];
