/** Small systems of the election: links that come and go, each end told by itself; both clocks, and two levels of the hierarchy. */
import type { SystemSample } from '../protocol.js';

const told = (word: 'down' | 'up', u: string, v: string) => [
  { at: 0, do: word, channel: [u, v] },
  { at: 0, do: word, channel: [v, u] },
];

export const systems: readonly SystemSample[] = [
  { topology: { kind: 'path', n: 2 }, events: [...told('down', 'n0', 'n1'), ...told('up', 'n0', 'n1')] },
  {
    topology: { kind: 'ring', n: 3 },
    events: [...told('down', 'n0', 'n1'), ...told('down', 'n0', 'n2'), ...told('up', 'n0', 'n1')],
  },
  {
    topology: { kind: 'path', n: 4 },
    options: { clock: 'logical', skipIfLeader: true },
    events: [...told('down', 'n0', 'n1'), ...told('down', 'n2', 'n3'), ...told('up', 'n0', 'n1')],
  },
  {
    topology: { kind: 'path', n: 4 },
    options: { radii: [1, 2], hello: true },
    events: [...told('down', 'n1', 'n2'), ...told('up', 'n1', 'n2')],
  },
];
