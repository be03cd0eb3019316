/**
 * A client of locks: a node that uses locks and does not vote (rule 11).
 *
 * A client attaches to one voter at a time, among those with which it is linked, and requests its locks through it. If that voter is gone or
 * serves no epoch, the client attaches to another one and reports what it holds. The voters decide whether it keeps these locks. If no
 * voter accepts the client while their patience with it lasts, it considers its locks lost. Its state is not stored: a client that restarts
 * holds nothing.
 *
 * The client first contacts the peers that it was given. It needs no list of the voters, but learns it from the first voter that replies.
 * From then on it ignores voters of another cluster.
 *
 * Each attachment has a larger number than the one before: a voter's messages about an earlier one are ignored. The numbers grow with the
 * clock over restarts, so a lock that is used for an earlier run of the client is given back at once. A client attaches again in each epoch
 * of its voter, which waits for this sign of life, and whenever its voter greets it, because earlier messages may be lost.
 *
 * States.
 *   attached         to `host`, in the epoch `served`
 *   seeking.idle     no linked voter accepts it; it tries the next one that begins an epoch or connects
 *   seeking.asking   has asked `host` to accept it
 * Invariants: `host` is `null` exactly in seeking.idle; `tried` is empty in attached.
 */
import { assign, emit, setup } from 'xstate';
import {
  arm,
  chartTypes,
  close,
  disarm,
  effects,
  type Message,
  type NodeId,
  open,
  send,
  tell,
  type TimerEvent,
  withEvent,
} from '../effects.js';
import { turnsOf } from './epoch.js';
import {
  linksAfter,
  withClaim,
  withoutClaim,
  claimOf,
  type Claim,
  type From,
  type NamedLinkEvent,
  type OfLock,
} from './knowledge.js';
import { NO_MEMBERSHIP, type Membership } from './membership.js';
import {
  CLIENT_LOCK,
  lockRole,
  type Acquired,
  type AttachRequest,
  type Attached,
  type AttachmentTurn,
  type Beginning,
  type EpochMessage,
  type Full,
  type GiveBack,
  type Held,
  type LocksNotification,
  type Prepare,
  type Superseding,
} from './messages.js';
import { PATIENCE } from './orders.js';

export interface ClientInput {
  readonly id: NodeId;
  /** At the start the peers to contact; then the membership, as a voter has reported it. */
  readonly membership: Membership;
  readonly links: readonly NodeId[];
  /** Ticks without a voter until its locks may be granted to others. */
  readonly patience: number;
  /** The number from which attachments are counted. The clock provides it, so it is larger than all numbers of earlier runs. */
  readonly number: number;
}

export interface ClientContext extends ClientInput {
  /** The number of the present or last attachment. */
  readonly number: number;
  /** The epoch of the voter to which it was attached last; its number is 0 before that. */
  readonly served: Beginning;
  readonly host: NodeId | null;
  /** Voters that do not accept this client, as far as it knows. */
  readonly tried: readonly NodeId[];
  /** The locks that are wanted here, sorted by name. */
  readonly claims: readonly Claim[];
}

export type ClientEvent =
  | From<EpochMessage>
  | From<Acquired>
  | From<Full>
  | NamedLinkEvent
  | { readonly type: 'request'; readonly lock: string }
  | { readonly type: 'used'; readonly lock: string; readonly fence: number }
  | { readonly type: 'freed'; readonly lock: string }
  | TimerEvent;

type In<E = ClientEvent> = { context: ClientContext; event: E };
/** A message about one attachment. */
type OfAttachment = { readonly number: number };

/** The next voter to contact: members of the last epoch first. */
function candidateOf({ id, links, served, membership, tried }: ClientContext): NodeId | null {
  const others = membership.voters.filter((voter) => !served.members.includes(voter));
  const inTurn = [...turnsOf(id, served.members), ...turnsOf(id, others)];
  return inTurn.find((voter) => links.includes(voter) && !tried.includes(voter)) ?? null;
}

const attachment = ({ context: { host, number, claims, membership } }: In<unknown>) => ({
  to: host!,
  message: {
    type: 'attach' as const,
    number,
    holds: claims.flatMap(({ lock, fence }) => (fence === null ? [] : [{ lock, fence }])),
    membership,
  } satisfies AttachRequest,
});
const notWanted = ({ context: { host }, event: { lock, fence } }: In<Acquired>) => ({
  to: host!,
  message: { type: 'giveBack' as const, lock, fence } satisfies GiveBack,
});
const toLocks = <E>(message: (args: In<E>) => AttachmentTurn) =>
  tell((args: In<E>) => ({ role: args.context.claims.map(({ lock }) => lockRole(lock)), message: message(args) }));
