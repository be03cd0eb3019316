/**
 * The steward of a node's locks: keeps them going when nodes fail, by epochs.
 *
 * Ours, after the papers stop: token directory and leader election both assume nodes that never fail. Their composition does without.
 * In an epoch every lock has a directory of its own among the members, who all reach each other and are more than half of all peers.
 * When links change the leader that the election gives prepares the next epoch, as a proposer does in Paxos: whoever promises it serves
 * no earlier one, and says which locks it is using. With the promises of all whom it reaches, more than half, the leader installs the
 * epoch: users stay users, every other token begins anew. A token of an earlier epoch is worth nothing at whoever has promised, and
 * whoever has not is in a minority. Grants are numbered by epoch first, so what was granted later has the larger fence, and no two
 * grants have the same, without any clock.
 *
 * Assumes links that are reliable and first-in first-out while they are up, told to each end when they come and go, by a detector that
 * may be wrong; nodes that stop, or start again knowing nothing but an epoch no lower than before (`epoch` of the input). Promises: no
 * two grants of a lock with one fence; larger fences later; once the links of a majority have settled, every request is granted if
 * every grant is released. A node that reaches no majority serves nobody, and tells its users at once that their locks are lost.
 *
 * States.
 *   apart      in no epoch, and nothing to be done about it here
 *   preparing  leads: collects promises for `promised`
 *   following  has promised, and waits for the epoch to begin
 *   serving    member of `epoch`; the directories of its locks are roles beside this one, opened as they are needed
 * Invariants: `epoch <= promised`; entries `using` only while serving or with a promise that says so.
 */
import { assign, emit, enqueueActions, raise, setup } from 'xstate';
import { effects, send, tell, type Message, type NodeId, type Open } from '../effects.js';
import type { LeaderChange } from '../election/index.js';
import { byName, directoryInput, hasRoom, isHalfFull, isHalfSpent, isMajority, isNumberOf, rootOf } from './epoch.js';
import {
  entryOf,
  installOf,
  linksAfter,
  lockOf,
  memberOf,
  ownReport,
  reachesMajority,
  type Entry,
  type From,
  type In,
  type NamedLinkEvent,
  type StewardContext,
  type StewardEvent,
  type StewardInput,
} from './knowledge.js';
import {
  DIRECTORY,
  lockRole,
  type Changed,
  type Install,
  type LockMessage,
  type LockNotice,
  type Prepare,
  type Promised,
  type Refuse,
  type StewardMessage,
} from './messages.js';

/** Messages for an epoch to come; a member that sends more is out of its mind. */
const EARLY_MAX = 10_000;

const passedOn = ({ event }: In) => ({ role: 'election', message: event });
const preparation = ({ context }: In) => ({ to: context.links, message: { type: 'prepare' as const, epoch: context.promised } });
const promise = ({ context, event }: In) => {
  const { node: _, ...report } = ownReport(context);
  return { to: (event as From<Prepare>).from, message: { type: 'promise' as const, epoch: context.promised, ...report } };
};
const refusal = ({ context, event }: In) => ({
  to: (event as From<Prepare>).from,
  message: { type: 'refuse' as const, epoch: context.promised },
});
const installation = ({ context }: In) => ({ to: context.links, message: installOf(context) });
/** Whom the epoch leaves out must hear of it, perhaps from those who are in it. */
const installationHeard = ({ context, event }: In) => {
  const { from: _, ...message } = event as From<Install>;
  return { to: context.links.filter((peer) => !message.members.includes(peer)), message };
};
const changed = ({ changes }: StewardContext) => ({ type: 'changed' as const, changes });
const change = ({ context }: In) => ({
  to: context.links.includes(context.leader) ? context.leader : [],
  message: changed(context),
});
const greeting = ({ context, event }: In) => ({ to: (event as { peer: NodeId }).peer, message: changed(context) });
const toDirectory = (message: (args: In) => Message) =>
  tell((args: In) => ({ role: lockRole(args.context.epoch, lockOf(args)), message: message(args) }));

const isLostIn =
  (c: StewardContext) =>
  ({ lock, fence }: Entry): boolean =>
    fence !== null && (c.members.length === 0 || rootOf(lock, c) !== c.id);

