/** Samples: events for each state of a tab; small systems of tabs that arrive, leave, crash, and freeze and continue. */
import type { Message, TimerEvent } from '../effects.js';
import type { ChartSamples, SystemSample } from '../protocol.js';
import type { PeerInput } from './peer.js';
import type { TabContext, TabInput } from './tab.js';

const input: TabInput = { id: 'a', audience: ['b', 'c'], beat: 2, patience: 1, answer: 2, reply: 1 };

const timer = (name: string): TimerEvent => ({ type: 'timer', timer: name });

const events = ({ peers }: TabContext): readonly Message[] => [
  { type: 'arrive' },
  { type: 'leave' },
  { type: 'arriveListed' },
  ...['b', 'c'].flatMap((from) => [
    { type: 'hello', from },
    { type: 'here', from, peers: ['a', 'b', 'c'], isPresent: true },
    { type: 'here', from, peers: ['a'], isPresent: false },
    { type: 'beat', from },
    { type: 'ping', from },
    { type: 'missed', from },
    { type: 'exists', peer: from },
    { type: 'ended', peer: from },
  ]),
  ...peers.map((peer) => ({ type: 'gone', peer })),
  timer('beat'),
];

export const tabSamples: readonly ChartSamples[] = [{ input, events }];

const peer: PeerInput = { peer: 'b', patience: 2, reply: 1 };

export const peerSamples: readonly ChartSamples[] = [
  {
    input: peer,
    events: () => [
      ...['beat', 'ping', 'bye'].map((type) => ({ type, from: 'b' })),
      { type: 'due' },
      { type: 'ended' },
      timer('reply'),
    ],
  },
];

const options = { patience: 1, answer: 1 };
const topology = { kind: 'path', n: 2 };
const ring = { kind: 'ring', n: 3 };
/** Ticks between the events, in which tabs send `beat`. */
const AT = { arrive: 0, exists: 0, arriveListed: 0, leave: 60, crash: 60, ended: 61, restart: 200 };
const does = (node: string, word: keyof typeof AT) => ({ at: AT[word], node, do: word });
const arrive = (node: string) => does(node, 'arrive');

export const tabsSystems: readonly SystemSample[] = [
  { topology, options, events: [arrive('n0'), arrive('n1'), does('n0', 'leave')] },
  { topology, options, events: [arrive('n0'), arrive('n1'), does('n0', 'crash')] },
  { topology, options, events: [arrive('n0'), arrive('n1'), does('n0', 'crash'), does('n0', 'restart')] },
  { topology: ring, options, events: ['n0', 'n1', 'n2'].map(arrive) },
  // The browser lists the first tab to the second one, and reports that it has crashed.
  {
    topology,
    options,
    events: [
      does('n0', 'arriveListed'),
      { ...does('n1', 'exists'), peer: 'n0' },
      does('n1', 'arriveListed'),
      does('n0', 'crash'),
      { ...does('n1', 'ended'), peer: 'n0' },
    ],
  },
  // Each report is wrong: neither tab is listed to the other one, and none has ended.
  {
    topology,
    options,
    events: [...['n0', 'n1'].map((node) => does(node, 'arriveListed')), { ...does('n0', 'ended'), peer: 'n1' }],
  },
];
