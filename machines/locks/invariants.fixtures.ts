/** Invariants of the charts of locks and properties of single systems, as properties that detect mutants. */
import type { NodeId } from '../effects.js';
import type { DirectoryContext } from '../directory/machine.js';
import type { Configuration, NodeView, Property, RoleView } from '../protocol.js';
import type { ClientContext } from './client.js';
import type { ClientLockContext } from './client-lock.js';
import { isHalfSpent } from './epoch.js';
import type { Claim, EpochsContext } from './knowledge.js';
import type { LockContext } from './lock.js';
import { isMajorityOf } from './membership.js';
import { lockLabelOf, lockRole, type AttachRequest, type LockLabel } from './messages.js';
import { epochsOf, isAttached, isClient, isServing, servingOf } from './view.js';

export interface OpenDirectory extends LockLabel {
  readonly node: NodeId;
  readonly role: RoleView<DirectoryContext>;
}

export const directoriesOf = (c: Configuration): OpenDirectory[] =>
  [...c.nodes].flatMap(([node, roles]) =>
    Object.entries(roles).flatMap(([name, role]) => {
      const label = lockLabelOf(name);
      return label ? [{ node, role, ...label }] : [];
    }),
  );

const isIn = (value: unknown, state: string): boolean => typeof value === 'object' && value !== null && state in value;
/** Every lock at every voter. */
const locksOf = ({ nodes }: Configuration) =>
  [...nodes].flatMap(([id, view]) =>
    isClient(view)
      ? []
      : Object.keys(view)
          .filter((role) => role.startsWith(lockRole('')))
          .map((role) => ({ id, epochs: epochsOf(view), value: view[role]!.value, context: view[role]!.context as LockContext })),
  );
const votersOf = ({ nodes }: Configuration): readonly NodeView[] => [...nodes.values()].filter((view) => !isClient(view));

/** A property that always holds at every voter. */
const ofVoters = (name: string, description: string, holds: (view: NodeView) => boolean): Property => ({
  name,
  description,
  kind: 'always',
  holds: (c) => votersOf(c).every(holds),
});

