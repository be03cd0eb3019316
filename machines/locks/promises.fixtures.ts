/** Systems for mutants of locks that their own systems do not detect, and edits that break no promise. */
import type { FurtherSystem } from '../../test/mutants/promises.fixtures.js';
import { because } from '../because.fixtures.js';
import type { NodeId } from '../effects.js';
import { always, areServed, changesAreDecided, isGranted, isRefused, noEpochMore } from './invariants.fixtures.js';
import { CLIENT, CLIENT_LOCK, EPOCHS, LOCK } from './messages.js';
import { oneUser } from './users.fixtures.js';

const ask = (at: number, ...nodes: readonly NodeId[]) => nodes.map((node) => ({ at, node, do: 'request' }));
const read = (at: number, ...nodes: readonly NodeId[]) => nodes.map((node) => ({ at, node, do: 'share' }));
const cut = (at: number, u: NodeId, v: NodeId) => ({ at, do: 'cut', link: [u, v] });
const join = (at: number, u: NodeId, v: NodeId) => ({ at, do: 'join', link: [u, v] });
const down = (at: number, u: NodeId, v: NodeId) => ({ at, do: 'down', channel: [u, v] });
const up = (at: number, u: NodeId, v: NodeId) => ({ at, do: 'up', channel: [u, v] });
const change = (at: number, node: NodeId, what: { readonly add?: NodeId; readonly remove?: NodeId }) => ({
  at,
  node,
  do: 'change',
  ...what,
});
/** A node is cut off from both others of three, and comes back. */
const away = (node: NodeId, from: number, until: number) =>
  three.filter((other) => other !== node).flatMap((other, i) => [cut(from + i, node, other), join(until + i, node, other)]);

const three = ['n0', 'n1', 'n2'];
const ring = { kind: 'ring', n: 3 };
const pair = { kind: 'path', n: 2 };
const inTime = { states: 0 };

const quiet: readonly FurtherSystem[] = [
  // A client without locks comes and goes at voters that it does not concern.
  {
    topology: ring,
    options: { hold: 1, clients: ['n2'] },
    events: [
      ...ask(0, 'n2'),
      cut(30, 'n1', 'n2'),
      join(40, 'n1', 'n2'),
      cut(50, 'n0', 'n2'),
      join(60, 'n0', 'n2'),
      ...ask(90, 'n2'),
    ],
    ...inTime,
    promises: [...always, noEpochMore()],
  },
  // Without failures: an epoch lasts with writers, with readers, and with confirmed grants.
  ...[{ hold: 1 }, { hold: 9, confirm: true }].map((options) => ({
    topology: ring,
    options,
    events: [...ask(0, ...three), ...read(5, 'n0', 'n1'), ...ask(6, 'n2'), ...ask(40, ...three), ...ask(41, ...three)],
    ...inTime,
    promises: [...always, noEpochMore(), oneUser],
  })),
  // Both ends of a link notify the leader that it is down, one of them while the leader stores its proposal because of the other.
  {
    topology: ring,
    options: { leader: 'n0', hold: 1, storage: 9 },
    events: [...ask(0, 'n1'), cut(40, 'n1', 'n2')],
    ...inTime,
    promises: [...always, noEpochMore(3)],
  },
];

