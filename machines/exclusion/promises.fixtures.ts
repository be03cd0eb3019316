/** Additional systems in which mutants of local mutual exclusion are searched. */
import { because } from '../because.fixtures.js';
import type { FurtherSystem } from '../../test/mutants/promises.fixtures.js';
import { EXCLUSION } from './view.js';

const does = (at: number, word: 'lock' | 'unlock', node: string) => ({ at, node, do: word });
const link = (at: number, word: 'cut' | 'join', u: string, v: string) => ({ at, do: word, link: [u, v] });

const pair = { kind: 'path', n: 2 };
const row = { kind: 'path', n: 3 };

const PRINTED = 'printed';
const inBoth = (why: string, edit: string) => ({ ...because(EXCLUSION, why, edit), ...because(PRINTED, why, edit) });

export const further: readonly FurtherSystem[] = [
  // The rules as printed in a run without a deadlock: one node requests, once.
  { topology: row, options: { priorities: 2, rules: 'printed', hold: 1 }, events: [does(0, 'lock', 'n1')], states: 4000 },
  // The same while a link is cut and joined.
  {
    topology: row,
    options: { priorities: 2, rules: 'printed', hold: 1 },
    events: [does(0, 'lock', 'n1'), link(0, 'cut', 'n1', 'n2'), link(0, 'join', 'n1', 'n2')],
    states: 8000,
  },
  // No node unlocks by itself, and one requests to unlock without a lock.
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
  // A new link, and a node that requests all its neighbors.
  {
    topology: row,
    options: { priorities: 2, rules: 'printed', hold: 1 },
    events: [link(1, 'join', 'n0', 'n2'), does(10, 'lock', 'n2')],
    states: 0,
  },
  // A candidate that has won leaves before the notification; only CleanUp lets the other one, whose request is here, continue.
  {
    topology: row,
    options: { priorities: 2, rules: 'printed', hold: 1 },
    network: { latency: 10 },
    events: [does(0, 'lock', 'n0'), does(5, 'lock', 'n2'), link(36, 'cut', 'n0', 'n1')],
    states: 0,
  },
  // One of two neighbors is lost before it has set its lock, and only the answer of the other is pending.
  {
    topology: row,
    options: { priorities: 2, rules: 'printed', hold: 1 },
    network: { latency: 5 },
    events: [does(0, 'lock', 'n1'), link(28, 'cut', 'n1', 'n2')],
    states: 0,
  },
];

/** Edits that violate no promise, although the charts behave differently. */
export const unpromised = {
  ...inBoth(
    'compete without a candidate leads to prepare at once, and nobody is on hold who would be told',
    'retarget participant.idle: prepare, to participant.compete',
  ),
  ...inBoth(
    'who has won and who has lost are behind different ports',
    'swap actions participant.compete: always #2, actions 1 and 2',
  ),
  ...because(
    PRINTED,
    'a request is for ports in use, none of which is gone',
    'swap actions initiator.idle: lock, actions 1 and 2',
  ),
  ...because(
    PRINTED,
    'the node asks itself as well: its own participant tidies before the last answer can come',
    'drop action initiator.prepare: ready, action 1',
  ),
  ...because(
    PRINTED,
    'a call during another request has no effect in the paper, which does not say whether it is refused or waits',
    'negate guard (root): lock',
    'drop guard (root): lock',
    'negate guard (root): unlock',
  ),
};
