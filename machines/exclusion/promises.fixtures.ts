/** Where mutants of local mutual exclusion are searched further than in its own systems. */
import type { FurtherSystem } from '../../test/mutants/promises.js';

const does = (at: number, word: 'lock' | 'unlock', node: string) => ({ at, node, do: word });
const link = (at: number, word: 'cut' | 'join', u: string, v: string) => ({ at, do: word, link: [u, v] });

const pair = { kind: 'path', n: 2 };
const row = { kind: 'path', n: 3 };

export const further: readonly FurtherSystem[] = [
  // The rules as printed where they do not deadlock: one node asks, once.
  { topology: row, options: { priorities: 2, rules: 'printed', hold: 1 }, events: [does(0, 'lock', 'n1')], states: 4000 },
  // The same while a link goes and comes.
  {
    topology: row,
    options: { priorities: 2, rules: 'printed', hold: 1 },
    events: [does(0, 'lock', 'n1'), link(0, 'cut', 'n1', 'n2'), link(0, 'join', 'n1', 'n2')],
    states: 8000,
  },
  // Nobody unlocks by itself, and somebody asks to unlock what is not locked.
  ...(['corrected', 'printed'] as const).map((rules) => ({
    topology: pair,
    options: { priorities: 2, rules, hold: null },
    events: [does(0, 'unlock', 'n0'), does(1, 'lock', 'n0'), does(40, 'unlock', 'n0'), does(60, 'unlock', 'n0')],
    states: 2000,
  })),
  {
    topology: { kind: 'ring', n: 3 },
    options: { priorities: 3, hold: 1 },
    events: ['n0', 'n1', 'n2'].map((node) => does(0, 'lock', node)),
    states: 6000,
  },
];
