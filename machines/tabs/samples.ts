/** Sample events for each state of a tab, for generated paths. */
import type { Message } from '../effects.js';
import type { ChartSamples } from '../protocol.js';
import type { PeerInput } from './peer.js';
import type { TabContext, TabInput } from './tab.js';

const input: TabInput = { id: 'a', everybody: ['b', 'c'], beat: 2, patience: 1, answer: 2 };

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
