/** Sample events for each state of the epochs, for generated paths. */
import type { Message } from '../effects.js';
import type { ChartSamples } from '../protocol.js';
import { firstFence } from './epoch.js';
import { promisedEpoch, type EpochsContext, type EpochsInput } from './knowledge.js';
import { STANDING } from './messages.js';
import { firstMembership, membershipAfter } from './membership.js';

const BOUNDS = { grants: 4, locks: 2, bytes: 2 ** 20 };
/** The share of each voter is too small for a second lock of a client; or half of the room for returned locks is one lock. */
const cramped = { ...BOUNDS, bytes: 1_500 };

const membership = firstMembership(['a', 'b', 'c']);

const apart: EpochsInput = {
  id: 'a',
  membership,
  links: [],
  leader: 'a',
  members: [],
  memory: 'forgotten',
  stored: null,
  floor: 3,
  bounds: BOUNDS,
  confirm: true,
  patience: 1,
};
const follower: EpochsInput = { ...apart, links: ['b', 'c'], leader: 'b', members: ['a', 'b', 'c'], memory: 'known' };
const leader: EpochsInput = { ...follower, leader: 'a' };
const candidate: EpochsInput = { ...leader, members: [] };

type Named = Message & Readonly<Record<string, unknown>>;

const YEARS = 2 ** 39;
const report = {
  type: 'promise',
  membership,
  memory: 'known',
  served: 1,
  kept: [],
  pending: [],
  using: [],
  records: [],
  stranded: [],
  links: ['a', 'c'],
  floor: 9,
};

const stored = { type: 'stored', key: STANDING };

/** Links and leaders change, and epochs begin and end. */
const changes = (c: EpochsContext): Named[] => {
  const promised = promisedEpoch(c);
  return [
    { type: 'link.up', peer: 'b' },
    { type: 'link.down', peer: 'b' },
    { type: 'link.up', peer: 'c' },
    { type: 'leader', leader: 'a', term: 1 },
    { type: 'leader', leader: 'b', term: 1 },
    { type: 'changed', membership, from: 'b' },
    { type: 'hello', membership, from: 'b' },
    { type: 'bootstrap' },
    { type: 'timer', timer: 'patience' },
    stored,
    ...['b', 'c'].flatMap((from) => [
      { type: 'prepare', membership, from, epoch: promised + 1, members: ['a', 'b', 'c'], served: 1, next: membership },
      { type: 'prepare', membership, from, epoch: promised + 1, members: ['a', from], served: 1, next: membership },
    ]),
    { type: 'prepare', membership, from: 'b', epoch: promised, members: ['a', 'b'], served: 1, next: membership },
    { type: 'prepare', membership, from: 'b', epoch: YEARS, members: ['a', 'b'], served: 1, next: membership },
    { ...report, from: 'b', epoch: promised },
    { ...report, from: 'c', epoch: promised, links: ['a', 'b'] },
    { ...report, from: 'c', epoch: promised, links: ['a'] },
    { ...report, from: 'c', epoch: promised, links: ['a', 'b'], memory: 'forgotten', served: 0 },
    { ...report, from: 'b', epoch: promised, memory: 'forgotten', served: 0 },
    { ...report, from: 'b', epoch: promised - 1 },
    { type: 'refuse', membership, from: 'b', epoch: promised, promised },
    { type: 'refuse', membership, from: 'b', epoch: promised, promised: promised + 1 },
    { type: 'refuse', membership, from: 'b', epoch: promised, promised: promised - 1 },
    { type: 'refuse', membership, from: 'b', epoch: promised, promised: YEARS },
    { type: 'refuse', membership, from: 'b', epoch: promised, promised: 0, known: YEARS },
    { type: 'wait', membership, from: 'b', epoch: promised },
    { type: 'wait', membership, from: 'b', epoch: promised - 1 },
    { type: 'install', membership, from: 'b', epoch: promised, members: ['a', 'b'], kept: [] },
    { type: 'install', membership, from: 'c', epoch: promised, members: ['a', 'c'], kept: [] },
    { type: 'superseded', membership, from: 'b', epoch: promised, members: ['b', 'c'] },
    { type: 'superseded', membership, from: 'b', epoch: promised - 1, members: ['b', 'c'] },
    { type: 'superseded', membership, from: 'b', epoch: YEARS, members: ['b', 'c'] },
  ];
};

const grown = membershipAfter(membership, { add: 'd', remove: null }, BOUNDS.bytes)!;
const lists = [membership, grown, firstMembership(['a', 'b', 'd'])];

