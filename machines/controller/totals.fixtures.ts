/** Damaged runs of every kind of controller, to compare the two forms of its properties. */
import { compareForms, type Twist } from '../../network/damaged.fixtures.js';
import type { NodeView } from '../protocol.js';
import { controller } from './index.js';
import { MAIN } from './messages.js';
import { plainProperties } from './plain.fixtures.js';

const topology = { kind: 'tree', n: 7 };
const workload = { concurrent: 4, requests: 40 };
const parents = { n0: 'n0', n1: 'n0', n2: 'n0' };
const child = (node: string) => ({ at: 3, node, do: 'child' });
const leave = (node: string) => ({ at: 30, node, do: 'leave' });
const asked = (node: string, word: string) => ({ at: 1, node, do: word });

const scenarios = [
  ...['naive', 'bins', 'basic'].map((kind) => ({ topology, options: { kind, M: 12, W: 6 }, workload })),
  { topology, options: { kind: 'basic', M: 12, W: 4, pipelined: true }, workload },
  ...['main', 'modified'].map((kind) => ({
    topology,
    options: { kind, M: 20, W: 3, parents },
    events: [child('n1'), child('n1'), child('n2'), leave('n4')],
    workload,
  })),
  { topology, options: { kind: 'main', M: 5, W: 1, signal: 'late' }, workload },
  { topology, options: { kind: 'main', M: 2, W: 0, signal: 'late' }, workload },
  { topology: { kind: 'path', n: 3 }, options: { kind: 'names' }, workload: { ...workload, concurrent: 2, command: 'name' } },
  { topology, options: { kind: 'names', parents }, events: [child('n1'), child('n2'), asked('n1', 'name'), asked('n0', 'name')] },
  {
    topology,
    options: { kind: 'bank', M: 6, W: 2 },
    events: [asked('n1', 'withdraw'), asked('n3', 'deposit'), asked('n5', 'withdraw'), asked('n6', 'deposit')],
    workload: { ...workload, command: 'withdraw' },
  },
];

const within = (roles: NodeView, name: string, change: object): NodeView => {
  const role = roles[name];
  return role ? { ...roles, [name]: { ...role, context: { ...role.context, ...change } } } : roles;
};

const twists: readonly Twist[] = [
  (roles) => {
    const delivery = roles['R.delivery'];
    return delivery?.chart === 'root' ? { ...roles, 'R.delivery': { ...delivery, value: 'signaled' } } : roles;
  },
  (roles, random) => within(roles, 'R.request', { scale: { flat: 1 + random.below(4) } }),
  (roles, random) => within(roles, MAIN, { name: random.below(60) }),
  (roles, random) => within(roles, MAIN, { name: random.below(4) }),
  (roles) => within(roles, MAIN, { name: null }),
  (roles, random) =>
    within(roles, MAIN, {
      past: {
        issued: random.below(3),
        keptBack: random.below(4),
        names: [random.below(4)],
        returnedTo: null,
        isCut: random.below(4) === 0,
      },
    }),
  (roles) => within(roles, 'R.request', { hasRejected: true }),
  (roles) => (roles[MAIN] ? { ...roles, [MAIN]: { ...roles[MAIN], value: 'leaving' } } : roles),
  (roles, random) => within(roles, MAIN, { phase: { cause: 'N', previous: 3, n: random.below(12), departed: random.below(3) } }),
];

export const compareControllers = (comparisonsMin: number, seed: number) =>
  compareForms(controller, scenarios, { plain: plainProperties, comparisonsMin, seed, twists });