interface Enqueue {
  (action: { readonly type: 'open'; readonly params: Open }): void;
  readonly raise: (event: { readonly type: 'spent' }) => void;
  readonly assign: (change: { readonly open: (args: { context: StewardContext }) => readonly string[] }) => void;
}

/** Opens the directory of a lock of this epoch, unless it is open. */
function openDirectory(enqueue: Enqueue, c: StewardContext, lock: string): void {
  if (c.open.includes(lock)) return;
  if (isHalfFull([...c.open, lock], c.holders)) enqueue.raise({ type: 'spent' });
  enqueue({
    type: 'open',
    params: { role: lockRole(c.epoch, lock), chart: DIRECTORY, input: directoryInput(c.id, c.epoch, lock, c) },
  });
  enqueue.assign({ open: ({ context }) => [...context.open, lock].sort(byName) });
}

const isOfThisEpoch = ({ context, event }: In): boolean => (event as LockMessage).epoch === context.epoch;
const findsNoRoom = (args: In): boolean => {
  const { open, holders } = args.context;
  return !open.includes(lockOf(args)) && !hasRoom(open, holders);
};

const isOverruled = ({ context, event }: In): boolean => (event as Refuse).epoch >= context.promised;

const prepareAgain = { target: '.preparing', reenter: true } as const;

