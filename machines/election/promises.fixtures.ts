/** Additional systems in which mutants of the election and of its levels are searched. */
import type { FurtherSystem } from '../../test/mutants/promises.fixtures.js';
import { because } from '../because.fixtures.js';
import { ELECTION } from './messages.js';

const link = (at: number, word: 'cut' | 'join', u: string, v: string) => ({ at, do: word, link: [u, v] });
const down = (u: string, v: string) => [
  { at: 0, do: 'down', channel: [u, v] },
  { at: 0, do: 'down', channel: [v, u] },
];

const pair = { kind: 'path', n: 2 };
/** A leader next to a path, linked with all its nodes, and one node behind the path. */
export const fan = {
  nodes: ['l', 'p', 'x', 'y', 'z'],
  links: [
    ['l', 'p'],
    ['l', 'y'],
    ['y', 'z'],
    ['z', 'p'],
    ['p', 'x'],
  ],
};

/** Links of a three by three grid, row by row. */
const LINKS = [
  ...[0, 1, 3, 4, 6, 7].map((i) => [`n${i}`, `n${i + 1}`] as const),
  ...[0, 1, 2, 3, 4, 5].map((i) => [`n${i}`, `n${i + 3}`] as const),
];

/** Edits that violate no promise, although the charts behave differently. */
export const unpromised = {
  ...because(
    ELECTION,
    'whom it concerned is gone, and nothing is sent over a channel that is down',
    'retarget deciding: always, to updating.peer',
  ),
  ...because(ELECTION, 'without receivers no message is sent', 'drop action updating.none: always #2, action 1'),
};

export const further: readonly FurtherSystem[] = [
  // Two nodes that part for good; a leader may stay in office without followers.
  { topology: pair, events: down('n0', 'n1'), states: 2000 },
  { topology: pair, options: { skipIfLeader: true }, events: down('n0', 'n1'), states: 2000 },
  { topology: pair, options: { radii: [1] }, events: down('n0', 'n1'), states: 2000 },
  // Only one end greets on a link that the other has forgotten.
  {
    topology: { kind: 'path', n: 3 },
    options: { hello: false },
    events: [link(1, 'cut', 'n1', 'n2'), link(9, 'join', 'n1', 'n2')],
    states: 0,
  },
  // All other nodes lose the leader and search in vain; also with two levels of districts.
  { topology: fan, events: [link(1, 'cut', 'l', 'p'), link(2, 'cut', 'l', 'y'), link(40, 'join', 'l', 'x')], states: 0 },
  {
    topology: { kind: 'ring', n: 6 },
    options: { radii: [1, 2] },
    events: [link(1, 'cut', 'n0', 'n1'), link(30, 'cut', 'n3', 'n4'), link(60, 'join', 'n0', 'n1'), link(90, 'cut', 'n0', 'n5')],
    states: 0,
  },
  // One of two directions is down: messages of the other one come from an unknown node.
  {
    topology: { kind: 'path', n: 3 },
    options: { leader: 'n2' },
    events: [{ at: 1, do: 'down', channel: ['n0', 'n1'] }, link(20, 'cut', 'n1', 'n2')],
    states: 0,
  },
  // Each link is lost twice, with time to come to rest, so that old reference levels exist during the next search.
  {
    topology: { kind: 'grid', rows: 3, columns: 3 },
    events: [...LINKS, ...[...LINKS].reverse()].flatMap(([u, v], i) => [
      link(100 * i + 1, 'cut', u, v),
      link(100 * i + 50, 'join', u, v),
    ]),
    states: 0,
  },
  // Section 7.1 of the specification: with logical clocks an old search meets a later one with a smaller stamp.
  {
    topology: fan,
    options: { clock: 'logical' },
    events: [link(1, 'cut', 'l', 'p'), link(30, 'join', 'l', 'x'), link(60, 'cut', 'l', 'y')],
    states: 0,
  },
];
