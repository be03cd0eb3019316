/**
 * A client of locks: a node that takes locks and does not vote (rule 11).
 *
 * It attaches to one voter at a time, among those with which it is linked, and asks for its locks through it. When that voter is gone, or
 * is served by nobody, it attaches to another one and says what it holds. Whether it keeps that is for the voters to say; when no voter
 * has taken it for as long as their patience with it lasts, it takes its locks for lost. Where it stands is stored nowhere: a client that
 * starts again holds nothing.
 *
 * Each attachment has a number, larger than that of the one before: what a voter has said of an earlier one counts for nothing. Over its
 * starts they grow as its clock does, so that what is used for it since an earlier life is given back at once. A client attaches anew in each
 * epoch of its voter, which waits for its word that it is still there, and whenever its voter greets it: what was said before may have been
 * lost.
 *
 * States.
 *   attached         to `host`, in the epoch `served`
 *   seeking.idle     no voter within reach takes it; the next that begins an epoch, or comes, will be asked
 *   seeking.asking   has asked `host` to take it
 * Invariants: `host` is nobody exactly in seeking.idle; `tried` is empty in attached.
 */
import { assign, emit, setup } from 'xstate';
import { arm, close, disarm, effects, open, send, tell, type Message, type NodeId, type TimerEvent } from '../effects.js';
import { turnsOf } from './epoch.js';
import { linksAfter, withClaim, withoutClaim, claimOf, type Claim, type From, type NamedLinkEvent } from './knowledge.js';
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
  type LocksNotice,
  type Prepare,
} from './messages.js';
import { PATIENCE } from './orders.js';

export interface ClientInput {
  readonly id: NodeId;
  /** Who votes, as it is known at the start. */
  readonly membership: Membership;
  readonly links: readonly NodeId[];
  /** Ticks without a voter until its locks may be somebody else's. */
  readonly patience: number;
  /** Its attachments are counted from here: what its clock gives, which is more than they came to in its earlier lives. */
  readonly number: number;
}

