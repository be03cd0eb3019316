/** Small systems of tabs: they arrive at once and one after the other, leave, crash, and freeze and continue. */
import type { SystemSample } from '../protocol.js';

const options = { patience: 1, answer: 1 };
const topology = { kind: 'path', n: 2 };
const ring = { kind: 'ring', n: 3 };
/** Ticks between the events, in which tabs send `beat`. */
const AT = { arrive: 0, leave: 60, crash: 60, restart: 200 };
const does = (node: string, word: 'arrive' | 'leave' | 'crash' | 'restart') => ({
  at: AT[word],
  node,
  do: word,
});
const arrive = (node: string) => does(node, 'arrive');

export const tabsSystems: readonly SystemSample[] = [
  { topology, options, events: [arrive('n0'), arrive('n1'), does('n0', 'leave')] },
  { topology, options, events: [arrive('n0'), arrive('n1'), does('n0', 'crash')] },
  { topology, options, events: [arrive('n0'), arrive('n1'), does('n0', 'crash'), does('n0', 'restart')] },
  { topology: ring, options, events: ['n0', 'n1', 'n2'].map(arrive) },
];
