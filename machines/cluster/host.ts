/**
 * The host side of one actor at one member: acquire the lock, read the latest copy, apply events, commit, acknowledge.
 *
 * The design is our own. An actor has one lock (machines/locks), and the member that holds the lock hosts the actor. A holder that was cut
 * off may not have noticed that the lock has passed on, so the fence of the lock decides: replicas refuse a smaller fence than they have
 * promised (replica.ts, rule 1).
 *
 * The members keep the copies, or one replica that represents a shared storage, which every member reaches.
 *
 * Assumption about the lock: each grant has a larger fence than all earlier grants of it. Two members may hold it for a while.
 *
 * Rules.
 *  1. A member acquires the lock when a sender wants the actor and it knows of no host, when a host hands the actor over to it, or
 *     when the known host, which wrote the latest copy here or has announced itself, goes down and the actor has work without an event.
 *     If a host replies meanwhile, it gives the request up.
 *  2. The holder of the lock reads the copies of a majority and continues from the latest one. That no copy exists is certain when a
 *     majority has forgotten nothing, or when all members have forgotten. If too many have forgotten, and not all, the actor is refused.
 *  3. The restored version is written to a majority under the new fence before anything else: it may have been on a minority.
 *  4. Events are applied in the order of arrival. Those of one sender are numbered without a gap. An event that was applied before is
 *     acknowledged and not applied; one that comes too early is dropped, and its sender repeats it.
 *  5. Events that arrive before a turn begins are committed together: state, numbers and failures go to a majority in one version. Only
 *     then their senders and all watchers receive the version, the events are acknowledged, and actions run. A repeated event is
 *     acknowledged with the committed version, which its sender may not have. Later events wait for the next version.
 *  6. A copy remembers a bounded number of senders. If a forgotten sender repeats an event that may have been applied
 *     before, the event fails.
 *  7. A larger fence, wherever it is seen, ends the activation. Events that were not committed were not acknowledged.
 *  8. An activation ends in good order between two versions: to make room (`passivate`), or to hand the actor over to another member
 *     (`handOver`, and with policy `sender` after `MOVE_AFTER` events in a row from one other member).
 *
 * States.
 *    passive             does not host the actor
 *    acquiring           has requested the lock
 *    reading             holds the lock, and reads the copies of a majority
 *    restoring           the application restores the actor, or creates it
 *    hosting.confirming  the restored version is being written to a majority
 *    hosting.serving     no event or write is pending
 *    hosting.gathering   events wait for a turn, which begins when all that has arrived is in the queue
 *    hosting.applying    the application applies the events of a turn
 *    hosting.writing     the version after that turn is being written
 *    hosting.closing     the same (applying, writing), and then the activation ends
 * Invariants: `fence` is set exactly in reading, restoring and hosting. `copies` is empty except in reading, `keepers` except in
 * confirming, writing and closing, and `queue` except in hosting. `committed` is set exactly in hosting, except in confirming.
 * `turn` is 0 except in applying, writing and closing.
 */
import { assign, emit, setup } from 'xstate';
import { arm, chartTypes, disarm, effects, type NodeId, send, type TimerEvent, withEvent } from '../effects.js';
import { isMajority } from '../locks/epoch.js';
import {
  audience,
  enqueued,
  FORGOTTEN,
  isCertain,
  isForgotten,
  latestOf,
  sendersOf,
  settledBy,
  settlementsOf,
  versionAfter,
  type Applied,
  type HostContext,
  type HostInput,
} from './hosting.js';
import type { ActorCopy, ClusterMessage, ClusterNotice, Hosted, ReceivedOf, Settlement } from './messages.js';

/** Policy `sender`: after this many events in a row from one other member, the actor moves there. */
export const MOVE_AFTER = 8;

/** The timer that begins a turn. It has no delay: it ends when all that has arrived is handled. */
export const TURN = 'turn';

/** The replica of this node has a version of the actor; `writer` is its host, unless the node has just started. */
interface Awake {
  readonly type: 'awake';
  readonly isAwake: boolean;
  readonly writer: HostContext['known'];
}

