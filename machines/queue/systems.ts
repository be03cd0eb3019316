/** Small systems of the queue: a maintained tree, one to be found again, one that splits, and corrupt states. */
import type { SystemSample } from '../protocol.js';

const ask = (node: string) => ({ at: 0, node, do: 'request' });

export const queueSystems: readonly SystemSample[] = [
  { topology: { kind: 'path', n: 3 }, events: ['n0', 'n2', 'n1', 'n2'].map(ask) },
  { topology: { kind: 'path', n: 2 }, events: [{ at: 0, do: 'corrupt', nodes: ['n0', 'n1'] }, ask('n0'), ask('n1')] },
  { topology: { kind: 'path', n: 2 }, options: { tree: 'stabilizing' }, events: [{ at: 0, do: 'cut', link: ['n0', 'n1'] }] },
  {
    topology: { kind: 'ring', n: 3 },
    options: { tree: 'stabilizing' },
    events: [ask('n1'), ask('n2'), { at: 0, do: 'cut', link: ['n0', 'n1'] }, { at: 0, do: 'join', link: ['n0', 'n1'] }],
  },
];
