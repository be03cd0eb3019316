/** Runs of locks with injected damage, for the two forms of their properties. */
import { compareForms, type Twist } from '../../network/damaged.fixtures.js';
import { DIRECTORY } from '../directory/view.js';
import { locks } from './index.js';
import { EPOCHS } from './messages.js';
import { plainProperties } from './plain.fixtures.js';

const workload = { concurrent: 3, requests: 60 };
const until = { at: 400 };
const change = (at: number, how: 'cut' | 'join', u: string, v: string) => ({ at, do: how, link: [u, v] });

const scenarios = [
  { topology: { kind: 'complete', n: 3 }, options: { hold: 2 }, workload, until },
  {
    topology: { kind: 'complete', n: 5 },
    options: { hold: 2, grants: 2, locks: 2 },
    events: [change(4, 'cut', 'n0', 'n1'), change(9, 'cut', 'n0', 'n2'), change(60, 'join', 'n0', 'n1')],
    workload,
    until,
  },
  { topology: { kind: 'complete', n: 4 }, options: { hold: 1, clients: ['n3'] }, workload, until },
  {
    topology: { kind: 'complete', n: 4 },
    options: { hold: 1, voters: ['n0', 'n1', 'n2'] },
    events: [{ at: 3, node: 'n0', do: 'change', add: 'n3', remove: 'n1' }],
    workload,
    until,
  },
  { topology: { kind: 'complete', n: 3 }, options: { hold: 1, quorum: 'present' }, workload, until },
];

const LOCKS = ['lock', 'another'];

const twists: readonly Twist[] = [
  // Locks are held with arbitrary fences.
  (roles, random) => {
    const role = roles[EPOCHS]!;
    const claim = (lock: string) => ({
      lock,
      fence: random.pick([null, 1, 1, 1, 2 ** 40]),
      user: random.below(4) > 0 ? role.context.id : 'n0',
    });
    const claims = LOCKS.filter(() => random.below(3) > 0).map(claim);
    const { bounds = { locks: 0 } } = role.context;
    const opened = random.below(8) === 0 ? bounds.locks + 1 : role.context.opened;
    return { ...roles, [EPOCHS]: { ...role, context: { ...role.context, claims, opened } } };
  },
  // The node serves another epoch, or the same one with other members.
  (roles, random) => {
    const role = roles[EPOCHS]!;
    if (role.chart !== EPOCHS) return roles;
    const { served, id } = role.context;
    const { membership } = served;
    const some = ['n0', 'n1', 'n2', 'n3'].filter(() => random.below(3) > 0);
    const epoch = random.pick([
      { epoch: 1 + random.below(2) },
      { members: some },
      { kept: [{ node: 'n0', lock: 'lock', fence: 1 }] },
      { membership: { ...membership, voters: some } },
      // The only voter of its list.
      { members: [id], membership: { ...membership, voters: [id] } },
      { members: [id], membership: { ...membership, voters: [id] } },
    ]);
    const value = random.pick([{ serving: 'fresh' }, { serving: 'asked' }, 'apart']);
    return { ...roles, [EPOCHS]: { ...role, value, context: { ...role.context, served: { ...served, ...epoch } } } };
  },
  // The node knows another list of voters, perhaps a later one.
  (roles, random) => {
    const role = roles[EPOCHS]!;
    if (role.chart !== EPOCHS) return roles;
    const { membership } = role.context;
    const voters = ['n0', 'n1', 'n2', 'n3'].filter(() => random.below(8) > 0);
    const known = { ...membership, version: membership.version + random.below(2), voters };
    return { ...roles, [EPOCHS]: { ...role, context: { ...role.context, membership: known } } };
  },
  // A directory has a token.
  (roles, random) => {
    const name = `${DIRECTORY} ${1 + random.below(2)} ${random.pick(LOCKS)}`;
    const context = { id: 'n0', ...(random.below(4) > 0 && { parent: 'n0' }) };
    const value = random.pick([{ holding: 'idle' }, { holding: { using: 'last' } }, 'idle']);
    return { ...roles, [name]: { chart: DIRECTORY, value, context } };
  },
];

export const compareLocks = (comparisonsMin: number, seed: number) =>
  compareForms(locks, scenarios, { plain: plainProperties, comparisonsMin, seed, twists, turnsLinks: true });
