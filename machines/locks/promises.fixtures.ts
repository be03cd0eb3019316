/** Where mutants of locks are searched further than in their own systems, and which edits break no promise. */
import type { FurtherSystem } from '../../test/mutants/promises.js';
import { because } from '../because.fixtures.js';
import type { NodeId } from '../effects.js';
import type { Configuration, NodeView, Property } from '../protocol.js';
import type { ClientLockContext } from './client-lock.js';
import type { Claim, EpochsContext } from './knowledge.js';
import type { LockContext } from './lock.js';
import { isMajorityOf } from './membership.js';
import { CLIENT, CLIENT_LOCK, EPOCHS, lockRole } from './messages.js';
import { oneUser } from './properties.js';
import { epochsOf, isAttached, isClient, isServing } from './view.js';

const isIn = (value: unknown, state: string): boolean => typeof value === 'object' && value !== null && state in value;
const votersOf = ({ nodes }: Configuration): readonly NodeView[] => [...nodes.values()].filter((view) => !isClient(view));

/** As lock.ts and client-lock.ts say of their invariants. */
const claimsAreTrue: Property<any> = {
  name: 'claims are true',
  says: 'What is claimed at a node is what its locks are wanted or used for, with the fence of each grant, and nothing else.',
  kind: 'always',
  holds: ({ nodes }) => [...nodes.values()].every(areClaimsTrue),
};

function areClaimsTrue(view: NodeView): boolean {
  const { claims } = epochsOf(view).context;
  const wanted = Object.keys(view).filter((role) => role.startsWith(lockRole('')) && view[role]!.value !== 'free');
  return wanted.length === claims.length && claims.every((claim) => isClaimed(claim, view));
}

function isClaimed({ lock, fence, user }: Claim, view: NodeView): boolean {
  const role = view[lockRole(lock)];
  if (!role) return false;
  const context = role.context as LockContext | ClientLockContext;
  const isUsing = isIn(role.value, 'using');
  const isReturning = isClient(view) && role.value === 'returning';
  const isOfUser = !('user' in context) || context.user === user;
  return isOfUser && fence === (isUsing || isReturning ? context.fence : null);
}

const leads = ({ id, leader, links, membership }: EpochsContext): boolean =>
  leader === id && isMajorityOf([id, ...links], membership);

/** As lock.ts says of its invariants. */
const fencesAreOfGrants: Property<any> = {
  name: 'fences are of grants',
  says: 'A lock has a fence where its token is here or it is in use, and nowhere else.',
  kind: 'always',
  holds: (c) =>
    votersOf(c).every((view) =>
      Object.keys(view).every((role) => {
        const { value, context } = view[role]!;
        if (!role.startsWith(lockRole(''))) return true;
        const isHere = value === 'returning' || isIn(value, 'using') || /recalling|confirming/.test(JSON.stringify(value));
        return isHere === ((context as LockContext).fence !== null);
      }),
    ),
};

/** It may hear of another leader while it proposes: of systems in which that does not happen. */
const proposersLead: Property<any> = {
  name: 'who proposes leads',
  says: 'Nobody proposes an epoch but who takes itself for the leader.',
  kind: 'always',
  holds: (c) =>
    votersOf(c).every((view) => {
      const { value, context } = epochsOf(view);
      return !isIn(value, 'preparing') || context.leader === context.id;
    }),
};

const leadersPropose: Property<any> = {
  name: 'who leads proposes',
  says: 'Who leads, and has been overruled, proposes again.',
  kind: 'always',
  holds: (c) =>
    votersOf(c).every((view) => {
      const { value, context } = epochsOf(view);
      return !isIn(value, 'following') || context.promised!.proposer !== context.id || !leads(context);
    }),
};

const nobodyIsOpposed: Property<any> = {
  name: 'nobody is opposed',
  says: 'Who has heard of no other list of voters waits for nobody to give way.',
  kind: 'always',
  holds: (c) =>
    votersOf(c).every((view) => {
      const { value, context } = epochsOf(view);
      return context.differing.length > 0 || !JSON.stringify(value).includes('opposed');
    }),
};

/** Of a system in which nothing happens that concerns those who vote. */
const noEpochMore = (epochs = 1): Property<any> => ({
  name: `epochs up to ${epochs}`,
  says: 'No epoch is proposed without a reason.',
  kind: 'always',
  holds: (c) => votersOf(c).every((view) => (epochsOf(view).context.promised?.epoch ?? 0) <= epochs),
});

