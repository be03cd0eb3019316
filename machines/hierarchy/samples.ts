/** Sample events and inputs for one level of a hierarchy, for path generation and coverage. */
import { oriented, type Identity } from '../election/height.js';
import { ELECTION, type Turn } from '../election/messages.js';
import type { ChartSamples } from '../protocol.js';
import type { LevelInput } from './level.js';

const [a, b, c]: readonly [Identity, Identity, Identity] = [
  [1, 'a'],
  [2, 'b'],
  [3, 'c'],
];

const turn = (distance: number, birth: number): Turn => ({
  type: 'turn',
  now: 1,
  links: [{ peer: 'b', height: oriented(b, b, 0) }],
  received: { peer: 'b', tables: [[{ birth, id: b, distance }]] },
  to: [],
  update: { type: 'update', height: oriented(a, a, 0), hello: false, stamp: null, tables: [] },
});

const level: LevelInput = {
  id: a,
  level: 1,
  radius: 2,
  separation: 1,
  next: ELECTION,
  birth: null,
  member: b,
  table: [{ birth: 0, id: b, distance: 1 }],
  received: [{ peer: 'b', table: [{ birth: 0, id: b, distance: 0 }] }],
};

/** Near and far, senior and junior, another leader, and none. */
const turns = [
  turn(0, 0),
  turn(0, 9),
  turn(1, 0),
  { ...turn(0, 0), received: { peer: 'b', tables: [[{ birth: 0, id: c, distance: 0 }]] } },
  { ...turn(0, 0), received: { peer: 'b', tables: [[]] } },
];

export const levelSamples: readonly ChartSamples[] = [
  { input: level, events: () => [...turns, { ...turn(0, 0), received: null, links: [] }] },
  { input: { ...level, birth: 0, member: a, table: [{ birth: 0, id: a, distance: 0 }], received: [] }, events: () => turns },
];
