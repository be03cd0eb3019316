/** Where mutants of the election and of its levels are searched further than in its own systems. */
import type { FurtherSystem } from '../../test/mutants/promises.js';

const link = (at: number, word: 'cut' | 'join', u: string, v: string) => ({ at, do: word, link: [u, v] });
const down = (u: string, v: string) => [
  { at: 0, do: 'down', channel: [u, v] },
  { at: 0, do: 'down', channel: [v, u] },
];

const pair = { kind: 'path', n: 2 };
/** A leader with a path beside it, every node of which it reaches, and one node behind that path. */
const fan = {
  nodes: ['l', 'p', 'x', 'y', 'z'],
  links: [
    ['l', 'p'],
    ['l', 'y'],
    ['y', 'z'],
    ['z', 'p'],
    ['p', 'x'],
  ],
};

export const further: readonly FurtherSystem[] = [
  // Two nodes that part for good, with and without a leader that stays in office alone.
  { topology: pair, events: down('n0', 'n1'), states: 2000 },
  { topology: pair, options: { skipIfLeader: true }, events: down('n0', 'n1'), states: 2000 },
  { topology: pair, options: { radii: [1] }, events: down('n0', 'n1'), states: 2000 },
  // Only one end says hello to a link that the other has forgotten.
  {
    topology: { kind: 'path', n: 3 },
    options: { hello: false },
    events: [link(1, 'cut', 'n1', 'n2'), link(9, 'join', 'n1', 'n2')],
    states: 0,
  },
  // The leader is lost to all others, who search in vain; and again with two levels of districts.
  { topology: fan, events: [link(1, 'cut', 'l', 'p'), link(2, 'cut', 'l', 'y'), link(40, 'join', 'l', 'x')], states: 0 },
  {
    topology: { kind: 'ring', n: 6 },
    options: { radii: [1, 2] },
    events: [link(1, 'cut', 'n0', 'n1'), link(30, 'cut', 'n3', 'n4'), link(60, 'join', 'n0', 'n1'), link(90, 'cut', 'n0', 'n5')],
    states: 0,
  },
  // Section 7.1 of the specification: with logical clocks an old search is met by a later one with a smaller stamp.
  {
    topology: fan,
    options: { clock: 'logical' },
    events: [link(1, 'cut', 'l', 'p'), link(30, 'join', 'l', 'x'), link(60, 'cut', 'l', 'y')],
    states: 0,
  },
];