export const stewardMachine = setup({
  types: { context: {} as StewardContext, events: {} as StewardEvent, input: {} as StewardInput, emitted: {} as LockNotice },
  actions: {
    ...effects<StewardMessage | Message>(),
    noteLinks: assign(({ context, event }: In) => ({
      links: linksAfter(context.links, event as NamedLinkEvent),
      changes: context.changes + 1,
    })),
    noteLeader: assign({ leader: ({ event }: In) => (event as LeaderChange).leader }),
    beginEpoch: assign(({ context }: In) => ({
      promised: context.promised + 1,
      coordinator: context.id,
      reports: [ownReport(context)],
    })),
    noteLater: assign({ promised: ({ event }: In) => (event as Refuse).epoch }),
    notePromise: assign({
      promised: ({ event }: In) => (event as Prepare).epoch,
      coordinator: ({ event }: In) => (event as From<Prepare>).from,
    }),
    notePast: assign({ promised: ({ event }: In) => (event as Install).epoch }),
    noteReport: assign({
      reports: ({ context, event }: In) => {
        const { from, using, served, links, changes } = event as From<Promised>;
        const others = context.reports.filter(({ node }) => node !== from);
        return [...others, { node: from, using, served, links, changes }].sort((a, b) => byName(a.node, b.node));
      },
    }),
    concludeEpoch: assign(({ context }: In) => {
      const { epoch, members, holders } = installOf(context);
      return { epoch, members, holders };
    }),
    noteInstall: assign(({ event }: In) => {
      const { epoch, members, holders } = event as Install;
      return { epoch, members, holders };
    }),
    leaveEpoch: assign({ members: [], holders: [] }),
    addEntry: assign({
      entries: (args: In) =>
        [...args.context.entries, { lock: lockOf(args), fence: null }].sort((a, b) => byName(a.lock, b.lock)),
    }),
    dropEntry: assign({ entries: (args: In) => args.context.entries.filter(({ lock }) => lock !== lockOf(args)) }),
    noteGrant: assign({
      entries: (args: In) => {
        const { fence } = args.event as { fence: number };
        return args.context.entries.map((entry) => (entry.lock === lockOf(args) ? { ...entry, fence } : entry));
      },
    }),
    keepEarly: assign({ early: ({ context, event }: In) => [...context.early, event as From<LockMessage>].slice(0, EARLY_MAX) }),
    openLock: enqueueActions((args) => openDirectory(args.enqueue, args.context, lockOf(args))),
    closeLocks: enqueueActions(({ context: { epoch, open }, enqueue }) => {
      for (const lock of open) enqueue({ type: 'close', params: { role: lockRole(epoch, lock) } });
      enqueue.assign({ open: [] });
    }),
    /** What was asked for is asked again, and what is used goes on: by whom the epoch names. */
    takeUp: enqueueActions(({ context, enqueue }) => {
      for (const { lock } of context.entries) {
        openDirectory(enqueue, context, lock);
        enqueue({ type: 'tell', params: { role: lockRole(context.epoch, lock), message: { type: 'request' } } });
      }
    }),
    hearEarly: enqueueActions(({ context, enqueue }) => {
      for (const message of context.early.filter(({ epoch }) => epoch === context.epoch))
        enqueue.raise(message as From<LockMessage>);
      enqueue.assign({ early: context.early.filter(({ epoch }) => epoch > context.epoch) });
    }),
    /** Tells the users whom this epoch does not name, which are all where there is none. */
    loseLocks: enqueueActions(({ context, enqueue }) => {
      for (const { lock, fence } of context.entries.filter(isLostIn(context))) {
        enqueue.emit({ type: 'lock.lost', lock, fence: fence! });
      }
      enqueue.assign({ entries: context.entries.filter((entry) => !isLostIn(context)(entry)) });
    }),
    announceGrant: emit((args: In) => ({
      type: 'lock.granted' as const,
      lock: lockOf(args),
      fence: (args.event as { fence: number }).fence,
    })),
    announceRelease: emit((args: In) => ({ type: 'lock.released' as const, lock: lockOf(args) })),
    announceEpoch: emit(({ context: { epoch, members } }: In) => ({ type: 'serving' as const, epoch, members })),
    announceApart: emit({ type: 'apart' }),
    sayThatSpent: enqueueActions(({ context, event, enqueue }) => {
      if (isHalfSpent(context.epoch, (event as { fence: number }).fence)) enqueue.raise({ type: 'spent' });
    }),
    sayThatFull: raise({ type: 'spent' }),
    noteChange: assign({ changes: ({ context }: In) => context.changes + 1 }),
  },
  guards: {
    isMember: ({ context }) => context.members.length > 0,
    leads: (args) => args.context.leader === args.context.id && reachesMajority(args),
    isElected: (args) => (args.event as LeaderChange).leader === args.context.id && reachesMajority(args),
    losesMajority: (args) => !reachesMajority(args),
    isNews: (args) => {
      const { from, changes } = args.event as From<Changed>;
      const known = args.context.reports.find(({ node }) => node === from);
      return args.context.leader === args.context.id && reachesMajority(args) && known?.changes !== changes;
    },
    isPast: ({ context, event }) => (event as Prepare).epoch <= context.promised,
    isForThisEpoch: ({ context, event }) => (event as Promised).epoch === context.promised,
    isOverruled,
    /** Only the leader tries again: two who both do would overrule each other for ever. */
    outbids: (args) => isOverruled(args) && args.context.leader === args.context.id && reachesMajority(args),
    isAwaited: ({ context, event }) => {
      const { from, epoch, members } = event as From<Install>;
      return from === context.coordinator && epoch === context.promised && members.includes(context.id);
    },
    goesOnWithoutUs: ({ context, event }) => {
      const { epoch, members } = event as Install;
      return epoch >= context.promised && epoch > context.epoch && !members.includes(context.id);
    },
    isFromStranger: ({ context, event }) => !context.links.includes((event as From<Prepare>).from),
    isComplete: ({ context }) => {
      const { links, reports, peers } = context;
      return links.every((peer) => reports.some(({ node }) => node === peer)) && isMajority(memberOf(context).length, peers);
    },
    isFree: (args) => entryOf(args.context, lockOf(args)) === undefined,
    isWaiting: (args) => entryOf(args.context, lockOf(args))?.fence === null,
    isUsing: (args) => typeof entryOf(args.context, lockOf(args))?.fence === 'number',
    isFreeAndFindsNoRoom: (args) => entryOf(args.context, lockOf(args)) === undefined && findsNoRoom(args),
    isBeyondNumbers: ({ context, event }) => !isNumberOf(context.epoch, (event as { fence: number }).fence),
    isOfThisEpoch,
    isOfThisEpochAndFindsNoRoom: (args) => isOfThisEpoch(args) && findsNoRoom(args),
    isOfLaterEpoch: ({ context, event }) => (event as LockMessage).epoch > context.epoch,
  },
}).createMachine({
  id: 'steward',
  context: ({ input }) => ({
    ...input,
    // Who has served nothing since its start has missed nothing that others could have been granted: it takes nothing from a user.
    epoch: input.members.length === 0 ? 0 : input.epoch,
    holders: [],
    changes: 0,
    promised: input.epoch,
    coordinator: null,
    reports: [],
    entries: [],
    open: [],
    early: [],
  }),
  initial: 'starting',
  on: {
    'link.up': [
      { guard: 'leads', ...prepareAgain, actions: ['noteLinks', tell(passedOn), send(greeting)] },
      { actions: ['noteLinks', tell(passedOn), send(change), send(greeting)] },
    ],
    'link.down': [
      { guard: 'losesMajority', target: '.apart', actions: ['noteLinks', tell(passedOn)] },
      { guard: 'leads', ...prepareAgain, actions: ['noteLinks', tell(passedOn)] },
      { actions: ['noteLinks', tell(passedOn), send(change)] },
    ],
    leader: [{ guard: 'isElected', ...prepareAgain, actions: 'noteLeader' }, { actions: ['noteLeader', send(change)] }],
    changed: { guard: 'isNews', ...prepareAgain },
    spent: [{ guard: 'leads', ...prepareAgain }, { actions: ['noteChange', send(change)] }],
    prepare: [
      { guard: 'isFromStranger' },
      { guard: 'isPast', actions: send(refusal) },
      { target: '.following', reenter: true, actions: ['notePromise', send(promise)] },
    ],
    install: { guard: 'goesOnWithoutUs', target: '.apart', actions: 'notePast' },
    request: { guard: 'isFree', actions: 'addEntry' },
    release: { guard: 'isUsing', actions: ['dropEntry', 'announceRelease'] },
    find: { guard: 'isOfLaterEpoch', actions: 'keepEarly' },
  },
  states: {
    starting: {
      always: [{ guard: 'isMember', target: 'serving' }, { guard: 'leads', target: 'preparing' }, { target: 'apart' }],
    },
    apart: { entry: ['leaveEpoch', 'loseLocks', 'announceApart'] },
    preparing: {
      entry: ['beginEpoch', send(preparation)],
      always: { guard: 'isComplete', target: 'serving', actions: [send(installation), 'concludeEpoch'] },
      on: {
        promise: { guard: 'isForThisEpoch', actions: 'noteReport' },
        refuse: [
          { guard: 'outbids', target: 'preparing', reenter: true, actions: 'noteLater' },
          { guard: 'isOverruled', target: 'following', actions: ['noteLater', 'noteChange', send(change)] },
        ],
      },
    },
    following: {
      on: { install: { guard: 'isAwaited', target: 'serving', actions: ['noteInstall', send(installationHeard)] } },
    },
    serving: {
      entry: ['loseLocks', 'announceEpoch', 'takeUp', 'hearEarly'],
      exit: 'closeLocks',
      on: {
        request: [
          { guard: 'isFreeAndFindsNoRoom', actions: ['addEntry', 'sayThatFull'] },
          { guard: 'isFree', actions: ['addEntry', 'openLock', toDirectory(() => ({ type: 'request' }))] },
        ],
        release: { guard: 'isUsing', actions: ['dropEntry', 'announceRelease', toDirectory(() => ({ type: 'release' }))] },
        granted: [
          // It waits for the numbers of the next epoch, which has been asked for, and nobody else can have the token in this one.
          { guard: 'isBeyondNumbers' },
          { guard: 'isWaiting', actions: ['noteGrant', 'announceGrant', 'sayThatSpent'] },
          { actions: 'noteGrant' },
        ],
        find: [
          // Whoever sent it asks again in the next epoch.
          { guard: 'isOfThisEpochAndFindsNoRoom', actions: 'sayThatFull' },
          { guard: 'isOfThisEpoch', actions: ['openLock', toDirectory(({ event }) => event)] },
        ],
      },
    },
  },
});