/** Events that require no new epoch. */
const withoutReason: readonly FurtherSystem[] = [
  // Both ends of a link notify the leader that it is down, at the same time.
  {
    topology: ring,
    options: { leader: 'n0', hold: 1 },
    network: { latency: 5 },
    events: [...ask(0, 'n1'), cut(60, 'n1', 'n2')],
    ...inTime,
    promises: [...always, noEpochMore(3)],
  },
  // A node that comes back sends `hello` while the leader stores its proposal because of that.
  {
    topology: ring,
    options: { leader: 'n0', hold: 1, storage: 9 },
    events: [...ask(0, 'n1'), cut(60, 'n0', 'n2'), cut(60, 'n1', 'n2'), join(200, 'n0', 'n2'), ...ask(400, 'n1')],
    ...inTime,
    promises: [...always, noEpochMore(5)],
  },
  // No node has forgotten, and one that does not lead receives `bootstrap`.
  {
    topology: ring,
    options: { leader: 'n0', hold: 1 },
    events: [...ask(0, 'n1'), { at: 50, node: 'n1', do: 'bootstrap' }, { at: 60, node: 'n0', do: 'bootstrap' }],
    ...inTime,
    promises: [...always, noEpochMore()],
  },
  // The leader is removed: the next one proposes an epoch, and it none.
  {
    topology: ring,
    options: { leader: 'n0', hold: 1 },
    events: [...ask(0, 'n1'), change(50, 'n0', { remove: 'n0' })],
    ...inTime,
    promises: [...always, noEpochMore(3)],
  },
  // An unreachable voter is to be added, and the fences of an epoch are used up.
  {
    topology: pair,
    options: { hold: 1, grants: 2, voters: ['n0'] },
    events: [cut(0, 'n0', 'n1'), change(10, 'n0', { add: 'n1' }), ...ask(30, 'n0'), ...ask(60, 'n0'), ...ask(90, 'n0')],
    ...inTime,
    promises: [...always, noEpochMore(5)],
  },
];

/** Every waiting request is granted in the end. */
const ofWaiting: readonly FurtherSystem[] = three.flatMap((gone) => [
  // An epoch begins at the voter that a client has just contacted.
  ...[30, 32, 34, 36, 38, 40, 42, 44].map((at) => ({
    topology: { kind: 'complete', n: 4 },
    options: { hold: 1, clients: ['n3'], patience: 50 },
    network: { latency: 5 },
    events: [
      ...three.map((voter) => cut(1, voter, 'n3')),
      cut(at, ...(three.filter((node) => node !== gone) as [NodeId, NodeId])),
      join(60, gone, 'n3'),
      ...ask(200, 'n3'),
    ],
    ...inTime,
    promises: [...always, areServed('n3')],
  })),
  // A requester is cut off, and comes back.
  {
    topology: ring,
    options: { hold: 40 },
    events: [...ask(0, ...three.filter((node) => node !== gone)), ...ask(5, gone), ...away(gone, 10, 200)],
    ...inTime,
    promises: [...always, isGranted(gone)],
  },
  // A client waits at a voter that is cut off from the others.
  {
    topology: { kind: 'complete', n: 4 },
    options: { hold: 60, clients: ['n3'], patience: 50 },
    events: [
      ...three.filter((voter) => voter !== gone).map((voter) => cut(1, voter, 'n3')),
      ...ask(
        30,
        three.find((node) => node !== gone)!,
      ),
      ...ask(40, 'n3'),
      ...away(gone, 60, 400),
      ...three.filter((voter) => voter !== gone).map((voter) => join(500, voter, 'n3')),
    ],
    ...inTime,
    promises: [...always, areServed('n3')],
  },
  // A client first finds a voter in no epoch, or one that stops before it has replied.
  ...[{}, { latency: 5 }].map((network) => ({
    topology: { kind: 'complete', n: 4 },
    options: { hold: 1, clients: ['n3'], patience: 50 },
    network,
    events: [
      ...three.map((voter) => cut(1, voter, 'n3')),
      ...three.filter((node) => node !== gone).map((node) => cut(20, gone, node)),
      ...three.map((voter, i) => join(voter === gone ? 90 : 91 + i, voter, 'n3')),
      ...('latency' in network ? [cut(96, gone, 'n3')] : []),
      ...ask(200, 'n3'),
    ],
    ...inTime,
    promises: [...always, areServed('n3')],
  })),
]);

