/** Small systems of local mutual exclusion: two and three nodes with link changes; the rules as printed, which deadlock. */
import type { SystemSample } from '../protocol.js';

const lock = (node: string) => ({ at: 0, node, do: 'lock' });

const pair = { kind: 'path', n: 2 };
const row = { kind: 'path', n: 3 };

export const exclusionSystems: readonly SystemSample[] = [
  { topology: pair, options: { priorities: 2, hold: 1 }, events: ['n0', 'n1', 'n0'].map(lock) },
  { topology: row, options: { priorities: 2, rules: 'deferred' }, events: ['n0', 'n1', 'n2'].map(lock) },
  {
    topology: row,
    options: { priorities: 2, hold: 1 },
    events: [lock('n0'), lock('n1'), { at: 0, do: 'cut', link: ['n1', 'n2'] }, { at: 0, do: 'join', link: ['n1', 'n2'] }],
  },
  {
    topology: pair,
    options: { priorities: 2, hold: 1 },
    events: [{ at: 0, node: 'n0', do: 'pair', port: 1 }, lock('n1')],
  },
  {
    topology: pair,
    options: { priorities: 2, rules: 'printed', hold: 1 },
    events: ['n0', 'n1', 'n0'].map(lock),
    violates: 'every request succeeds',
  },
];