type PeerEvent = { readonly peer: NodeId };

export type HostEvent =
  | ReceivedOf<'want' | 'find' | 'copy' | 'kept' | 'late' | 'events' | 'watch' | 'unwatch' | 'come'>
  | Hosted
  | Applied
  | TimerEvent
  | ({ readonly type: 'link.up' | 'link.down' } & PeerEvent)
  | Awake
  | { readonly type: 'granted'; readonly fence: number }
  | { readonly type: 'unavailable' | 'failed'; readonly error: unknown }
  | { readonly type: 'handOver'; readonly to: NodeId }
  /** `changed`: the actor has changed without an event, by a delayed transition or a child. */
  | { readonly type: 'lost' | 'changed' | 'passivate' | 'wake' };

type In<E = unknown> = { context: HostContext; event: E };

const retry = arm(({ context }: In) => ({ timer: 'retry', delay: context.retry }));
const noRetry = disarm((_: In) => ({ timer: 'retry' }));
const nextTurn = arm((_: In) => ({ timer: TURN, delay: 0 }));
const noTurn = disarm((_: In) => ({ timer: TURN }));

const others = ({ id, members }: HostContext) => members.filter((member) => member !== id);
const reading = ({ context: { fence, copies, replicas } }: In) => ({
  to: replicas.filter((replica) => copies.every(({ from }) => from !== replica)),
  message: { type: 'read' as const, fence: fence! },
});
const writing = ({ context: { copy, keepers, replicas } }: In) => ({
  to: replicas.filter((replica) => !keepers.includes(replica)),
  message: { type: 'write' as const, copy: copy! },
});
const finding = ({ context }: In) => ({ to: others(context), message: { type: 'find' as const } });
const here = ({ id, fence }: HostContext) => ({ type: 'hosted' as const, host: id, fence: fence! });
const hereToAll = ({ context }: In) => ({ to: [...new Set([...context.members, ...context.askers])], message: here(context) });
const hereToAsker = ({ context, event: { from } }: In<{ from: NodeId }>) => ({ to: from, message: here(context) });
const hereToPeer = ({ context, event: { peer } }: In<PeerEvent>) => ({ to: peer, message: here(context) });
const there = ({ known }: HostContext) => ({ type: 'hosted' as const, ...known! });
const thereToAsker = ({ context, event: { from } }: In<{ from: NodeId }>) => ({ to: from, message: there(context) });
const thereToAskers = ({ context }: In) => ({ to: context.askers, message: there(context) });
const goneToSender = ({ event: { from } }: In<{ from: NodeId }>) => ({ to: from, message: { type: 'gone' as const } });
const goneToAll = ({ context }: In) => ({ to: audience(context), message: { type: 'gone' as const } });
const refusal = ({ context: { askers }, event: { error } }: In<{ error: unknown }>) => ({
  to: askers,
  message: { type: 'refused' as const, error },
});
const forgotten = ({ context: { askers } }: In) => ({ to: askers, message: { type: 'refused' as const, error: FORGOTTEN } });
const version = ({ fence, seq, state }: ActorCopy, emitted: unknown) => ({
  type: 'committed' as const,
  fence,
  seq,
  state,
  emitted,
});
const versionToAll = ({ context }: In) => ({
  to: [...new Set([...context.watchers, ...sendersOf(context)])],
  message: version(context.copy!, context.emitted),
});
const versionToWatcher = ({ context: { committed }, event: { from } }: In<{ from: NodeId }>) => ({
  to: from,
  message: version(committed!, null),
});
const acked = ({ fence, seq }: ActorCopy, settlements: readonly Settlement[]) => ({
  type: 'acked' as const,
  fence,
  seq,
  settlements,
});
const acknowledgment = ({ context }: In) => ({ to: sendersOf(context), message: acked(context.copy!, settledBy(context)) });
const reply = ({ context, event }: In<ReceivedOf<'events'>>) => {
  const settlements = settlementsOf(context, event);
  return { to: settlements.length > 0 ? event.from : [], message: acked(context.committed!, settlements) };
};
const versionOfReply = ({ context, event }: In<ReceivedOf<'events'>>) => ({
  to: settlementsOf(context, event).length > 0 ? event.from : [],
  message: version(context.committed!, null),
});
const comeToVisitor = ({ context }: In) => ({ to: context.visitor!, message: { type: 'come' as const } });
const comeToSuccessor = ({ event: { to } }: In<{ to: NodeId }>) => ({ to, message: { type: 'come' as const } });