/** Rule 9: the membership changes, here and at other nodes; some nodes have never belonged to this cluster. */
const memberships = (c: EpochsContext): Named[] => {
  const promised = promisedEpoch(c);
  const answer = { ...report, epoch: promised, membership: c.membership };
  return [
    ...['b', 'c', 'd'].flatMap((peer) => ['link.up', 'link.down'].map((type) => ({ type, peer }))),
    ...['a', 'b'].map((leader) => ({ type: 'leader', leader, term: 1 })),
    { type: 'change', add: 'd', remove: null },
    { type: 'change', add: null, remove: 'a' },
    { type: 'change', add: 'a', remove: null },
    { type: 'withdraw' },
    { type: 'withdrawal', membership, from: 'b' },
    ...(c.wanted ? [{ type: 'seek' }] : []),
    stored,
    ...['b', 'c'].map((from, i) => ({ ...answer, from, links: ['a', ['c', 'b'][i]] })),
    ...lists.flatMap((membership) => [
      { type: 'reconfigure', membership, from: 'b', add: 'd', remove: null },
      { type: 'hello', membership, from: 'b' },
      { type: 'changed', membership, from: 'b' },
      { type: 'refuse', membership, from: 'b', epoch: promised, promised },
      { type: 'superseded', membership, from: 'b', epoch: promised, members: ['b', 'c'] },
      { type: 'prepare', membership, from: 'b', epoch: promised + 1, members: ['a', 'b', 'c'], served: 1, next: lists[0] },
      { type: 'install', membership, from: 'b', epoch: promised, members: ['a', 'b'], kept: [] },
      { ...report, from: 'b', epoch: promised, membership },
    ]),
  ];
};

/** Rule 14: no node has served, and b was given a list with which it may begin an epoch with d, unless it gives way. */
const differences = (c: EpochsContext): Named[] => {
  const epoch = promisedEpoch(c);
  const foreign = lists[2]!;
  return [
    ...[membership, foreign].flatMap((membership) => [
      { type: 'hello', membership, from: 'b' },
      { type: 'superseded', membership, from: 'b', epoch: epoch + 1, members: ['b', 'd'] },
      { type: 'giveWay', membership, from: 'b' },
      { type: 'givenWay', membership, from: 'b' },
      { type: 'prepare', membership, from: 'b', epoch: epoch + 1, members: ['a', 'b'], served: 0, next: membership },
    ]),
    { type: 'hello', membership: foreign, from: 'c' },
    { type: 'changed', membership: foreign, from: 'b' },
    { type: 'refuse', membership: foreign, from: 'b', epoch, promised: epoch },
    { type: 'link.up', peer: 'b' },
    stored,
    { type: 'prepare', membership, from: 'c', epoch: epoch + 1, members: ['a', 'c'], served: 0, next: membership },
    { type: 'prepare', membership, from: 'c', epoch, members: ['a', 'c'], served: 0, next: membership },
    { type: 'wait', membership, from: 'c', epoch },
    { ...report, from: 'c', epoch, served: 0, links: ['a', 'b'] },
  ];
};

/** None of the nodes that reply has served, and one has promised an epoch with a later list of voters, which may have begun. */
const laterList = (c: EpochsContext): Named[] => {
  const epoch = promisedEpoch(c);
  const pending = [{ epoch: epoch - 1, proposer: 'd', members: ['c', 'd'], next: grown }];
  return [
    { type: 'changed', membership, from: 'b' },
    stored,
    { ...report, from: 'b', epoch, served: 0 },
    { ...report, from: 'c', epoch, served: 0, links: ['a', 'b'], pending },
  ];
};

/** All nodes have forgotten, one of them has received `bootstrap`, and another has promised an epoch with a later list since. */
const forgottenList = (c: EpochsContext): Named[] => {
  const epoch = promisedEpoch(c);
  const pending = [{ epoch, proposer: 'd', members: ['c', 'd'], next: grown }];
  const answer = { ...report, epoch, memory: 'forgotten', served: 0 };
  return [
    { type: 'changed', membership, from: 'b' },
    stored,
    { ...answer, from: 'b', memory: 'founding' },
    { ...answer, from: 'c', links: ['a', 'b'], pending },
  ];
};

/** An unreasonable number comes with a later list of voters, or with an earlier one. */
const unreasonable = ({ membership: known }: EpochsContext): Named[] => [
  ...(known.version > 1 ? [] : [{ type: 'hello', membership: grown, from: 'c' }]),
  ...[membership, grown].flatMap((membership) => [
    { type: 'prepare', membership, from: 'b', epoch: YEARS, members: ['a', 'b'], served: 1, next: membership },
    { type: 'refuse', membership, from: 'b', epoch: 1, promised: YEARS },
    { type: 'superseded', membership, from: 'b', epoch: YEARS, members: ['b', 'c'] },
  ]),
];