const attachedTurn = ({ context: { host }, event: { kept } }: In<Attached>): AttachmentTurn => ({
  type: 'attached',
  host: host!,
  kept,
});
const toLock = tell(({ event }: In<OfLock & Message>) => ({ role: lockRole(event.lock), message: event }));
const openLock = open(({ event: { lock } }: In<OfLock>) => ({ role: lockRole(lock), chart: CLIENT_LOCK, input: { lock } }));
const closeLock = close(({ event: { lock } }: In<OfLock>) => ({ role: lockRole(lock) }));
/** For a lock that is requested while the client is attached. */
const askFor = tell(({ context: { host }, event: { lock } }: In<OfLock>) => {
  const message: AttachmentTurn = { type: 'attached', host: host!, kept: [] };
  return { role: lockRole(lock), message };
});
const patience = arm(({ context }: In<unknown>) => ({ timer: PATIENCE, delay: context.patience }));
const patienceEnds = disarm((_: In<unknown>) => ({ timer: PATIENCE }));

const request = { guard: withEvent('isFree'), actions: [withEvent('claim'), openLock, toLock] } as const;
const again = { target: '#client.seeking.asking', reenter: true } as const;

/**
 * A client of locks: the voter to which it is attached, and the locks that it holds.
 *
 * @public
 */