const stop = [send(goneToAll), 'announceStopped'] as const;
const leave = [...stop, 'announceRelease'] as const;
const settle = ['announceDurable', send(versionToAll), send(acknowledgment), 'endTurn'] as const;
const keeping = {
  entry: [send(writing), retry],
  exit: noRetry,
  on: {
    kept: { guard: withEvent('isOfThisVersion'), actions: withEvent('noteKept') },
    timer: { actions: [send(writing), retry] },
  },
} as const;
const applying = { entry: 'announceApply', on: { applied: { target: 'writing', actions: withEvent('noteVersion') } } } as const;

/** The context of a host without an activation. */
const NO_ACTIVATION = {
  fence: null,
  copies: [],
  copy: null,
  committed: null,
  keepers: [],
  queue: [],
  turn: 0,
  watchers: [],
  emitted: null,
  visitor: null,
  visits: 0,
} satisfies Partial<HostContext>;

/**
 * The host side of one actor at one member.
 *
 * @public
 */
export const hostMachine = setup({
  types: chartTypes<{ context: HostContext; events: HostEvent; input: HostInput; emitted: ClusterNotice }>(),
  actions: {
    ...effects<ClusterMessage>(),
    noteHost: assign({ known: (_, { host, fence }: Hosted) => ({ host, fence }) }),
    forgetHost: assign({ known: null }),
    noteAwake: assign({ isAwake: (_, { isAwake }: Awake) => isAwake }),
    noteWriter: assign({ known: (_, { writer }: Awake) => writer }),
    noteAsker: assign(({ context: { askers, creation } }, want: ReceivedOf<'want'>) => ({
      askers: [...askers.filter((asker) => asker !== want.from), want.from],
      creation: creation?.isAllowed ? creation : want.creation,
    })),
    forgetAskers: assign({ askers: [], creation: null }),
    noteFence: assign({ fence: (_, { fence }: { fence: number }) => fence }),
    noteCopy: assign({
      copies: ({ context }, { from, copy, since, genesis }: ReceivedOf<'copy'>) => [
        ...context.copies.filter((answer) => answer.from !== from),
        { from, copy, since, genesis },
      ],
    }),
    chooseLatest: assign({ copy: ({ context }) => latestOf(context.copies), copies: [] }),
    noteVersion: assign(({ context }, applied: Applied) => ({
      copy: versionAfter(context, applied),
      emitted: applied.emitted,
      turn: applied.turn,
      keepers: [],
    })),
    noteKept: assign({ keepers: ({ context }, { from }: ReceivedOf<'kept'>) => [...context.keepers, from] }),
    enqueue: assign(({ context }, events: ReceivedOf<'events'>) => enqueued(context, events)),
    enqueueChange: assign({
      queue: ({ context }) => [...context.queue, { from: null, sender: '', base: 0, number: 0, event: null }],
    }),
    takeTurn: assign({ turn: ({ context }) => context.queue.length }),
    endTurn: assign({
      committed: ({ context }) => context.copy,
      queue: ({ context }) => context.queue.slice(context.turn),
      turn: 0,
      keepers: [],
      emitted: null,
    }),
    watch: assign({
      watchers: ({ context }, { from }: { from: NodeId }) => [...context.watchers.filter((one) => one !== from), from],
    }),
    unwatch: assign({ watchers: ({ context }, { from }: { from: NodeId }) => context.watchers.filter((one) => one !== from) }),
    endActivation: assign(NO_ACTIVATION),
    announceAcquire: emit({ type: 'acquire' }),
    announceRelease: emit({ type: 'release' }),
    announceRestore: emit(({ context: { fence, copy, creation } }) => ({
      type: 'restore' as const,
      fence: fence!,
      copy,
      creation,
    })),
    announceApply: emit(({ context: { fence, copy, queue, turn } }) => ({
      type: 'apply' as const,
      fence: fence!,
      seq: copy!.seq + 1,
      entries: queue.slice(0, turn),
    })),
    announceDurable: emit(({ context: { copy } }) => ({ type: 'durable' as const, fence: copy!.fence, seq: copy!.seq })),
    announceStopped: emit({ type: 'stopped' }),
  },
  guards: {
    knowsHost: ({ context: { known } }, { tried }: ReceivedOf<'want'>) => known !== null && known.fence > tried,
    isNews: ({ context: { known } }, { fence }: Hosted) => known === null || fence > known.fence,
    isWriterNews: ({ context: { id, known } }, { writer }: Awake) =>
      writer !== null && writer.host !== id && writer.fence > (known?.fence ?? 0),
    isElsewhere: ({ context: { id } }, { host }: Hosted) => host !== id,
    isSuperseded: ({ context: { id, fence: own } }, { host, fence }: Hosted) => host !== id && fence > own!,
    isHostGone: ({ context: { known } }, { peer }: PeerEvent) => known?.host === peer,
    isOrphaned: ({ context: { known, isAwake } }, { peer }: PeerEvent) => isAwake && known?.host === peer,
    isOfThisFence: ({ context }, { fence }: { fence: number }) => fence === context.fence,
    isLate: ({ context }, { fence }: { fence: number }) => fence > context.fence!,
    isCertain: ({ context }) => isCertain(context),
    isForgotten: ({ context }) => isForgotten(context),
    isOfThisVersion: ({ context: { copy, keepers } }, { from, fence, seq }: ReceivedOf<'kept'>) =>
      fence === copy!.fence && seq === copy!.seq && !keepers.includes(from),
    isCommitted: ({ context: { keepers, replicas } }) => isMajority(keepers.length, replicas),
    hasWork: ({ context }) => context.queue.length > 0,
    isToMove: ({ context: { policy, visitor, visits } }) => policy === 'sender' && visitor !== null && visits >= MOVE_AFTER,
  },
}).createMachine({
  id: 'host',
  context: ({ input }) => ({ ...input, known: null, isAwake: false, askers: [], creation: null, ...NO_ACTIVATION }),
  initial: 'passive',
  on: { awake: { actions: withEvent('noteAwake') } },
  states: {
    passive: {
      entry: 'endActivation',
      on: {
        want: [
          { guard: withEvent('knowsHost'), actions: send(thereToAsker) },
          { target: 'acquiring', actions: withEvent('noteAsker') }, // 1
        ],
        events: { actions: send(goneToSender) },
        watch: { actions: send(goneToSender) },
        hosted: { guard: withEvent('isNews'), actions: withEvent('noteHost') },
        awake: [
          { guard: withEvent('isWriterNews'), actions: [withEvent('noteAwake'), withEvent('noteWriter')] }, // 1
          { actions: withEvent('noteAwake') },
        ],
        come: 'acquiring', // 1
        wake: 'acquiring',
        'link.down': [
          { guard: withEvent('isOrphaned'), target: 'acquiring' }, // 1
          { guard: withEvent('isHostGone'), actions: 'forgetHost' },
        ],
        // The request was given up, but the lock was granted before that was known.
        granted: { actions: 'announceRelease' },
      },
    },
    acquiring: {
      entry: ['forgetHost', 'announceAcquire', send(finding), retry],
      exit: noRetry,
      on: {
        want: { actions: withEvent('noteAsker') },
        hosted: {
          guard: withEvent('isElsewhere'),
          target: 'passive',
          actions: [withEvent('noteHost'), send(thereToAskers), 'forgetAskers', 'announceRelease'],
        },
        granted: { target: 'reading', actions: withEvent('noteFence') },
        unavailable: { target: 'passive', actions: [send(refusal), 'forgetAskers'] },
        timer: { actions: [send(finding), retry] },
      },
    },
    reading: {
      entry: [send(reading), retry],
      exit: noRetry,
      always: [
        { guard: 'isCertain', target: 'restoring' }, // 2
        { guard: 'isForgotten', target: 'passive', actions: [send(forgotten), 'forgetAskers', 'announceRelease'] }, // 2
      ],
      on: {
        want: { actions: withEvent('noteAsker') },
        copy: { guard: withEvent('isOfThisFence'), actions: withEvent('noteCopy') },
        late: { guard: withEvent('isLate'), target: 'passive', actions: 'announceRelease' }, // 7
        hosted: { guard: withEvent('isSuperseded'), target: 'passive', actions: [withEvent('noteHost'), 'announceRelease'] }, // 7
        lost: 'passive',
        'link.up': { actions: send(reading) },
        timer: { actions: [send(reading), retry] },
      },
    },
    restoring: {
      entry: ['chooseLatest', 'announceRestore'],
      on: {
        want: { actions: withEvent('noteAsker') },
        applied: { target: 'hosting', actions: withEvent('noteVersion') },
        failed: { target: 'passive', actions: [send(refusal), 'forgetAskers', 'announceRelease'] },
        lost: 'passive',
      },
    },
    hosting: {
      initial: 'confirming', // 3
      on: {
        want: { actions: send(hereToAsker) },
        find: { actions: send(hereToAsker) },
        events: { actions: [send(versionOfReply), send(reply), withEvent('enqueue')] }, // 4, 6
        changed: { actions: 'enqueueChange' },
        watch: { actions: withEvent('watch') },
        unwatch: { actions: withEvent('unwatch') },
        hosted: { guard: withEvent('isSuperseded'), target: 'passive', actions: [withEvent('noteHost'), ...leave] }, // 7
        late: { guard: withEvent('isLate'), target: 'passive', actions: leave }, // 7
        lost: { target: 'passive', actions: stop },
        handOver: { target: '.closing', actions: send(comeToSuccessor) }, // 8
        'link.up': { actions: send(hereToPeer) },
      },
      states: {
        confirming: {
          ...keeping,
          always: { guard: 'isCommitted', target: 'serving', actions: [...settle, send(hereToAll), 'forgetAskers'] },
          on: {
            ...keeping.on,
            want: { actions: withEvent('noteAsker') },
            find: {},
            events: { actions: send(goneToSender) },
            'link.up': { actions: send(writing) },
          },
        },
        serving: {
          always: [
            { guard: 'hasWork', target: 'gathering' },
            { guard: 'isToMove', target: '#host.passive', actions: [...leave, send(comeToVisitor)] }, // 8
          ],
          on: {
            watch: { actions: [withEvent('watch'), send(versionToWatcher)] },
            passivate: { target: '#host.passive', actions: leave }, // 8
            handOver: { target: '#host.passive', actions: [...leave, send(comeToSuccessor)] }, // 8
          },
        },
        gathering: {
          entry: nextTurn,
          exit: noTurn,
          on: {
            timer: { target: 'applying', actions: 'takeTurn' },
            handOver: { target: 'closing.applying', actions: [send(comeToSuccessor), 'takeTurn'] }, // 8
          },
        },
        applying,
        writing: {
          ...keeping,
          always: { guard: 'isCommitted', target: 'serving', actions: settle }, // 5
          on: { ...keeping.on, 'link.up': { actions: [send(hereToPeer), send(writing)] } },
        },
        closing: {
          initial: 'writing',
          // A sender that it refuses must not find it again: the two would exchange messages without end.
          on: { want: {}, find: {}, events: { actions: send(goneToSender) } },
          states: {
            applying,
            writing: {
              ...keeping,
              always: { guard: 'isCommitted', target: '#host.passive', actions: [...settle, ...leave] },
              on: { ...keeping.on, 'link.up': { actions: send(writing) } },
            },
          },
        },
      },
    },
  },
});
