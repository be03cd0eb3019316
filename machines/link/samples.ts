/**
 * Samples: events for each state of a link's end; small systems with messages that are lost, duplicated and reordered, ends that restart or
 * leave, and a cut that a relay bridges.
 */
import type { ChartSamples, SystemSample } from '../protocol.js';
import { checksumOf, type Bye, type Frame, type LinkContext, type LinkInput } from './frames.js';
import type { LinkChartEvent } from './machine.js';
import type { Incoming } from './ways.js';

const input: LinkInput = {
  peer: 'b',
  relays: [],
  session: 5,
  nonce: 1,
  beat: 10,
  patience: 1,
  suspicions: null,
  window: 1,
  room: 1,
  windowSize: 100,
  roomSize: 100,
};

/** The acknowledgment of an honest peer, unless the checksum is among the changes. */
const frame = (c: LinkContext, { ack = c.base + c.sent, ...changes }: Partial<Frame>): Incoming<Frame> => ({
  type: 'frame',
  from: c.peer,
  session: Math.max(c.latest, 3),
  nonce: 2,
  to: c.session,
  echo: c.nonce,
  ack,
  checksum: checksumOf(c.acknowledged, c.outbox.slice(0, Math.max(0, ack - c.base))),
  seq: c.expected,
  rejects: false,
  hears: true,
  bodies: [],
  ...changes,
});

const bye = (c: LinkContext, changes: Partial<Bye>): Incoming<Bye> => ({
  type: 'bye',
  from: c.peer,
  session: Math.max(c.latest, 3),
  echo: c.nonce,
  ...changes,
});

const events = (c: LinkContext): readonly LinkChartEvent[] =>
  c.session > 8 || c.latest > 5 || c.expected > 1
    ? []
    : [
        frame(c, {}),
        frame(c, { bodies: ['x'] }),
        frame(c, { ack: c.base }),
        frame(c, { ack: c.base + c.sent + 1 }),
        frame(c, { checksum: 0 }),
        frame(c, { ack: 0, checksum: 0 }),
        frame(c, { rejects: true }),
        frame(c, { rejects: true, ack: c.base }),
        frame(c, { rejects: true, to: null }),
        frame(c, { rejects: true, bodies: ['x'] }),
        frame(c, { seq: c.expected + 1 }),
        frame(c, { to: null, echo: null }),
        frame(c, { to: null }),
        frame(c, { to: null, session: Math.max(c.latest, 3) + 1 }),
        frame(c, { echo: 0 }),
        frame(c, { to: c.session - 1 }),
        frame(c, { to: c.session + 1 }),
        frame(c, { to: c.session + 1, echo: 0 }),
        frame(c, { session: Math.max(c.latest, 3) + 1 }),
        frame(c, { session: Math.max(c.latest, 3) + 1, echo: 0 }),
        frame(c, { session: 2 }),
        frame(c, { session: 2, nonce: 1 }),
        frame(c, { session: 2, to: c.session + 1 }),
        bye(c, {}),
        bye(c, { echo: 0 }),
        bye(c, { session: 2 }),
        { type: 'timer', timer: 'beat' },
        { type: 'post', body: 'y' },
        { type: 'leave' },
        { type: 'gone' },
        { type: 'restart' },
        ...(c.relays.length > 0 ? passedOn(c) : []),
      ];

/** Frames to and from relays. */
const passedOn = (c: LinkContext): readonly LinkChartEvent[] => [
  frame(c, { hears: false }),
  ...['c', 'd'].flatMap((from) =>
    [true, false].map((hears) => ({ type: 'relayed' as const, from, origin: c.peer, message: frame(c, { hears }) })),
  ),
  frame(c, { to: null, echo: null, hears: false }),
  { type: 'relayed', from: 'c', origin: c.peer, message: frame(c, { echo: 0 }) },
  { type: 'relayed', from: 'c', origin: c.peer, message: bye(c, {}) },
  { type: 'relayed', from: 'e', origin: c.peer, message: frame(c, {}) },
  { type: 'pass', target: 'c', message: { type: 'bye', session: 1, echo: null } },
  { type: 'relay', from: c.peer, target: 'c', message: { type: 'bye', session: 1, echo: null } },
];

const eventsOfClient = (c: LinkContext): readonly LinkChartEvent[] => [
  ...events(c),
  frame(c, { client: true }),
  frame(c, { client: true, echo: 0 }),
  frame(c, { client: true, to: c.session + 1 }),
];

/**
 * Samples for kinds of ends: a normal one, one that may suspect its peer once, one with relays, and one whose beats are slower while it is idle.
 * Then one whose peer is in no list, and one of a client.
 */
export const linkSamples: readonly ChartSamples[] = [
  { input, events },
  { input: { ...input, suspicions: 1 }, events },
  { input: { ...input, relays: ['c', 'd'], patience: 2 }, events },
  { input: { ...input, patience: 12 }, events },
  { input: { ...input, isGuest: true }, events },
  { input: { ...input, isClient: true }, events: eventsOfClient },
];

const tight = { window: 1, room: 1, patience: 2, beat: 20 };
const topology = { kind: 'path', n: 2 };
const peerOf = (node: string) => (node === 'n0' ? 'n1' : 'n0');
const post = (node: string, body: number) => ({ at: 0, node, do: 'post', peer: peerOf(node), body });
const ends = (node: string, word: 'restart' | 'leave' | 'gone') => ({ at: 0, node, do: word, peer: peerOf(node) });

export const linkSystems: readonly SystemSample[] = [
  { topology, options: tight, events: [post('n0', 1), post('n0', 2), post('n0', 3), post('n1', 4)] },
  {
    topology,
    options: tight,
    network: { loss: 0.1, duplicate: 0.1 },
    events: [post('n0', 1), post('n0', 2), ends('n1', 'restart'), post('n0', 3)],
  },
  { topology, options: tight, events: [post('n0', 1), ends('n0', 'leave'), post('n1', 2)] },
  // A false report, while each end may suspect the other one once.
  { topology, options: { ...tight, suspicions: 1 }, events: [post('n0', 1), ends('n0', 'gone'), post('n1', 2)] },
  {
    topology: { kind: 'ring', n: 3 },
    // Half of the patience has to be longer than one heartbeat. Otherwise every neighbor counts as unreachable when it is asked to relay.
    options: { ...tight, patience: 4 },
    events: [
      { at: 0, do: 'cut', link: ['n0', 'n2'] },
      { at: 0, node: 'n0', do: 'post', peer: 'n2', body: 1 },
    ],
  },
];