/** Rule 6: b and c do not reach each other, and both use a lock. */
const users = (c: EpochsContext): Named[] => [
  { type: 'changed', membership, from: 'b' },
  { type: 'timer', timer: 'patience' },
  stored,
  ...['b', 'c'].map((from, fence) => ({
    ...report,
    from,
    epoch: promisedEpoch(c),
    links: ['a'],
    using: [{ lock: from, fence }],
  })),
];

/** An epoch is installed by a node whose link goes down before the epoch is stored, and requests come before it begins. */
const hasty = (c: EpochsContext): Named[] => {
  const epoch = promisedEpoch(c);
  return [
    { type: 'prepare', membership, from: 'b', epoch: epoch + 1, members: ['a', 'b', 'c'], served: 1, next: membership },
    stored,
    { type: 'find', from: 'b', producer: 'b', visited: ['b'], edge: 'tree', epoch, lock: 'x' },
    { type: 'install', membership, from: 'b', epoch, members: ['a', 'b'], kept: [] },
    { type: 'early' },
    { type: 'link.down', peer: 'b' },
  ];
};

/** The leader removes itself, and begins the epoch of the others. */
const ownRemoval = (c: EpochsContext): Named[] => [
  { type: 'change', add: null, remove: 'a' },
  stored,
  { ...report, from: 'b', epoch: promisedEpoch(c) },
  { ...report, from: 'c', epoch: promisedEpoch(c), links: ['a', 'b'] },
];

/** The leader removes a voter, and leaves the epoch before it is stored. */
const overtaken = (c: EpochsContext): Named[] => {
  const epoch = promisedEpoch(c);
  const earlier = [
    { type: 'change', add: null, remove: 'c' },
    { type: 'link.down', peer: 'b' },
    { type: 'leader', leader: 'b', term: 1 },
    { type: 'prepare', membership, from: 'b', epoch: epoch + 1, members: ['a', 'b'], served: 1, next: membership },
  ];
  return [stored, { ...report, from: 'b', epoch }, ...(epoch > 2 ? [] : earlier)];
};

/** The leader proposes, and learns from a refusal that it was removed. */
const removed = (c: EpochsContext): Named[] => {
  const epoch = promisedEpoch(c);
  const without = membershipAfter(membership, { add: null, remove: 'a' }, BOUNDS.bytes)!;
  return [
    { type: 'changed', membership, from: 'b' },
    stored,
    { type: 'refuse', membership: without, from: 'b', epoch, promised: epoch + 1 },
  ];
};

/** The node learns that it is the only voter. */
const loneVote = (_: EpochsContext): Named[] => [
  ...['b', 'c'].map((peer) => ({ type: 'link.down', peer })),
  { type: 'hello', membership: { ...membership, version: 3, voters: ['a'] }, from: 'b' },
  stored,
];

/** Locks are requested, granted and released while epochs change. */
const uses = (c: EpochsContext): Named[] => {
  const { served, claims } = c;
  const promised = promisedEpoch(c);
  return [
    ...['x', 'y', 'z'].map((lock) => ({ type: 'request', lock })),
    ...claims.map(({ lock, fence }) =>
      fence === null
        ? { type: 'used', lock, fence: firstFence(served.epoch, BOUNDS.grants) + 1, user: 'a' }
        : { type: 'freed', lock },
    ),
    ...claims.flatMap(({ lock, fence }) => (fence === null ? [] : [{ type: 'lost', lock }])),
    { type: 'early' },
    { type: 'confirming', lock: 'x', fence: 5, user: 'a' },
    ...[served.epoch - 1, served.epoch, served.epoch + 1].map((epoch) => ({
      type: 'confirm',
      from: 'b',
      epoch,
      lock: 'x',
      fence: 5,
      user: 'b',
    })),
    stored,
    { type: 'spent' },
    { type: 'timer', timer: 'spent' },
    { type: 'timer', timer: 'patience' },
    ...[served.epoch - 1, served.epoch, served.epoch + 1].flatMap((epoch) =>
      ['x', 'y', 'z'].map((lock) => ({ type: 'find', from: 'b', producer: 'b', visited: ['b'], edge: 'tree', epoch, lock })),
    ),
    { type: 'prepare', membership, from: 'b', epoch: promised + 1, members: ['a', 'b', 'c'], served: 1, next: membership },
    { type: 'install', membership, from: 'b', epoch: promised, members: ['a', 'b'], kept: [] },
    {
      type: 'install',
      membership,
      from: 'b',
      epoch: promised,
      members: ['a', 'b'],
      kept: claims.flatMap(({ lock, fence }) => (fence === null ? [] : [{ lock, fence, node: 'a' }])),
    },
    { type: 'link.down', peer: 'c' },
  ];
};

