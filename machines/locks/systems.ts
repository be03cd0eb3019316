/** Small systems of locks: nobody fails, a link is cut and comes back, the leader or a holder stops, two prepare. */
import type { SystemSample } from '../protocol.js';

const topology = { kind: 'ring', n: 3 };
const ask = (node: string) => ({ at: 0, node, do: 'request' });
const share = (node: string) => ({ at: 0, node, do: 'share' });
const told = (word: 'down' | 'up', u: string, v: string) => [
  { at: 0, do: word, channel: [u, v] },
  { at: 0, do: word, channel: [v, u] },
];

export const locksSystems: readonly SystemSample[] = [
  { topology, options: { hold: 1 }, events: ['n0', 'n1', 'n2'].map(ask) },
  { topology, options: { hold: 0, confirm: true }, events: ['n0', 'n1'].map(ask) },
  {
    topology,
    options: { hold: 0 },
    events: [ask('n1'), ask('n2'), ...told('down', 'n0', 'n1'), ...told('up', 'n0', 'n1')],
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
  // Called on a peer that does not lead.
  { topology, options: { hold: 1 }, events: [ask('n1'), { at: 0, node: 'n1', do: 'change', remove: 'n2' }] },
  // n2 is a client of the two others, and n1 of the other.
  {
    topology,
    options: { hold: 1, clients: ['n2'] },
    events: [ask('n1'), ask('n2'), ...told('down', 'n0', 'n1'), ...told('up', 'n0', 'n1')],
  },
  {
    topology: { kind: 'path', n: 2 },
    options: { hold: 1, clients: ['n1'] },
    events: [ask('n1'), ...told('down', 'n0', 'n1'), ...told('up', 'n0', 'n1')],
  },
  // Who was alone took itself for the leader.
  { topology: { kind: 'path', n: 3 }, events: [...told('down', 'n1', 'n2'), ...told('up', 'n1', 'n2')] },
  // n2 writes before, between or after the others, who read.
  {
    topology,
    options: { hold: 1 },
    events: [...['n0', 'n1'].flatMap((node) => [share(node), share(node)]), ask('n2'), ask('n2')],
  },
  // There is no room for what n1 asks of n0.
  { topology: { kind: 'path', n: 2 }, options: { hold: 1, clients: ['n1'], bytes: 500 }, events: [ask('n1'), ask('n0')] },
];