export const clientMachine = setup({
  types: chartTypes<{ context: ClientContext; events: ClientEvent; input: ClientInput; emitted: LocksNotification }>(),
  actions: {
    ...effects<EpochMessage | Message>(),
    noteLinks: assign({ links: ({ context }, change: NamedLinkEvent) => linksAfter(context.links, change) }),
    learn: assign({
      membership: ({ context: { membership: known, served } }, { membership }: EpochMessage) => {
        const isOfCluster = membership.origin === known.origin;
        const isNews = isOfCluster ? membership.version > known.version : served.epoch === 0 && membership.version > 0;
        return isNews ? membership : known;
      },
    }),
    noteEpoch: assign({ served: (_, { epoch, members, membership }: Attached) => ({ epoch, members, kept: [], membership }) }),
    choose: assign(({ context }) => ({ host: candidateOf(context), number: context.number + 1 })),
    renew: assign(({ context }) => ({ number: context.number + 1 })),
    giveUp: assign(({ context: { tried, host } }) => ({ tried: [...tried, host!], host: null })),
    forgetHost: assign({ host: null }),
    forgetTried: assign({ tried: [] }),
    claim: assign({
      claims: ({ context: { id, claims } }, { lock }: OfLock) => withClaim({ lock, fence: null, user: id }, claims),
    }),
    noteClaim: assign({
      claims: ({ context: { id, claims } }, { lock, fence }: Held) => withClaim({ lock, fence, user: id }, claims),
    }),
    dropClaim: assign({ claims: ({ context }, { lock }: OfLock) => withoutClaim(lock, context.claims) }),
    announceEpoch: emit(({ context: { served } }) => ({
      type: 'serving' as const,
      epoch: served.epoch,
      members: served.members,
    })),
    announceApart: emit({ type: 'apart' }),
    announceNamed: emit((_, { from }: From<Prepare>) => ({ type: 'named' as const, peer: from })),
  },
  guards: {
    isNamed: ({ context }, { members }: Prepare) => members.includes(context.id),
    isFree: ({ context }, { lock }: OfLock) => claimOf(context, lock) === undefined,
    isOfHost: ({ context }, { peer }: NamedLinkEvent) => peer === context.host,
    isOfThis: ({ context }, { number }: OfAttachment) => number === context.number,
    keepsGivenUp: ({ context: { number, claims } }, { number: asked, kept }: Attached) =>
      asked === number && kept.some(({ lock, fence }) => claims.every((claim) => claim.lock !== lock || claim.fence !== fence)),
    /**
     * True for a lock that was requested in an earlier attachment to this voter, which has not noticed its end. The client has obtained it
     * from another voter since, and has released it.
     */
    isUnwanted: ({ context }, { number, lock }: OfAttachment & OfLock) =>
      number === context.number && claimOf(context, lock) === undefined,
    isFromHost: ({ context }, { from }: From<Message>) => from === context.host,
    isTurnOfHost: ({ context }, { from, epoch }: From<Superseding>) => from === context.host && epoch > context.served.epoch,
    /** True if a voter that is preferred to `host` connects before `host` has replied, while no lock is held that has to be reported. */
    isEarlierInTurn: ({ context }, change: NamedLinkEvent) => {
      const links = linksAfter(context.links, change);
      const isOwn = candidateOf({ ...context, links, tried: [] }) === change.peer;
      return isOwn && context.claims.every(({ fence }) => fence === null);
    },
    hasCandidate: ({ context }) => candidateOf(context) !== null,
  },
}).createMachine({
  id: 'client',
  context: ({ input }) => ({
    ...input,
    served: { epoch: 0, members: [], kept: [], membership: NO_MEMBERSHIP },
    host: null,
    tried: [],
    claims: [],
  }),
  initial: 'seeking',
  on: {
    'link.up': { actions: [withEvent('noteLinks'), 'forgetTried'] },
    'link.down': { actions: withEvent('noteLinks') },
    used: { actions: withEvent('noteClaim') },
    freed: { actions: [withEvent('dropClaim'), closeLock] },
    hello: { actions: [withEvent('learn'), 'forgetTried'] },
    superseded: { actions: [withEvent('learn'), 'forgetTried'] },
    // A peer has added this client to the voters, and waits for its promise. The application has to be notified.
    prepare: { guard: withEvent('isNamed'), actions: withEvent('announceNamed') },
  },
  states: {
    seeking: {
      initial: 'idle',
      entry: patience,
      exit: patienceEnds,
      on: { request, timer: { actions: toLocks(() => ({ type: 'apart' })) } },
      states: {
        idle: { always: { guard: 'hasCandidate', target: 'asking', actions: 'choose' } },
        asking: {
          entry: send(attachment),
          on: {
            attached: [
              // The voter keeps a lock that the client has considered lost after it reported it.
              { guard: withEvent('keepsGivenUp'), ...again, actions: [withEvent('learn'), 'renew'] },
              {
                guard: withEvent('isOfThis'),
                target: '#client.attached',
                actions: [withEvent('learn'), withEvent('noteEpoch'), 'forgetTried', toLocks(attachedTurn)],
              },
            ],
            detached: { guard: withEvent('isOfThis'), target: 'idle', actions: [withEvent('learn'), 'giveUp'] },
            hello: { guard: withEvent('isFromHost'), ...again, actions: [withEvent('learn'), 'forgetTried', 'renew'] },
            // Perhaps of an epoch that the client knows from another voter: this voter has begun it only now, and was asked before.
            superseded: { guard: withEvent('isFromHost'), ...again, actions: [withEvent('learn'), 'forgetTried', 'renew'] },
            'link.up': {
              guard: withEvent('isEarlierInTurn'),
              ...again,
              actions: [withEvent('noteLinks'), 'forgetTried', 'choose'],
            },
            'link.down': { guard: withEvent('isOfHost'), target: 'idle', actions: [withEvent('noteLinks'), 'forgetHost'] },
          },
        },
      },
    },
    attached: {
      entry: 'announceEpoch',
      exit: [toLocks(() => ({ type: 'detached' })), 'announceApart'],
      on: {
        request: { guard: withEvent('isFree'), actions: [withEvent('claim'), openLock, toLock, askFor] },
        acquired: [
          { guard: withEvent('isUnwanted'), actions: send(notWanted) },
          { guard: withEvent('isOfThis'), actions: toLock },
        ],
        forfeited: [{ guard: withEvent('isUnwanted') }, { guard: withEvent('isOfThis'), actions: toLock }],
        full: { guard: withEvent('isOfThis'), actions: toLock },
        hello: { guard: withEvent('isFromHost'), target: 'seeking.asking', actions: [withEvent('learn'), 'renew'] },
        superseded: { guard: withEvent('isTurnOfHost'), target: 'seeking.asking', actions: [withEvent('learn'), 'renew'] },
        detached: { guard: withEvent('isOfThis'), target: 'seeking', actions: [withEvent('learn'), 'giveUp'] },
        'link.down': { guard: withEvent('isOfHost'), target: 'seeking', actions: [withEvent('noteLinks'), 'forgetHost'] },
      },
    },
  },
});
