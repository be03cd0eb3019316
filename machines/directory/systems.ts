/** Small systems of the directory: every policy, with grants that are used for a while or released at once. */
import type { SystemSample } from '../protocol.js';

const ask = (node: string) => ({ at: 0, node, do: 'request' });

export const directorySystems: readonly SystemSample[] = [
  { topology: { kind: 'ring', n: 3 }, options: { policy: 'random', hold: 1 }, events: ['n0', 'n1', 'n2', 'n1'].map(ask) },
  {
    topology: { kind: 'path', n: 3 },
    // Long uses, so that requests arrive while others wait.
    options: { policy: 'ivy', together: 2, hold: 30 },
    events: ['n1', 'n2', 'n0', 'n2'].map(ask),
  },
  {
    topology: { kind: 'path', n: 3 },
    options: { policy: 'arrow', together: 2, hold: 30 },
    events: ['n1', 'n2', 'n2', 'n2', 'n1'].map(ask),
  },
  { topology: { kind: 'ring', n: 4 }, options: { policy: 'bridge' }, events: ['n0', 'n1', 'n2', 'n3'].map(ask) },
  ...['arrow', 'second', 'middle'].map((policy) => ({
    topology: { kind: 'path', n: 3 },
    options: { policy },
    events: ['n2', 'n1', 'n0'].map(ask),
  })),
];
