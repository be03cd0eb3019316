/** Systems for mutants of a link that its own systems do not detect: longer runs, over all of its behavior. */
import type { FurtherSystem } from '../../test/mutants/promises.fixtures.js';
import { because } from '../because.fixtures.js';
import type { Configuration } from '../protocol.js';
import { CHART, endsOf } from './view.js';

const peerOf = (node: string) => (node === 'n0' ? 'n1' : 'n0');
const post = (at: number, node: string, body: number, peer = peerOf(node)) => ({ at, node, do: 'post', peer, body });
const ends = (at: number, node: string, word: 'restart' | 'leave' | 'gone', peer = peerOf(node)) => ({
  at,
  node,
  do: word,
  peer,
});
const change = (at: number, word: 'cut' | 'join', u = 'n0', v = 'n2') => ({ at, do: word, link: [u, v] });

const channel = (at: number, word: 'down' | 'up') => ({ at, do: word, channel: ['n1', 'n0'] });

const isDown = ({ nodes }: Configuration): boolean =>
  [...nodes.values()].some((node) => endsOf(node).some(({ value }) => value === 'down'));

const pair = { kind: 'path', n: 2 };
const many = Array.from({ length: 12 }, (_, i) => i);

export const further: readonly FurtherSystem[] = [
  // Many frames are lost and duplicated in both directions, and both ends restart.
  {
    topology: pair,
    options: { window: 3, room: 20, patience: 3, beat: 20 },
    network: { loss: 0.3, duplicate: 0.3 },
    events: [
      ...many.flatMap((i) => [post(1 + 7 * i, 'n0', 2 * i), post(3 + 7 * i, 'n1', 2 * i + 1)]),
      ends(150, 'n1', 'restart'),
      ends(260, 'n0', 'restart'),
      ...many.map((i) => post(400 + i, 'n0', 100 + i)),
    ],
    states: 0,
  },
  // More messages are posted than there is room for, before the link is up and while it is.
  {
    topology: pair,
    options: { window: 1, room: 1, patience: 3, beat: 20 },
    events: [...many.map((i) => post(0, 'n0', i)), ...many.map((i) => post(60, 'n1', 20 + i)), post(200, 'n1', 40)],
    states: 0,
  },
  // One end leaves, is commanded to leave again, and comes back.
  {
    topology: pair,
    options: { window: 2, room: 2, patience: 2, beat: 10 },
    events: [post(5, 'n0', 1), ends(40, 'n0', 'leave'), ends(60, 'n0', 'leave'), ends(100, 'n0', 'restart'), post(160, 'n1', 2)],
    states: 0,
  },
  // A third node relays between two that are cut.
  {
    topology: { kind: 'ring', n: 3 },
    options: { window: 2, room: 20, patience: 4, beat: 10 },
    network: { loss: 0.1 },
    events: [
      ...many.map((i) => post(5 * i, 'n0', i, 'n2')),
      change(20, 'cut'),
      ...many.map((i) => post(100 + 5 * i, 'n2', 20 + i, 'n0')),
      change(300, 'join'),
      post(320, 'n0', 40, 'n2'),
    ],
    states: 0,
  },
  // Both ends suspect each other before they reach each other again.
  {
    topology: pair,
    options: { window: 2, room: 2, patience: 2, beat: 10 },
    events: [change(50, 'cut', 'n0', 'n1'), change(200, 'join', 'n0', 'n1')],
    states: 0,
  },
  // Connections end because of missing room, and their frames arrive after the next one has begun.
  {
    topology: pair,
    options: { window: 1, room: 1, patience: 6, beat: 20 },
    network: { latency: { min: 1, max: 19 }, order: 'unordered', duplicate: 0.3 },
    events: many.flatMap((i) => [0, 1, 2].map((k) => post(40 + 30 * i, 'n0', 3 * i + k))),
    states: 0,
  },
  // Both ends send many messages through a third node, and finally more than there is room for.
  {
    topology: { kind: 'ring', n: 3 },
    options: { window: 3, room: 3, patience: 4, beat: 10 },
    events: [
      change(0, 'cut'),
      ...many.flatMap((i) => {
        const at = i < 6 ? 60 : 200;
        return [post(at, 'n0', i, 'n2'), post(at, 'n2', 20 + i, 'n0')];
      }),
      post(200, 'n0', 40, 'n2'),
    ],
    states: 0,
  },
  // Only the second of two other nodes reaches both ends, and for a while none does.
  {
    topology: { kind: 'complete', n: 4 },
    options: { window: 2, room: 2, patience: 4, beat: 10 },
    events: [change(0, 'cut'), change(0, 'cut', 'n1', 'n2'), change(200, 'cut', 'n2', 'n3'), change(400, 'join', 'n2', 'n3')],
    states: 0,
  },
  // The frame that begins a connection has messages, in both states in which it may arrive, and rejections have acknowledgments.
  {
    topology: pair,
    options: { window: 3, room: 3, patience: 6, beat: 10 },
    events: [channel(0, 'down'), post(0, 'n0', 1), channel(0.5, 'up')],
    states: 0,
  },
  {
    topology: pair,
    options: { window: 8, room: 20, patience: 9, beat: 10 },
    network: { latency: { min: 1, max: 9 }, order: 'unordered', loss: 0.2 },
    events: many.flatMap((i) => {
      const [at, node] = [50 * i, `n${i % 2}`];
      return [ends(at, node, 'restart'), ...many.map((k) => post(at + k, node, 20 * i + k))];
    }),
    states: 0,
  },
  // Both ends receive a true report that the peer is gone.
  {
    topology: pair,
    options: { window: 2, room: 2, patience: 30, beat: 10 },
    events: [change(50, 'cut', 'n0', 'n1'), ends(60, 'n0', 'gone'), ends(60, 'n1', 'gone'), change(200, 'join', 'n0', 'n1')],
    states: 0,
  },
  // The same, where a third node may relay.
  {
    topology: { kind: 'ring', n: 3 },
    options: { window: 2, room: 2, patience: 4, beat: 10 },
    events: [change(50, 'cut'), change(50, 'cut', 'n1', 'n2'), ends(51, 'n0', 'gone', 'n2'), change(200, 'join', 'n1', 'n2')],
    states: 0,
  },
  // Only one end receives the other: the silent one is suspected, and later reported as gone.
  {
    topology: pair,
    options: { window: 2, room: 2, patience: 6, beat: 10 },
    events: [
      post(30, 'n0', 1),
      post(30, 'n1', 2),
      channel(60, 'down'),
      channel(124, 'up'),
      post(160, 'n0', 3),
      post(160, 'n1', 4),
      channel(210, 'down'),
      ends(212, 'n0', 'gone'),
      channel(240, 'up'),
    ],
    states: 0,
  },
  // Each end may suspect the other once, and is cut off twice.
  {
    topology: pair,
    options: { window: 2, room: 2, patience: 2, beat: 10, suspicions: 1 },
    events: [50, 150].flatMap((at) => [change(at, 'cut', 'n0', 'n1'), change(at + 50, 'join', 'n0', 'n1')]),
    states: 0,
  },
  // Each report that the peer is gone is false, and the medium is so slow that only the answer to a probe proves it.
  {
    topology: pair,
    options: { window: 2, room: 2, patience: 12, beat: 10 },
    network: { latency: 6 },
    events: many.map((i) => ends(100 + 37 * i, 'n0', 'gone')),
    states: 0,
    promises: [
      {
        name: 'a false report has no effect',
        description: 'A link whose peer answers stays up.',
        kind: 'always',
        holds: (c) => !isDown(c),
      },
    ],
  },
  // The peer of an idle link falls silent, and comes back soon after the patience.
  {
    topology: pair,
    options: { window: 2, room: 2, patience: 30, beat: 10 },
    events: [change(100, 'cut', 'n0', 'n1'), change(440, 'join', 'n0', 'n1')],
    states: 0,
    promises: [
      {
        name: 'a silence is noticed',
        description: 'A link goes down soon after the patience of an end.',
        kind: 'sometimes',
        holds: isDown,
      },
    ],
  },
];

/** Edits that break no promise, although the chart behaves differently. */
export const unpromised = because(CHART, 'who has left takes no timer', 'drop action left entry, action 1');