/** The invariants of lock.ts and client-lock.ts. */
const claimsAreTrue: Property = {
  name: 'claims are true',
  description: 'The claims of a node are exactly the locks that are wanted or used there, with the fence of each grant.',
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

/** The invariant of lock.ts about fences. */
const fencesAreOfGrants = ofVoters(
  'fences are of grants',
  'A lock has a fence exactly while its token is here or it is in use.',
  (view) =>
    Object.keys(view).every((role) => {
      const { value, context } = view[role]!;
      if (!role.startsWith(lockRole(''))) return true;
      const isHere = value === 'returning' || isIn(value, 'using') || /recalling|confirming/.test(JSON.stringify(value));
      return isHere === ((context as LockContext).fence !== null);
    }),
);

/** For systems in which the node is not notified of another leader while it proposes. */
const proposersLead = ofVoters('who proposes leads', 'Nobody proposes an epoch but who takes itself for the leader.', (view) => {
  const { value, context } = epochsOf(view);
  return !isIn(value, 'preparing') || context.leader === context.id;
});

const leadersPropose = ofVoters('who leads proposes', 'A leader that was overruled proposes again.', (view) => {
  const { value, context } = epochsOf(view);
  return !isIn(value, 'following') || context.promised?.proposer !== context.id || !leads(context);
});

const noneIsOpposed = ofVoters(
  'nobody is opposed',
  'A node that knows no other list of voters does not wait for peers to give way.',
  (view) => {
    const { value, context } = epochsOf(view);
    return context.differing.length > 0 || !JSON.stringify(value).includes('opposed');
  },
);

/** For systems without events that concern voters. */
export const noEpochMore = (epochs = 1): Property => ({
  name: `epochs up to ${epochs}`,
  description: 'No epoch is proposed without a reason.',
  kind: 'always',
  holds: (c) => votersOf(c).every((view) => (epochsOf(view).context.promised?.epoch ?? 0) <= epochs),
});

/** For systems in which majorities of both lists are connected at the end. */
export const changesAreDecided: Property = {
  name: 'a change is decided',
  description: 'Each requested change of the voters is decided, and results in the requested list.',
  kind: 'eventually',
  when: (c, node) => isWanting(c.nodes.get(node)!),
  holds: (c, node) => !isWanting(c.nodes.get(node)!),
};
const isWanting = (view: NodeView): boolean => !isClient(view) && epochsOf(view).context.wanted !== null;

/** For systems in which these nodes can be served at the end. */
export const areServed = (...nodes: readonly NodeId[]): Property => ({
  name: `${nodes.join(' and ')} served`,
  description: 'The nodes are served, and each of them that wants a lock has it.',
  kind: 'eventually',
  when: (c, node) => nodes.includes(node) && !isWellServed(c.nodes.get(node)!),
  holds: (c, node) => isWellServed(c.nodes.get(node)!),
});
function isWellServed(view: NodeView): boolean {
  const { claims } = epochsOf(view).context as Pick<EpochsContext, 'claims'>;
  return (isServing(view) || isAttached(view)) && claims.every(({ fence }) => fence !== null);
}

/** The states of lock.ts. */
const readersShare: Property = {
  name: 'readers share',
  description: 'A node that reads keeps a share, and not the token.',
  kind: 'always',
  holds: (c) =>
    locksOf(c).every(({ id, value, context: { user, mode } }) => {
      return !isUsingServed(value) || user !== id || mode !== 'shared';
    }),
};
const isUsingServed = (value: unknown): boolean => isIn(value, 'using') && (value as { using: unknown }).using === 'served';

/** Rule 11: its clients find another voter. */
const apartForItself: Property = {
  name: 'apart for itself',
  description: 'A voter in no epoch wants locks only for itself.',
  kind: 'always',
  holds: (c) =>
    locksOf(c).every(({ id, epochs, value, context: { user, line } }) => {
      return epochs.value !== 'apart' || value === 'free' || [user, ...line].every((node) => node === id);
    }),
};

const wantsAreTrue = ofVoters(
  'wants are true',
  'A node that wants a lock at a voter has it there, is about to have it, or waits in line.',
  (view) =>
    epochsOf(view).context.wants.every(({ node, lock }) => {
      const { user, line } = (view[lockRole(lock)]?.context ?? { user: null, line: [] }) as LockContext;
      return user === node || line.includes(node);
    }),
);

/** The states of epochs.ts. */
const servedIsPromised = ofVoters(
  'what is served is promised',
  'A node that serves an epoch has promised no later one, and reaches a majority; one that follows has promised one.',
  (view) => {
    const { value, context } = epochsOf(view);
    const { id, links, membership, promised, served } = context;
    if (isIn(value, 'following')) return promised !== null;
    return !isServing(view) || (promised?.epoch === served.epoch && isMajorityOf([id, ...links], membership));
  },
);

const noneIsStarting = ofVoters(
  'nobody is starting',
  'A node that has started serves, proposes, or is in no epoch.',
  (view) => epochsOf(view).value !== 'starting',
);

/** Rule 8. */
const spentIsAsked: Property = {
  name: 'a spent half requests the next epoch',
  description: 'A node that uses a lock with a fence of the second half of its epoch has requested the next epoch.',
  kind: 'always',
  holds: (c) =>
    locksOf(c).every(({ epochs, value, context: { fence, epoch, grants } }) => {
      const isSpent = isIn(value, 'using') && fence !== null && epoch !== null && isHalfSpent(fence, epoch, grants);
      return !isSpent || !isIn(epochs.value, 'serving') || JSON.stringify(epochs.value).includes('asked');
    }),
};

const directoriesAreServed: Property = {
  name: 'directories are served',
  description: 'A node has directories only of the epoch that it serves.',
  kind: 'always',
  holds: (c) => directoriesOf(c).every(({ node, epoch }) => servingOf(c.nodes.get(node)!)?.epoch === epoch),
};

/** The invariant of client.ts. */
const hostsAreReached: Property = {
  name: 'hosts are reached',
  description: 'A client that is attached has a link to its voter.',
  kind: 'always',
  holds: (c) =>
    [...c.nodes.values()].filter(isAttached).every((view) => {
      const { host, links } = epochsOf(view).context as unknown as ClientContext;
      return links.includes(host!);
    }),
};
const attachmentsDiffer: Property = {
  name: 'attachments differ',
  description: 'No two attachments that a client requests have the same number.',
  kind: 'always',
  holds: ({ flights }) => {
    const asked = flights.filter(({ message }) => message.type === 'attach');
    const keys = asked.map(({ from, message }) => `${from} ${(message as unknown as AttachRequest).number}`);
    return new Set(keys).size === keys.length;
  },
};

/** For systems in which it requests a lock while it cannot have it. */
export const isGranted = (node: NodeId): Property => ({
  name: `${node} granted`,
  description: 'Its request outlives all events.',
  kind: 'sometimes',
  holds: (c) => epochsOf(c.nodes.get(node)!).context.claims.some(({ fence, user }) => user === node && fence !== null),
});

export const always = [
  claimsAreTrue,
  fencesAreOfGrants,
  proposersLead,
  leadersPropose,
  noneIsOpposed,
  readersShare,
  apartForItself,
  wantsAreTrue,
  servedIsPromised,
  noneIsStarting,
  spentIsAsked,
  directoriesAreServed,
  hostsAreReached,
  attachmentsDiffer,
];

/** Rule 8: for systems in which its lock has no room. */
export const isRefused = ofVoters(
  'a client is refused',
  'A client whose request has no room is in no line, even behind a lock that is in use.',
  (view) => {
    const { id, wants } = epochsOf(view).context;
    return wants.every(({ node }) => node === id);
  },
);
