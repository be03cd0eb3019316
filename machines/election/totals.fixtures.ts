/** Damaged runs of the election, to compare the two forms of its properties. */
import { compareForms, type Twist } from '../../network/damaged.fixtures.js';
import { election } from './index.js';
import { ELECTION } from './messages.js';
import { plainProperties } from './plain.fixtures.js';

const change = (at: number, how: 'cut' | 'join', u: string, v: string) => ({ at, do: how, link: [u, v] });
const events = [
  change(2, 'cut', 'n0', 'n1'),
  change(4, 'cut', 'n1', 'n2'),
  change(30, 'join', 'n0', 'n1'),
  change(60, 'cut', 'n0', 'n1'),
];

const scenarios = [
  { topology: { kind: 'complete', n: 4 }, events },
  { topology: { kind: 'ring', n: 5 }, options: { clock: 'logical' }, events },
  { topology: { kind: 'grid', rows: 2, columns: 3 }, options: { hello: false }, events: events.slice(0, 1) },
  { topology: { kind: 'complete', n: 5 }, options: { radii: [1, 2] }, events },
];

/** Changes a number in an own or recorded height, or a leader of a level. */
const twists: readonly Twist[] = [
  (roles, random) => {
    const role = roles[ELECTION]!;
    const { height, links } = role.context;
    const change = random.pick([
      { tau: random.below(3) },
      { delta: random.below(4) - 1 },
      { nlts: -random.below(5) },
      { r: random.below(3) },
      { oid: random.pick([null, [0, 'n0'], [1, 'stranger']]) },
    ]);
    const place = random.below(links.length + 1);
    const changed = links.map((row: any, i: number) =>
      i === place && row.height ? { ...row, height: { ...row.height, ...change } } : row,
    );
    const context = { ...role.context, links: changed, ...(place === links.length && { height: { ...height, ...change } }) };
    return { ...roles, [ELECTION]: { ...role, context } };
  },
  // A neighbor is missing or still forming, and the clock differs.
  (roles, random) => {
    const role = roles[ELECTION]!;
    const { links, now } = role.context;
    const place = random.below(links.length + 1);
    const forgotten = links.filter((_: unknown, i: number) => i !== place);
    const unreceived = links.map((row: any, i: number) => (i === place ? { ...row, height: null } : row));
    const context = { ...role.context, links: random.pick([forgotten, unreceived]), now: now + random.below(3) - 1 };
    return { ...roles, [ELECTION]: { ...role, context } };
  },
  (roles, random) => {
    const role = roles[ELECTION]!;
    return {
      ...roles,
      [ELECTION]: { ...role, value: random.pick(['isolated', 'leader', 'oriented', { reflected: 'originator' }]) },
    };
  },
  (roles, random) => {
    const levels = Object.keys(roles).filter((name) => name !== ELECTION);
    if (levels.length === 0) return roles;
    const name = random.pick(levels);
    const role = roles[name]!;
    return { ...roles, [name]: { ...role, value: random.pick(['leading', 'following']) } };
  },
];

export const compareElections = (comparisonsMin: number, seed: number) =>
  compareForms(election, scenarios, { plain: plainProperties, comparisonsMin, seed, twists, turnsLinks: true });
