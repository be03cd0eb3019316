/** Damaged runs of the queue, to compare the two forms of its properties. */
import { compareForms, type Twist } from '../../network/damaged.fixtures.js';
import { queue } from './index.js';
import { GUARDIAN, POINTER } from './messages.js';

const workload = { concurrent: 3, requests: 60 };
const until = { at: 400 };
const change = (at: number, how: 'cut' | 'join', u: string, v: string) => ({ at, do: how, link: [u, v] });
const stabilizing = { tree: 'stabilizing' };

const scenarios = [
  { topology: { kind: 'tree', n: 7 }, workload, until },
  { topology: { kind: 'star', n: 5 }, options: { legality: 'printed' }, workload, until },
  { topology: { kind: 'path', n: 4 }, events: [{ at: 0, do: 'corrupt' }], workload, until },
  { topology: { kind: 'ring', n: 5 }, options: stabilizing, workload, until },
  {
    topology: { kind: 'grid', rows: 2, columns: 3 },
    options: stabilizing,
    events: [change(20, 'cut', 'n0', 'n1'), change(40, 'join', 'n0', 'n4'), change(60, 'join', 'n0', 'n1')],
    workload,
    until,
  },
];

const twists: readonly Twist[] = [
  // Changes a pointer to the node itself or another neighbor in the tree.
  (roles, random) => {
    const role = roles[POINTER]!;
    const { id, parent, children } = role.context;
    const pointer = random.pick([id, ...(parent === null ? [] : [parent]), ...children]);
    return { ...roles, [POINTER]: { ...role, context: { ...role.context, pointer } } };
  },
  // Changes a guardian's counts, or its state.
  (roles, random) => {
    const guardians = Object.keys(roles).filter((name) => roles[name]!.chart === GUARDIAN);
    if (guardians.length === 0) return roles;
    const name = random.pick(guardians);
    const counts = { sent: random.below(3), est: random.below(3), timely: random.below(2) === 0 };
    const guardian = roles[name]!;
    const value = random.pick(['observe', 'correct']);
    return { ...roles, [name]: { ...guardian, value, context: { ...guardian.context, ...counts } } };
  },
];

export const compareQueues = (comparisonsMin: number, seed: number) =>
  compareForms(queue, scenarios, { comparisonsMin, seed, twists, turnsLinks: true });