/** Rule 11: a client uses a lock through this voter, which may want it, too. */
const clients = ({ served, promised, clients, claims }: EpochsContext): Named[] => [
  { type: 'link.up', peer: 'x' },
  { type: 'link.down', peer: 'x' },
  ...(claims.length > 0 ? [{ type: 'ended', peer: 'x' }] : []),
  ...(clients.length === 0
    ? [membership, grown, lists[2]].map((membership) => ({ type: 'attach', from: 'x', number: 1, membership, holds: [] }))
    : [{ type: 'attach', from: 'x', number: 1, membership, holds: [{ lock: 'l', fence: 5 }] }]),
  ...['l', 'm', 'n'].map((lock) => ({ type: 'acquire', from: 'x', lock })),
  { type: 'request', lock: 'l' },
  ...[0, 1].map((later) => ({ type: 'disowned', from: 'b', lock: 'l', epoch: served.epoch + later, fence: 5, client: 'x' })),
  ...claims.flatMap(({ lock, fence }): Named[] =>
    fence === null
      ? ['a', 'x'].map((user) => ({ type: 'used', lock, fence: 5, user }))
      : [
          { type: 'left', lock, node: 'x' },
          { type: 'forfeited', lock, node: 'x', fence },
          { type: 'freed', lock },
        ],
  ),
  stored,
  ...(served.epoch === promised?.epoch
    ? [{ type: 'prepare', membership, from: 'b', epoch: 2, members: ['a', 'b', 'c'], served: 1, next: membership }]
    : []),
  { type: 'install', membership, from: 'b', epoch: 2, members: ['a', 'b'], kept: [] },
  { type: 'superseded', membership, from: 'b', epoch: 2, members: ['b', 'c'] },
];

/**
 * Rule 11: a lock that was requested for a client in an earlier attachment is disowned; a lock is used here for a client as the epoch
 * begins.
 */
const hosting = ({ served, clients }: EpochsContext): Named[] => [
  { type: 'link.up', peer: 'x' },
  { type: 'confirm', from: 'b', epoch: served.epoch, lock: 'l', fence: 5, user: 'x', number: 0 },
  ...(clients.length > 0 ? [] : [{ type: 'attach', from: 'x', number: 1, membership, holds: [] }]),
  { type: 'prepare', membership, from: 'b', epoch: 2, members: ['a', 'b', 'c'], served: 1, next: membership },
  stored,
  {
    type: 'install',
    membership,
    from: 'b',
    epoch: 2,
    members: ['a', 'b'],
    kept: [{ lock: 'l', fence: 5, node: 'a', client: 'x' }],
  },
];

/**
 * Rule 11: a client requests a lock whose directory is open here, or comes with a later list and with a lock that this voter does not use
 * for it.
 */
const opened = ({ served, clients }: EpochsContext): Named[] => [
  { type: 'link.up', peer: 'x' },
  ...(clients.length === 0
    ? [{ type: 'attach', from: 'x', number: 1, membership, holds: [] }]
    : [{ type: 'attach', from: 'x', number: 1, membership: grown, holds: [{ lock: 'l', fence: 5 }] }]),
  ...['m', 'n'].map((lock) => ({
    type: 'find',
    from: 'b',
    producer: 'b',
    visited: ['b'],
    edge: 'tree',
    epoch: served.epoch,
    lock,
  })),
  { type: 'acquire', from: 'x', lock: 'm' },
];

/** Rules 6 and 8: the next epoch is requested, and one that leaves a voter out is proposed. */
const spentAndMissed = (_: EpochsContext): Named[] => [
  { type: 'spent' },
  { type: 'prepare', membership, from: 'b', epoch: 2, members: ['a', 'b'], served: 1, next: membership },
  { type: 'timer', timer: 'spent' },
];

/** Rule 8: there is little room, and then few fences. */
const shortage = (_: EpochsContext): Named[] => [
  { type: 'crowded' },
  { type: 'spent' },
  ...['spent', 'patience'].map((timer) => ({ type: 'timer', timer })),
];