/** The messages that end an epoch, and those that end the wait for one. */
const ofWords: readonly FurtherSystem[] = [
  // A client has tried all voters, which are in no epoch, when one begins.
  {
    topology: { kind: 'complete', n: 4 },
    options: { hold: 1, clients: ['n3'], patience: 50 },
    events: [...away('n0', 10, 60), cut(10, 'n1', 'n2'), join(60, 'n1', 'n2'), ...ask(200, 'n3')],
    ...inTime,
    promises: [...always, areServed('n3')],
  },
  // An epoch with another voter leaves out the voter of a client, which receives both from one member.
  {
    topology: { kind: 'complete', n: 5 },
    options: { leader: 'n0', hold: 1, voters: three, clients: ['n4'], patience: 50 },
    events: [
      cut(1, 'n2', 'n3'),
      ...['n0', 'n1'].map((voter) => cut(1, voter, 'n4')),
      change(40, 'n0', { add: 'n3' }),
      cut(40, 'n0', 'n2'),
      join(45, 'n1', 'n4'),
      ...ask(400, 'n4'),
    ],
    ...inTime,
    promises: [...always, areServed('n4')],
  },
];

/** A node comes back to one of the two others, which have begun an epoch, and does not reach the leader. */
const ofReturns: readonly FurtherSystem[] = [
  { network: { latency: 6 }, events: [cut(6, 'n0', 'n2'), cut(8, 'n0', 'n1'), join(117, 'n0', 'n2')] },
  { network: {}, events: [cut(18, 'n0', 'n1'), cut(131, 'n0', 'n2'), join(141, 'n0', 'n2')] },
].map((returns) => ({
  topology: ring,
  options: { leader: 'n1', patience: 50 },
  ...returns,
  ...inTime,
  promises: [...always, areServed('n1')],
}));

const ofRoom: readonly FurtherSystem[] = [
  {
    topology: pair,
    options: { hold: 40, bytes: 300, clients: ['n1'] },
    events: [...ask(0, 'n0'), ...ask(20, 'n1')],
    ...inTime,
    promises: [...always, isRefused],
  },
];

const ofClients: readonly FurtherSystem[] = [
  // A client that holds a lock stops or is cut off for good, and others want it.
  ...three.slice(0, 2).map((voter) => ({
    topology: ring,
    options: { hold: null, clients: ['n2'], patience: 50 },
    events: [...ask(0, 'n2'), cut(20, 'n0', 'n2'), cut(20, 'n1', 'n2'), ...ask(30, voter)],
    ...inTime,
    promises: always,
  })),
  // A client stops between its voters' requests, is granted the lock again, and releases it.
  ...three.slice(0, 2).flatMap((voter) =>
    [2, 3, 4, 5, 6, 8].map((at) => ({
      topology: ring,
      options: { hold: 12, clients: ['n2'], patience: 50 },
      events: [
        ...ask(0, voter, 'n2'),
        ...ask(at, 'n0', 'n1'),
        ...ask(at + 1, voter),
        cut(at + 30, voter, 'n2'),
        join(at + 60, voter, 'n2'),
        ...ask(at + 70, ...three),
      ],
      ...inTime,
      promises: always,
    })),
  ),
  {
    topology: pair,
    options: { hold: 3, clients: ['n1'] },
    events: [...ask(0, 'n1'), ...ask(30, 'n0'), ...ask(60, 'n1', 'n0'), ...ask(61, 'n1', 'n0')],
    ...inTime,
    promises: always,
  },
  // A client connects to its voters one after the other, to the second before the first has replied.
  ...[
    ['n0', 'n1'],
    ['n1', 'n0'],
  ].flatMap(([first, second]) =>
    [1, 3, 7].map((gap) => ({
      topology: ring,
      options: { hold: 1, clients: ['n2'] },
      network: { latency: 5 },
      events: [cut(1, 'n0', 'n2'), cut(1, 'n1', 'n2'), join(60, first!, 'n2'), join(60 + gap, second!, 'n2'), ...ask(90, 'n2')],
      ...inTime,
      promises: [...always, areServed('n2')],
    })),
  ),
  // The voter whose turn is first has greeted it before the client has a link to it.
  ...[
    ['n0', 'n1'],
    ['n1', 'n0'],
  ].map(([first, second]) => ({
    topology: ring,
    options: { hold: 1, clients: ['n2'] },
    network: { latency: 5 },
    events: [
      cut(1, 'n0', 'n2'),
      cut(1, 'n1', 'n2'),
      up(50, second!, 'n2'),
      join(60, first!, 'n2'),
      up(63, 'n2', second!),
      ...ask(90, 'n2'),
    ],
    ...inTime,
    promises: [...always, areServed('n2')],
  })),
  // An epoch begins while one client holds the lock, and another one, which is in line, attaches first.
  ...[
    ['n2', 'n3'],
    ['n3', 'n2'],
  ].map(([user, next]) => ({
    topology: { kind: 'star', n: 4 },
    options: { hold: 100, voters: ['n0', 'n1'], clients: ['n2', 'n3'] },
    events: [
      ...ask(0, user!),
      ...ask(5, next!),
      { at: 10, do: 'slow', channel: [user, 'n0'], by: 5 },
      change(20, 'n0', { remove: 'n1' }),
    ],
    ...inTime,
    promises: [...always, oneUser],
  })),
  // A lock is released while the next epoch is being agreed on, and a client is in line for it.
  ...three.flatMap((voter) =>
    [6, 12, 18, 24, 30].map((hold) => ({
      topology: { kind: 'complete', n: 4 },
      options: { hold, storage: 6, clients: ['n3'] },
      events: [...ask(0, voter), ...ask(3, 'n3'), change(8, 'n0', { remove: voter === 'n2' ? 'n1' : 'n2' }), ...ask(90, voter)],
      ...inTime,
      promises: always,
    })),
  ),
];

