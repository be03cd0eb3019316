/** Samples: events for each state of a tab; small systems of tabs that arrive, leave, crash, and freeze and continue. */
import type { Message } from '../effects.js';
import type { ChartSamples, SystemSample } from '../protocol.js';
import type { PeerInput } from './peer.js';
import type { TabContext, TabInput } from './tab.js';

const input: TabInput = { id: 'a', audience: ['b', 'c'], beat: 2, patience: 1, answer: 2 };

const events = ({ peers }: TabContext): readonly Message[] => [
  { type: 'arrive' },
  { type: 'leave' },
  ...['b', 'c'].flatMap((from) => [
    { type: 'hello', from },
    { type: 'here', from, peers: ['a', 'b', 'c'], isPresent: true },
    { type: 'here', from, peers: ['a'], isPresent: false },
    { type: 'beat', from },
    { type: 'ping', from },
    { type: 'missed', from },
  ]),
  ...peers.map((peer) => ({ type: 'gone', peer })),
  { type: 'timer', timer: 'beat' } as Message,
];

export const tabSamples: readonly ChartSamples[] = [{ input, events }];

const peer: PeerInput = { peer: 'b', patience: 2 };

export const peerSamples: readonly ChartSamples[] = [
  { input: peer, events: () => ['beat', 'ping', 'bye', 'due'].map((type) => ({ type, from: 'b' })) },
];

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
