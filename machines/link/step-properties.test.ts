/** Transitions, messages and relays of an end: each rule is violated by a chart without it. */
import { expect, test } from 'vitest';
import { brokenByMutant } from '../mutants.fixtures.js';
import type { Frame, LinkContext } from './frames.js';
import { link } from './index.js';
import { NOTHING_SENT, Speech, type Utterance } from './speech.js';

const bodies = Array.from({ length: 12 }, (_, body) => body);
const post = (at: number, node: string, peer: string, body: number) => ({ at, node, do: 'post', peer, body });

/** The first and the last of three nodes are connected by the one between them, and for a while no node receives the last one directly. */
const scenario = {
  protocol: 'link',
  topology: { kind: 'ring', n: 3 },
  options: { window: 3, room: 3, patience: 4, beat: 10 },
  network: { latency: { min: 1, max: 9 }, order: 'unordered', loss: 0.1, duplicate: 0.2 },
  events: [
    post(0, 'n0', 'n2', 50),
    { at: 0, node: 'n0', do: 'restart', peer: 'n2' },
    ...bodies.flatMap((body) => [post(1, 'n0', 'n1', body), post(60 + 2 * body, 'n0', 'n1', 20 + body)]),
    ...bodies.slice(6).flatMap((body) => [post(85, 'n1', 'n2', body), post(85, 'n2', 'n1', body)]),
    { at: 90, do: 'cut', link: ['n0', 'n2'] },
    ...bodies.flatMap((body) => [post(150 + 5 * body, 'n0', 'n2', body), post(150 + 5 * body, 'n2', 'n0', body)]),
    { at: 250, node: 'n2', do: 'restart', peer: 'n0' },
    { at: 280, node: 'n1', do: 'restart', peer: 'n0' },
    { at: 300, node: 'n0', do: 'gone', peer: 'n1' },
    { at: 580, node: 'n0', do: 'gone', peer: 'n1' },
    { at: 350, do: 'down', channel: ['n2', 'n1'] },
    { at: 450, do: 'up', channel: ['n2', 'n1'] },
    { at: 500, do: 'join', link: ['n0', 'n2'] },
    { at: 600, node: 'n2', do: 'leave', peer: 'n1' },
    { at: 610, node: 'n2', do: 'leave', peer: 'n1' },
    { at: 640, node: 'n1', do: 'leave', peer: 'n0' },
  ],
  seed: 13,
};

const LED = 'a connection begins with an answer, and ends for a reason';
const DUE = 'due messages are sent, and no others';
const WAYS = 'messages use every available way';
const RECEIVED = 'proven messages are delivered immediately, and nothing else changes state';
const STRANGER = 'a restarted end forgets its peer';

test.each([
  [LED, 'drop transition (root): leave'],
  [LED, 'drop transition up: bye #2'],
  [LED, 'drop guard seeking: frame #3'],
  [LED, 'drop guard down: frame #4'],
  [LED, 'retarget up: frame #3, to seeking'],
  [LED, 'retarget up: timer #2, to seeking'],
  [LED, 'reorder choices up: frame #4, before #3'],
  [DUE, 'drop action (root): leave, action 1'],
  [DUE, 'drop transition left: leave'],
  [DUE, 'drop transition up: frame'],
  [DUE, 'drop action seeking: frame #3, action 5'],
  [DUE, 'drop action up: frame #3, action 2'],
  [DUE, 'drop action up: frame #6, action 2'],
  [DUE, 'drop action up: frame #8, action 2'],
  [DUE, 'drop action up: frame #7, action 8'],
  [DUE, 'drop action up: frame #8, action 5'],
  [DUE, 'drop action up: post, action 2'],
  [DUE, 'swap actions up: post #2, actions 1 and 2'],
  [DUE, 'drop action up: timer #3, action 1'],
  [WAYS, 'drop action up: timer #3, action 2'],
  [DUE, 'drop action up: gone, action 2'],
  [WAYS, 'drop action up: gone, action 3'],
  [WAYS, 'drop action seeking: frame #3, action 4'],
  [WAYS, 'drop action up: frame #4, action 2'],
  [WAYS, 'drop guard up: pass'],
  [WAYS, 'drop guard up: relay'],
  [RECEIVED, 'drop action seeking: frame #3, action 6'],
  [RECEIVED, 'drop action up: frame #6, action 1'],
  [STRANGER, 'drop action (root): restart, action 2'],
  [STRANGER, 'drop action (root): restart, action 3'],
  [STRANGER, 'drop action (root): restart, action 4'],
])('%s: %s', (name, edit) => {
  expect(brokenByMutant(link, scenario, 'link', edit)).toContain(name);
});

/** Two nodes are cut off from each other twice. One of them receives a report the first time. */
const cutOff = {
  protocol: 'link',
  topology: { kind: 'path', n: 2 },
  options: { patience: 4, beat: 10, suspicions: 2 },
  events: [
    ...[50, 200].flatMap((at) => [
      { at, do: 'cut', link: ['n0', 'n1'] },
      { at: at + 100, do: 'join', link: ['n0', 'n1'] },
    ]),
    { at: 52, node: 'n0', do: 'gone', peer: 'n1' },
  ],
};

const GONE = 'a peer that is silent after a report is announced as gone';

test.each([
  [GONE, 'drop action up: gone, action 1'],
  [GONE, 'drop transition up: timer'],
  [GONE, 'drop action up: timer, action 2'],
  [GONE, 'drop guard up: timer'],
  [LED, 'drop action up: timer, action 1'],
  [LED, 'drop action up: timer #2, action 1'],
])('%s: %s', (name, edit) => {
  expect(brokenByMutant(link, cutOff, 'link', edit)).toContain(name);
});

test.each([scenario, cutOff])('the chart itself has no violations', (json) => expect(brokenByMutant(link, json)).toEqual([]));

/** An end that is up, has received four messages, and has two in flight, of which the peer has acknowledged none. */
const end = {
  session: 5,
  nonce: 50,
  theirs: 7,
  theirNonce: 70,
  latest: 7,
  expected: 4,
  base: 3,
  sent: 2,
  outbox: ['x', 'y'],
} as unknown as LinkContext;
const beat = {
  type: 'frame',
  session: 5,
  nonce: 50,
  to: 7,
  echo: 70,
  ack: 4,
  seq: 5,
  rejects: false,
  bodies: [],
} as unknown as Frame;
const all = { ...beat, seq: 3, bodies: ['x', 'y'] };
const bye = { type: 'bye', session: 5, echo: 70 } as const;

/** True if the message is the right one for that reason, after both messages have been sent. */
const isRight = (why: Parameters<Speech['require']>[0], word: Utterance): boolean => {
  const speech = new Speech([word], end, { type: 'timer', timer: 'beat' }, { ...NOTHING_SENT, upTo: 5 });
  speech.require(why);
  return speech.isOver;
};

test.each([
  ['standing', beat, { session: 6, nonce: 51, to: 8, echo: 71, ack: 5, seq: 4, rejects: true, bodies: ['z'] }],
  ['again', all, { session: 6, nonce: 51, to: 8, echo: 71, ack: 3, seq: 2, rejects: true, bodies: ['x'] }],
  ['missing', { ...beat, rejects: true }, { session: 6, ack: 5, seq: 4, rejects: false, bodies: ['z'] }],
  ['farewell', bye, { session: 6, echo: 71 }],
] as const)('%s has its word, and none with another field', (why, word, others) => {
  expect(isRight(why, word)).toBe(true);
  const taken = Object.entries(others).filter(([field, other]) => isRight(why, { ...word, [field]: other } as Utterance));
  expect(taken).toEqual([]);
});