const ofLinks = (leader: NodeId): readonly FurtherSystem[] => [
  // First no node reaches another, and then two reach each other.
  ...three.map((gone) => ({
    topology: ring,
    options: { leader, hold: 1 },
    events: [
      cut(10, 'n0', 'n1'),
      cut(12, 'n1', 'n2'),
      cut(14, 'n0', 'n2'),
      join(60, ...(three.filter((node) => node !== gone) as [NodeId, NodeId])),
      ...ask(90, ...three),
    ],
    ...inTime,
    promises: always,
  })),
  // One node stops, and the others notice one after the other.
  ...[0, 1, 2, 3, 5, 8].flatMap((after) =>
    [leader, three.find((node) => node !== leader)!].map((gone) => ({
      topology: ring,
      options: { leader, hold: 4 },
      events: [
        ...ask(0, ...three),
        { at: 10, node: gone, do: 'crash' },
        ...three.filter((node) => node !== gone).map((node, i) => down(10 + i * after, node, gone)),
        ...ask(40, ...three.filter((node) => node !== gone)),
      ],
      ...inTime,
      promises: always,
    })),
  ),
  // One node is cut off while it holds the lock, comes back, and requests again; the others have begun many epochs since.
  ...three.flatMap((gone) =>
    [{}, { grants: 2 }].map((options) => ({
      topology: ring,
      options: { leader, hold: 60, ...options },
      events: [
        ...ask(0, gone),
        ...away(gone, 20, 400),
        ...ask(90, ...three.filter((node) => node !== gone)),
        ...ask(91, ...three.filter((node) => node !== gone)),
        ...ask(500, ...three),
      ],
      ...inTime,
      promises: always,
    })),
  ),
  // A link goes down at each moment of the agreement on an epoch: two nodes reach each other only through the third.
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12].map((after) => ({
    topology: ring,
    options: { leader, hold: 1, storage: 2, patience: 50 },
    events: [
      cut(10, 'n1', 'n2'),
      join(60, 'n1', 'n2'),
      cut(60 + after, 'n0', leader === 'n0' ? 'n2' : leader),
      ...ask(400, 'n1'),
    ],
    ...inTime,
    promises: [...always, areServed(leader === 'n1' ? 'n2' : 'n1')],
  })),
];