export interface ClientContext extends ClientInput {
  /** Of its present or last attachment. */
  readonly number: number;
  /** The epoch of the voter to which it was attached last; its number is 0 before that. */
  readonly served: Beginning;
  readonly host: NodeId | null;
  /** Voters that do not take it, as far as it knows. */
  readonly tried: readonly NodeId[];
  /** What is wanted here, by name. */
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

type In = { context: ClientContext; event: ClientEvent };

/** Members of the last epoch before other voters. */
function candidateOf({ id, links, served, membership, tried }: ClientContext): NodeId | null {
  const others = membership.voters.filter((voter) => !served.members.includes(voter));
  const inTurn = [...turnsOf(id, served.members), ...turnsOf(id, others)];
  return inTurn.find((voter) => links.includes(voter) && !tried.includes(voter)) ?? null;
}

const lockOf = ({ event }: In) => (event as { lock: string }).lock;
const fromOf = ({ event }: In) => (event as From<Message>).from;
const isOfThis = ({ context: { number }, event }: In): boolean => (event as { number: number }).number === number;
const isFromHost = (args: In): boolean => fromOf(args) === args.context.host;
const isNewEpoch = ({ context: { served }, event }: In): boolean => (event as { epoch: number }).epoch > served.epoch;

const attaching = ({ context: { host, number, claims, membership } }: In) => ({
  to: host!,
  message: {
    type: 'attach' as const,
    number,
    holds: claims.flatMap(({ lock, fence }) => (fence === null ? [] : [{ lock, fence }])),
    membership,
  } satisfies AttachRequest,
});
const notWanted = ({ context: { host }, event }: In) => {
  const { lock, fence } = event as From<Acquired>;
  return { to: host!, message: { type: 'giveBack' as const, lock, fence } satisfies GiveBack };
};
const toLocks = (message: (args: In) => AttachmentTurn) =>
  tell((args: In) => ({ role: args.context.claims.map(({ lock }) => lockRole(lock)), message: message(args) }));
const attachedTurn = ({ context: { host }, event }: In): AttachmentTurn => ({
  type: 'attached',
  host: host!,
  kept: (event as Attached).kept,
});
const toLock = tell((args: In) => ({ role: lockRole(lockOf(args)), message: args.event }));
const openLock = open((args: In) => ({
  role: lockRole(lockOf(args)),
  chart: CLIENT_LOCK,
  input: { lock: lockOf(args) },
}));
const closeLock = close((args: In) => ({ role: lockRole(lockOf(args)) }));
/** Of a lock that is asked for while the client is attached. */
const askFor = tell((args: In) => ({
  role: lockRole(lockOf(args)),
  message: { type: 'attached', host: args.context.host!, kept: [] } satisfies AttachmentTurn as Message,
}));
const patience = arm(({ context }: In) => ({ timer: PATIENCE, delay: context.patience }));
const patienceEnds = disarm((_: In) => ({ timer: PATIENCE }));

const request = { guard: 'isFree', actions: ['claim', openLock, toLock] } as const;
const again = { target: '#client.seeking.asking', reenter: true } as const;

/**
 * The chart of a client of locks: to which voter it is attached, and what it holds.
 *
 * @public
 */
export const clientMachine = setup({
  types: {} as { context: ClientContext; events: ClientEvent; input: ClientInput; emitted: LocksNotice },
  actions: {
    ...effects<EpochMessage | Message>(),
    noteLinks: assign({ links: ({ context, event }: In) => linksAfter(context.links, event as NamedLinkEvent) }),
    learn: assign({
      membership: ({ context: { membership: known }, event }: In) => {
        const { membership } = event as From<EpochMessage>;
        return membership.version > known.version ? membership : known;
      },
    }),
    noteEpoch: assign({
      served: ({ event }: In) => {
        const { epoch, members, membership } = event as Attached;
        return { epoch, members, kept: [], membership };
      },
    }),
    choose: assign(({ context }: In) => ({ host: candidateOf(context), number: context.number + 1 })),
    renew: assign(({ context }: In) => ({ number: context.number + 1 })),
    giveUp: assign(({ context: { tried, host } }: In) => ({ tried: [...tried, host!], host: null })),
    forgetHost: assign({ host: null }),
    forgetTried: assign({ tried: [] }),
    claim: assign({
      claims: (args: In) => withClaim({ lock: lockOf(args), fence: null, user: args.context.id }, args.context.claims),
    }),
    noteClaim: assign({
      claims: ({ context: { id, claims }, event }: In) => {
        const { lock, fence } = event as { lock: string; fence: number };
        return withClaim({ lock, fence, user: id }, claims);
      },
    }),
    dropClaim: assign({ claims: (args: In) => withoutClaim(lockOf(args), args.context.claims) }),
    announceEpoch: emit(({ context: { served } }: In) => ({
      type: 'serving' as const,
      epoch: served.epoch,
      members: served.members,
    })),
    announceApart: emit({ type: 'apart' }),
    announceNamed: emit((args: In) => ({ type: 'named' as const, peer: fromOf(args) })),
  },
  guards: {
    isNamed: ({ context: { id }, event }) => (event as From<Prepare>).members.includes(id),
    isFree: (args) => claimOf(args.context, lockOf(args)) === undefined,
    isOfHost: ({ context, event }) => (event as NamedLinkEvent).peer === context.host,
    isOfThis,
    /** Asked for in an earlier attachment to this voter, which has not noticed its end; it came by another one since, and is done with. */
    isUnwanted: (args) => isOfThis(args) && claimOf(args.context, lockOf(args)) === undefined,
    isFromHost,
    isTurnOfHost: (args) => isFromHost(args) && isNewEpoch(args),
    /** Who comes first has not answered yet, and nothing is held that it would have to be told of. */
    isEarlierInTurn: ({ context, event }) => {
      const links = linksAfter(context.links, event as NamedLinkEvent);
      const isOwn = candidateOf({ ...context, links, tried: [] }) === (event as NamedLinkEvent).peer;
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
    'link.up': { actions: ['noteLinks', 'forgetTried'] },
    'link.down': { actions: 'noteLinks' },
    used: { actions: 'noteClaim' },
    freed: { actions: ['dropClaim', closeLock] },
    hello: { actions: ['learn', 'forgetTried'] },
    told: { actions: ['learn', 'forgetTried'] },
    // Somebody has added it to those who vote, and waits for its promise: that is for the application to hear.
    prepare: { guard: 'isNamed', actions: 'announceNamed' },
  },
  states: {
    seeking: {
      initial: 'idle',
      entry: patience,
      exit: patienceEnds,
      on: {
        request,
        timer: { actions: toLocks(() => ({ type: 'apart' })) },
      },
      states: {
        idle: { always: { guard: 'hasCandidate', target: 'asking', actions: 'choose' } },
        asking: {
          entry: send(attaching),
          on: {
            attached: {
              guard: 'isOfThis',
              target: '#client.attached',
              actions: ['learn', 'noteEpoch', 'forgetTried', toLocks(attachedTurn)],
            },
            detached: { guard: 'isOfThis', target: 'idle', actions: ['learn', 'giveUp'] },
            hello: { guard: 'isFromHost', ...again, actions: ['learn', 'forgetTried', 'renew'] },
            // Perhaps of an epoch that it knows by another voter: this one has begun it now, and was asked before.
            told: { guard: 'isFromHost', ...again, actions: ['learn', 'forgetTried', 'renew'] },
            'link.up': { guard: 'isEarlierInTurn', ...again, actions: ['noteLinks', 'forgetTried', 'choose'] },
            'link.down': { guard: 'isOfHost', target: 'idle', actions: ['noteLinks', 'forgetHost'] },
          },
        },
      },
    },
    attached: {
      entry: 'announceEpoch',
      exit: [toLocks(() => ({ type: 'detached' })), 'announceApart'],
      on: {
        request: { guard: 'isFree', actions: ['claim', openLock, toLock, askFor] },
        acquired: [
          { guard: 'isUnwanted', actions: send(notWanted) },
          { guard: 'isOfThis', actions: toLock },
        ],
        forfeited: [{ guard: 'isUnwanted' }, { guard: 'isOfThis', actions: toLock }],
        full: { guard: 'isOfThis', actions: toLock },
        hello: { guard: 'isFromHost', target: 'seeking.asking', actions: ['learn', 'renew'] },
        told: { guard: 'isTurnOfHost', target: 'seeking.asking', actions: ['learn', 'renew'] },
        detached: { guard: 'isOfThis', target: 'seeking', actions: ['learn', 'giveUp'] },
        'link.down': { guard: 'isOfHost', target: 'seeking', actions: ['noteLinks', 'forgetHost'] },
      },
    },
  },
});
