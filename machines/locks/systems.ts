/**
 * Small systems of locks: without failures, with a link that is cut and comes back, with a leader or a holder that stops, and with two
 * proposers.
 */
import type { SystemSample } from '../protocol.js';

const topology = { kind: 'ring', n: 3 };
const ask = (node: string) => ({ at: 0, node, do: 'request' });
const share = (node: string) => ({ at: 0, node, do: 'share' });
const notified = (word: 'down' | 'up', u: string, v: string) => [
  { at: 0, do: word, channel: [u, v] },
  { at: 0, do: word, channel: [v, u] },
];

export const locksSystems: readonly SystemSample[] = [
  { topology, options: { hold: 1 }, events: ['n0', 'n1', 'n2'].map(ask) },
  { topology, options: { hold: 0, confirm: true }, events: ['n0', 'n1'].map(ask) },
  {
    topology,
    options: { hold: 0 },
    events: [ask('n1'), ask('n2'), ...notified('down', 'n0', 'n1'), ...notified('up', 'n0', 'n1')],
  },
  {
    topology,
    options: { hold: 1 },
    events: [
      ask('n1'),
      ask('n2'),
      { at: 0, node: 'n0', do: 'crash' },
      ...['n1', 'n2'].map((node) => ({ at: 0, do: 'down', channel: [node, 'n0'] })),
    ],
  },
  // The change is requested on a peer that does not lead.
  { topology, options: { hold: 1 }, events: [ask('n1'), { at: 0, node: 'n1', do: 'change', remove: 'n2' }] },
  // n2 is a client of the two other nodes; in the next system n1 is a client of n0.
  {
    topology,
    options: { hold: 1, clients: ['n2'] },
    events: [ask('n1'), ask('n2'), ...notified('down', 'n0', 'n1'), ...notified('up', 'n0', 'n1')],
  },
  {
    topology: { kind: 'path', n: 2 },
    options: { hold: 1, clients: ['n1'] },
    events: [ask('n1'), ...notified('down', 'n0', 'n1'), ...notified('up', 'n0', 'n1')],
  },
  // A node that was separated considered itself the leader.
  { topology: { kind: 'path', n: 3 }, events: [...notified('down', 'n1', 'n2'), ...notified('up', 'n1', 'n2')] },
  // n2 writes before, between or after the other nodes, which read.
  {
    topology,
    options: { hold: 1 },
    events: [...['n0', 'n1'].flatMap((node) => [share(node), share(node)]), ask('n2'), ask('n2')],
  },
  // The lock that n1 requests from n0 has no room.
  { topology: { kind: 'path', n: 2 }, options: { hold: 1, clients: ['n1'], bytes: 500 }, events: [ask('n1'), ask('n0')] },
  // The change is made, or withdrawn before.
  {
    topology: { kind: 'path', n: 2 },
    events: [
      { at: 0, node: 'n1', do: 'change', remove: 'n0' },
      { at: 0, node: 'n1', do: 'withdraw' },
    ],
  },
];