const ofChanges = (leader: NodeId): readonly FurtherSystem[] => [
  // A change of the voters is requested on each node, while a lock is used and waited for.
  ...three.map((called) => ({
    topology: ring,
    options: { leader, hold: 20 },
    events: [
      ...ask(0, ...three),
      change(8, called, { remove: three.find((node) => node !== leader && node !== called)! }),
      ...ask(60, leader, called),
    ],
    ...inTime,
    promises: [...always, changesAreDecided],
  })),
  // The leader is removed, and voter again later.
  {
    topology: ring,
    options: { leader, hold: 1 },
    events: [
      change(8, leader, { remove: leader }),
      change(
        200,
        three.find((node) => node !== leader)!,
        { add: leader },
      ),
      ...ask(400, ...three),
    ],
    ...inTime,
    promises: [...always, changesAreDecided, areServed(...three)],
  },
  // Two nodes receive a change each.
  ...three
    .filter((node) => node !== leader)
    .map((called) => ({
      topology: { kind: 'complete', n: 4 },
      options: { leader, hold: 1 },
      events: [
        change(1, leader, { remove: 'n3' }),
        change(2, called, { remove: three.find((node) => node !== leader && node !== called)! }),
      ],
      ...inTime,
      promises: [...always, changesAreDecided],
    })),
  // An epoch of one grant: the holder keeps the lock for long, while others wait.
  {
    topology: ring,
    options: { leader, hold: 300, grants: 2, patience: 50 },
    events: [...ask(0, 'n1'), ...ask(5, 'n2', 'n0'), ...ask(310, 'n1')],
    ...inTime,
    promises: [...always, oneUser],
  },
];

export const further: readonly FurtherSystem[] = [
  ...quiet,
  ...withoutReason,
  ...ofRoom,
  ...ofWords,
  ...ofReturns,
  ...ofWaiting,
  ...ofClients,
  ...three.flatMap(ofLinks),
  ...three.flatMap(ofChanges),
];

/** Edits that break no promise, although the charts behave differently. */
export const unpromised = {
  ...because(
    EPOCHS,
    'what it proposes next is refused once more, and it outbids then',
    'drop action (root): refuse #6, action 1',
  ),
  ...because(
    EPOCHS,
    'who has promised a later one calls the leader, too, or says that it has begun',
    'retarget (root): refuse #5, to stay',
  ),
  ...because(
    EPOCHS,
    'who has promised it to another calls the leader, or does so once it takes this node for the leader',
    'retarget (root): superseded #6, to apart',
  ),
  ...because(
    CLIENT,
    'who is attached takes no timer, and it is armed again when the client seeks again',
    'drop action seeking exit, action 1',
  ),
  ...because(
    EPOCHS,
    'what it sends to others and what it tells its locks are heard at different places',
    'swap actions serving: attach #5, actions 2 and 3',
  ),
  ...because(
    CLIENT,
    'the list comes with the answer of whoever it asks next, which it learns',
    'drop action attached: superseded, action 1',
  ),
  ...because(
    EPOCHS,
    'what a role is told it hears once it is open',
    'swap actions serving: find #4, actions 2 and 3',
    'swap actions serving: request #6, actions 5 and 6',
  ),
  ...because(
    EPOCHS,
    'the one is for the member that asks, and the other for the client',
    'swap actions serving: confirm, actions 2 and 3',
  ),
  ...because(
    EPOCHS,
    'what it stores is stored, and the promise goes to itself',
    'retarget preparing.collecting: wait, to following.saving',
  ),
  ...because(
    EPOCHS,
    'patience begins anew with what the leader proposes next, or ends as that epoch begins',
    'drop action (root): link.up #3, action 2',
  ),
  ...because(
    CLIENT,
    'it asks the first in its turn once more, by another number, and the answer to the earlier one is none',
    'drop guard seeking.asking: link.up',
  ),
  ...because(LOCK, 'its role is closed in the same step', 'drop action using.suspended: apart, action 4'),
  ...because(
    CLIENT_LOCK,
    'its role is closed in the same step',
    'retarget using.attached: release, to waiting',
    'retarget using.detached: apart, to stay',
  ),
};
