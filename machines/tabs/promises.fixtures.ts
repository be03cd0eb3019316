/** Systems for mutants of the tabs that their own systems do not detect, and edits that break no promise. */
import type { FurtherSystem } from '../../test/mutants/promises.fixtures.js';
import { because } from '../because.fixtures.js';
import { PEER, TAB } from './messages.js';
import { firstKnown, noPeerMissed } from './company.fixtures.js';

const pair = { kind: 'path', n: 2 };
const does = (at: number, word: string, node: string) => ({ at, do: word, node });
const arrivals = [does(0, 'arrive', 'n0'), does(0, 'arrive', 'n1')];

export const further: readonly FurtherSystem[] = [
  // Three tabs arrive, and none stops.
  {
    topology: { kind: 'ring', n: 3 },
    options: { patience: 1, answer: 1 },
    events: [...arrivals, does(0, 'arrive', 'n2')],
    states: 30_000,
    promises: [firstKnown, noPeerMissed],
  },
  // One tab is frozen for longer than the patience of the others, continues, and is notified that it was missed; then the other one leaves.
  {
    topology: pair,
    options: { patience: 1, answer: 1 },
    events: [...arrivals, does(60, 'pause', 'n0'), does(160, 'resume', 'n0'), does(260, 'leave', 'n0')],
    states: 0,
  },
  // The same with more patience on both sides; the first tab that arrives gets no reply.
  {
    topology: { kind: 'ring', n: 3 },
    options: { patience: 3, answer: 3 },
    events: [does(0, 'arrive', 'n0'), does(50, 'arrive', 'n1'), does(55, 'arrive', 'n2'), does(120, 'crash', 'n0')],
    states: 0,
  },
  // One tab is frozen twice, each time for less than the patience of the others.
  {
    topology: { kind: 'ring', n: 3 },
    options: { patience: 4, answer: 2 },
    events: [
      ...arrivals,
      does(0, 'arrive', 'n2'),
      ...[60, 120].flatMap((at) => [does(at, 'pause', 'n0'), does(at + 32, 'resume', 'n0')]),
      does(300, 'leave', 'n2'),
    ],
    states: 0,
    promises: [firstKnown, noPeerMissed],
  },
  // One tab leaves while the other one, which knows it, is down for a moment.
  {
    topology: pair,
    options: { patience: 1, answer: 1 },
    events: [...arrivals, does(60, 'leave', 'n0'), does(60, 'crash', 'n1'), does(70, 'restart', 'n1')],
    states: 3000,
  },
  // The browser reports that a tab has crashed before a beat is due, and that one has ended that runs.
  {
    topology: { kind: 'ring', n: 3 },
    options: { patience: 3, answer: 1, reply: 4 },
    events: [
      ...arrivals,
      does(0, 'arrive', 'n2'),
      { ...does(62, 'ended', 'n1'), peer: 'n2' },
      does(81, 'crash', 'n0'),
      { ...does(82, 'ended', 'n1'), peer: 'n0' },
    ],
    states: 0,
  },
  // A tab is listed, and ends before it replies.
  {
    topology: pair,
    options: { patience: 3, answer: 2 },
    network: { latency: 6 },
    events: [
      does(0, 'arriveListed', 'n0'),
      { ...does(0, 'exists', 'n1'), peer: 'n0' },
      does(0, 'arriveListed', 'n1'),
      does(5, 'leave', 'n0'),
      { ...does(5, 'ended', 'n1'), peer: 'n0' },
    ],
    states: 0,
  },
  // A tab that was met by its hello participates before it replies, and names one that has crashed.
  {
    topology: { kind: 'ring', n: 3 },
    options: { patience: 3, answer: 2, reply: 20 },
    network: { latency: 6 },
    events: [does(0, 'arrive', 'n0'), does(40, 'arrive', 'n1'), does(46, 'arriveListed', 'n2'), does(50, 'crash', 'n0')],
    states: 0,
  },
  // Replies come later than the first beat.
  {
    topology: pair,
    options: { patience: 3, answer: 2 },
    network: { latency: 6 },
    events: [does(0, 'arrive', 'n0'), does(4, 'arrive', 'n1')],
    states: 0,
  },
  // A tab that arrives is met by its reply, and not by its hello.
  {
    topology: pair,
    options: { patience: 3, answer: 2 },
    network: { latency: 6 },
    events: [does(0, 'arrive', 'n0'), does(8, 'arrive', 'n1')],
    states: 0,
  },
];

/** Edits that break no promise, although the charts behave differently. */
export const unpromised = {
  ...because(
    TAB,
    'a stranger also beats, and its beats are answered: it is notified that it was missed',
    'drop transition there.present: ping',
    'negate guard there.present: ping',
    'drop action there.present: ping, action 1',
  ),
  ...because(
    PEER,
    'who asks has beaten just before, on a channel that keeps its order, and was heard then',
    'retarget (root): ping, to stay',
  ),
  ...because(
    TAB,
    'the role of a tab that is met sends nothing as it begins',
    'swap actions there.arriving: hello, actions 2 and 3',
    'swap actions there.present: hello, actions 2 and 3',
  ),
  ...because(TAB, 'who has left or was missed takes no timer', 'drop action there exit, action 1'),
};