/** Of a system in which majorities of both lists are there at the end. */
const changesAreDecided: Property<any> = {
  name: 'a change is decided',
  says: 'Whoever was called for a change of those who vote has it decided, and the list it ends with is that which was wanted.',
  kind: 'eventually',
  when: (c, node) => isWanting(c.nodes.get(node)!),
  holds: (c, node) => !isWanting(c.nodes.get(node)!),
};
const isWanting = (view: NodeView): boolean => !isClient(view) && epochsOf(view).context.wanted !== null;

/** Of a system in which these nodes can be served at the end. */
const areServed = (...nodes: readonly NodeId[]): Property<any> => ({
  name: `${nodes.join(' and ')} served`,
  says: 'They are served, and whoever of them wants a lock has it.',
  kind: 'eventually',
  when: (c, node) => nodes.includes(node) && !isWellServed(c.nodes.get(node)!),
  holds: (c, node) => isWellServed(c.nodes.get(node)!),
});
function isWellServed(view: NodeView): boolean {
  const { claims } = epochsOf(view).context as Pick<EpochsContext, 'claims'>;
  return (isServing(view) || isAttached(view)) && claims.every(({ fence }) => fence !== null);
}

const always = [claimsAreTrue, fencesAreOfGrants, proposersLead, leadersPropose, nobodyIsOpposed];

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
/** It is cut off from all others of three, and comes back. */
const away = (node: NodeId, from: number, until: number) =>
  three.filter((other) => other !== node).flatMap((other, i) => [cut(from + i, node, other), join(until + i, node, other)]);

const three = ['n0', 'n1', 'n2'];
const ring = { kind: 'ring', n: 3 };
const pair = { kind: 'path', n: 2 };
const inTime = { states: 0 };

const quiet: readonly FurtherSystem[] = [
  // A client comes and goes without a lock, at voters of whom it concerns nobody.
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
  // Nobody fails: an epoch lasts, of writers, of readers, and of those whose grants are confirmed.
  ...[{ hold: 1 }, { hold: 9, confirm: true }].map((options) => ({
    topology: ring,
    options,
    events: [...ask(0, ...three), ...read(5, 'n0', 'n1'), ...ask(6, 'n2'), ...ask(40, ...three), ...ask(41, ...three)],
    ...inTime,
    promises: [...always, noEpochMore(), oneUser],
  })),
  // Both ends of a link tell the leader that it is gone, one while it stores what it proposes because of the other.
  {
    topology: ring,
    options: { leader: 'n0', hold: 1, storage: 9 },
    events: [...ask(0, 'n1'), cut(40, 'n1', 'n2')],
    ...inTime,
    promises: [...always, noEpochMore(3)],
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
  // A client stops between its voters' requests, is served again, and gives back what it had.
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
  // A client finds its voters one after the other, the second before the first has answered.
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
  // An epoch begins while one client has the lock, and another one, who stands in line, is heard first.
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
  // A lock is let go while the next epoch is being agreed on, and a client stands in line for it.
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
  // Nobody reaches anybody, and then two reach each other.
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
  // One stops, and the others notice one after the other.
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
  // One is cut off while it has the lock, comes back, and asks again; others have come through many epochs meanwhile.
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
  // A link goes while an epoch is being agreed on, at each of its moments: two reach each other by way of the third alone.
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
  // Who votes is changed by a call on each of them, while a lock is used and waited for.
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
  // Two are called for a change each.
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
  // An epoch of one grant: who uses the lock keeps it for long, while others wait.
  {
    topology: ring,
    options: { leader, hold: 300, grants: 2, patience: 50 },
    events: [...ask(0, 'n1'), ...ask(5, 'n2', 'n0'), ...ask(310, 'n1')],
    ...inTime,
    promises: [...always, oneUser],
  },
];

export const further: readonly FurtherSystem[] = [...quiet, ...ofClients, ...three.flatMap(ofLinks), ...three.flatMap(ofChanges)];

/** Which edits break no promise, though the charts do otherwise. */
export const unpromised = {
  ...because(
    EPOCHS,
    'what it proposes next is refused once more, and it outbids then',
    'drop action (root): refuse #6, action 1',
  ),
  ...because(
    CLIENT,
    'who is attached takes no timer, and it is armed anew when the client seeks again',
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
    'drop action attached: told, action 1',
  ),
  ...because(EPOCHS, 'what a role is told it hears once it is open', 'swap actions serving: find #4, actions 2 and 3'),
  ...because(CLIENT_LOCK, 'its role is closed in the same step', 'retarget using.attached: release, to waiting'),
};