/** Rule 8: a client wants more locks than there is room for, in an epoch and after it. */
const crowd = ({ clients }: EpochsContext): Named[] => [
  { type: 'link.up', peer: 'x' },
  ...(clients.length > 0 ? [] : [{ type: 'attach', from: 'x', number: 1, membership, holds: [] }]),
  ...['l', 'm'].map((lock) => ({ type: 'acquire', from: 'x', lock })),
  { type: 'confirming', lock: 'l', fence: 5, user: null },
  { type: 'confirm', from: 'b', epoch: 1, lock: 'n', fence: 5, user: null },
  { type: 'request', lock: 'k' },
  stored,
  { type: 'prepare', membership, from: 'b', epoch: 2, members: ['a', 'b', 'c'], served: 1, next: membership },
];

/** The same, while the voter itself waits for the lock that the client requests. */
const fullHere = (c: EpochsContext): Named[] => [
  ...crowd(c).filter(({ type }) => ['link.up', 'attach', 'request', 'prepare'].includes(type)),
  ...['k', 'l'].map((lock) => ({ type: 'acquire', from: 'x', lock })),
];

/** Rule 12: this voter reads, or another one does, and a third wants to write. */
const reads = ({ served, claims }: EpochsContext): Named[] => [
  { type: 'request', lock: 'x', mode: 'shared' },
  ...claims.map(({ lock, fence }) =>
    fence === null ? { type: 'used', lock, fence: 5, user: 'a', mode: 'shared' } : { type: 'freed', lock },
  ),
  ...[0, 1].map((later) => ({ type: 'recall', from: 'b', lock: 'x', epoch: served.epoch + later, fence: 6 })),
  stored,
  { type: 'prepare', membership, from: 'b', epoch: 2, members: ['a', 'b', 'c'], served: 1, next: membership },
  { type: 'install', membership, from: 'b', epoch: 2, members: ['a', 'b'], kept: [] },
];

/** One lock, from its request to its end, in an epoch and after it. */
const life = ({ served }: EpochsContext): Named[] => [
  { type: 'request', lock: 'x' },
  { type: 'used', lock: 'x', fence: firstFence(served.epoch, BOUNDS.grants) + 1, user: 'a' },
  { type: 'freed', lock: 'x' },
  { type: 'lost', lock: 'x' },
  stored,
  { type: 'prepare', membership, from: 'b', epoch: 2, members: ['a', 'b', 'c'], served: 1, next: membership },
];

const upTo =
  (promised: number, events: (c: EpochsContext) => Named[]): ChartSamples['events'] =>
  (c: EpochsContext) =>
    promisedEpoch(c) > promised ? [] : events(c);

export const epochsSamples: readonly ChartSamples[] = [
  { input: apart, events: upTo(2, changes) },
  { input: candidate, events: upTo(2, changes) },
  { input: follower, events: upTo(2, changes) },
  { input: leader, events: upTo(2, changes) },
  ...[candidate, follower, leader].map((input) => ({ input, events: upTo(3, memberships) })),
  { input: leader, events: upTo(2, ownRemoval) },
  { input: { ...leader, links: ['b'] }, events: upTo(3, overtaken) },
  { input: leader, events: upTo(2, removed) },
  { input: leader, events: upTo(4, users) },
  ...[apart, follower, candidate].map((input) => ({ input, events: upTo(3, loneVote) })),
  { input: candidate, events: upTo(3, laterList) },
  { input: { ...candidate, memory: 'forgotten' }, events: upTo(3, forgottenList) },
  ...[candidate, follower, leader].map((input) => ({ input, events: upTo(2, unreasonable) })),
  ...[hasty, hosting, spentAndMissed].map((events) => ({ input: follower, events: upTo(2, events) })),
  ...[follower, leader].map((input) => ({ input, events: upTo(1, shortage) })),
  { input: { ...leader, memory: 'forgotten' }, events: upTo(1, () => [{ type: 'bootstrap' }]) },
  ...[candidate, { ...candidate, leader: 'c' }].map((input) => ({ input, events: upTo(2, differences) })),
  { input: follower, events: upTo(2, uses) },
  { input: follower, events: upTo(2, clients) },
  { input: leader, events: upTo(1, clients) },
  ...[follower, leader].map((input) => ({ input, events: upTo(2, opened) })),
  ...[crowd, fullHere].map((events) => ({ input: { ...follower, bounds: cramped }, events: upTo(2, events) })),
  { input: follower, events: upTo(2, reads) },
  { input: follower, events: life },
  { input: leader, events: upTo(2, uses) },
];
