/**
 * Small systems of a link: messages that are lost, duplicated and reordered, ends that restart or leave, and a cut that a relay bridges.
 */
import type { SystemSample } from '../protocol.js';

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
