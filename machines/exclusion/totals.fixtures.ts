/** Damaged runs of local mutual exclusion, to compare the two forms of its properties. */
import { compareForms, type Twist } from '../../network/damaged.fixtures.js';
import { exclusion } from './index.js';
import { plainProperties } from './plain.fixtures.js';
import { EXCLUSION, exclusionContext } from './view.js';

const workload = { concurrent: 4, requests: 40 };
const change = (at: number, how: 'cut' | 'join', u: string, v: string) => ({ at, do: how, link: [u, v] });

const scenarios = [
  { topology: { kind: 'ring', n: 5 }, options: { priorities: 2, hold: 1 }, workload },
  { topology: { kind: 'complete', n: 4 }, options: { priorities: 3, hold: 4 }, workload },
  { topology: { kind: 'star', n: 5 }, options: { priorities: 2, hold: 2, rules: 'printed' }, workload },
  {
    topology: { kind: 'grid', rows: 2, columns: 3 },
    options: { priorities: 2, hold: 2, rules: 'deferred' },
    events: [change(4, 'cut', 'n0', 'n1'), change(9, 'join', 'n0', 'n4'), change(20, 'join', 'n0', 'n1')],
    workload,
  },
];

/** Any lock, or any ports in a set of ports. */
const ports: Twist = (roles, random) => {
  const role = roles[EXCLUSION]!;
  const some = [0, 1, 2, 3].filter(() => random.below(2) === 0);
  const what = random.pick([
    { lock: random.pick([null, 0, 1, 2]) },
    { [random.pick(['A', 'C', 'H', 'L', 'R'])]: some },
    { W: some.map((port) => [port, random.below(2) === 0] as const) },
  ]);
  return { [EXCLUSION]: { ...role, context: { ...role.context, ...what } } };
};

/** A node that competes for all its neighbors, which compete for it, with some of their priorities. */
const competitor: Twist = (roles, random) => {
  const role = roles[EXCLUSION]!;
  const all = [0, ...exclusionContext(roles).ports];
  const P = all.filter(() => random.below(2) === 0).map((port) => [port, 0] as const);
  const value = { initiator: 'compete', participant: 'compete' };
  return { [EXCLUSION]: { ...role, value, context: { ...role.context, C: all, L: all, P } } };
};

export const compareExclusions = (comparisonsMin: number, seed: number) =>
  compareForms(exclusion, scenarios, {
    plain: plainProperties,
    comparisonsMin,
    seed,
    twists: [ports, competitor],
    turnsLinks: true,
  });
