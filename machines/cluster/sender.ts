/**
 * The sender side of one actor at one peer or client: find the host, send events in order, repeat them until they are acknowledged.
 *
 * The design is our own; host.ts contains the other side. Each process is a separate sender (`session`), and numbers its events to the
 * actor from 1.
 *
 * Rules.
 *  1. A sender that knows of no host asks a candidate, and the next candidate when it gets no answer. The first one hosts the actor if
 *     it has no host. A candidate without a machine for the actor is unfit. If all are, the actor is refused.
 *  2. To every new host, and whenever an answer is overdue, it sends all events that are not acknowledged, in order. It reports a host that
 *     does not answer, or no longer hosts the actor, to the candidates (`tried`), so that they do not only repeat what they know.
 *  3. An acknowledgment settles all events up to its number, unless the version that contains them has not arrived. A refusal fails
 *     all pending events.
 *  4. Versions are announced in their order. The last one may be announced again, when the subscription is renewed.
 *
 * States.
 *    idle      has no pending events or subscribers, and knows of no host
 *    seeking   has asked a candidate for the host
 *    refused   the actor could not be hosted: subscribers ask again after a while, and events at once
 *    attached  knows the host; events that were sent to it may be unacknowledged
 * Invariants: `host` is set exactly in attached; numbers in `unacked` grow by 1 and end with `next - 1`.
 */
import { assign, emit, setup } from 'xstate';
import { arm, chartTypes, disarm, effects, type NodeId, send, tell, type TimerEvent, withEvent } from '../effects.js';
import { isLaterVersion } from './replica.js';
import { HOST, type ClusterMessage, type ClusterNotice, type Creation, type NumberedEvent, type ReceivedOf } from './messages.js';

/** The reason why events fail if no candidate has a machine for the actor. */
export const UNFIT = { name: 'unfit' } as const;

export interface SenderInput {
  /** The session of this run of the process: no other process ever has the same. */
  readonly session: string;
  /** Members that may host the actor, in the order in which they are asked. */
  readonly candidates: readonly NodeId[];
  readonly retry: number;
  /** True if this node has a host role, which receives the same announcements. */
  readonly isMember: boolean;
}

export interface SenderContext extends SenderInput {
  readonly creation: Creation;
  readonly next: number;
  readonly unacked: readonly NumberedEvent[];
  readonly host: { readonly host: NodeId; readonly fence: number } | null;
  /** The largest fence of a host that has not answered. */
  readonly tried: number;
  /** Place in `candidates`. */
  readonly place: number;
  /** Candidates that have answered that they are unfit, since the last refusal. */
  readonly unfit: readonly NodeId[];
  readonly subscribers: number;
  /** The version that subscribers have received last. */
  readonly last: { readonly fence: number; readonly seq: number };
}

export type SenderEvent =
  | ReceivedOf<'hosted' | 'acked' | 'refused' | 'unfit' | 'gone' | 'committed'>
  | TimerEvent
  | { readonly type: 'link.up' | 'link.down'; readonly peer: NodeId }
  | { readonly type: 'create'; readonly creation: Creation }
  | { readonly type: 'send'; readonly events: readonly unknown[] }
  | { readonly type: 'subscribe' | 'unsubscribe' };

type In<E = unknown> = { context: SenderContext; event: E };

const retry = arm(({ context }: In) => ({ timer: 'retry', delay: context.retry }));
const noRetry = disarm((_: In) => ({ timer: 'retry' }));

const asking = ({ context: { candidates, place, creation, tried } }: In) => ({
  to: candidates[place]!,
  message: { type: 'want' as const, creation, tried },
});
const eventsOf = ({ session, unacked, next }: SenderContext, events: readonly NumberedEvent[], isRepeated: boolean) => ({
  type: 'events' as const,
  sender: session,
  base: unacked[0]?.number ?? next,
  isRepeated,
  events,
});
const allEvents = ({ context }: In) => ({
  to: context.unacked.length === 0 ? [] : context.host!.host,
  message: eventsOf(context, context.unacked, true),
});
/** The events of the command, which were noted before. */
const newEvents = ({ context, event: { events } }: In<{ events: readonly unknown[] }>) => ({
  to: context.host!.host,
  message: eventsOf(context, context.unacked.slice(-events.length), false),
});
const watching = ({ context: { host, subscribers } }: In) => ({
  to: subscribers > 0 ? host!.host : [],
  message: { type: 'watch' as const },
});
const unwatching = ({ context: { host, subscribers } }: In) => ({
  to: subscribers === 0 ? host!.host : [],
  message: { type: 'unwatch' as const },
});
const ownOf = ({ session }: SenderContext, { settlements }: ReceivedOf<'acked'>) =>
  settlements.find(({ sender }) => sender === session);
const toHost = tell(({ context: { isMember }, event }: In<SenderEvent>) => ({ role: isMember ? [HOST] : [], message: event }));

/**
 * The sender side of one actor at one peer or client.
 *
 * @public
 */
export const senderMachine = setup({
  types: chartTypes<{ context: SenderContext; events: SenderEvent; input: SenderInput; emitted: ClusterNotice }>(),
  actions: {
    ...effects<ClusterMessage>(),
    noteCreation: assign({ creation: (_, { creation }: { creation: Creation }) => creation }),
    noteEvents: assign(({ context: { unacked, next } }, { events }: { events: readonly unknown[] }) => ({
      unacked: [...unacked, ...events.map((event, i) => ({ number: next + i, event }))],
      next: next + events.length,
    })),
    noteHost: assign({ host: (_, { host, fence }: ReceivedOf<'hosted'>) => ({ host, fence }) }),
    forgetHost: assign({ host: null }),
    giveUpHost: assign({ host: null, tried: ({ context: { host, tried } }) => Math.max(tried, host!.fence) }),
    nextCandidate: assign({ place: ({ context: { place, candidates } }) => (place + 1) % candidates.length }),
    firstCandidate: assign({ place: 0 }),
    settle: assign({
      unacked: ({ context }, acked: ReceivedOf<'acked'>) =>
        context.unacked.filter(({ number }) => number > ownOf(context, acked)!.upTo),
    }),
    fail: assign({ unacked: [] }),
    subscribe: assign({ subscribers: ({ context }) => context.subscribers + 1 }),
    unsubscribe: assign({ subscribers: ({ context }) => context.subscribers - 1 }),
    noteVersion: assign({ last: (_, { fence, seq }: ReceivedOf<'committed'>) => ({ fence, seq }) }),
    announceSettled: emit(({ context }, acked: ReceivedOf<'acked'>) => {
      const { upTo, failures } = ownOf(context, acked)!;
      return { type: 'settled' as const, upTo, failures };
    }),
    noteUnfit: assign({ unfit: ({ context }, { from }: ReceivedOf<'unfit'>) => [...context.unfit, from] }),
    forgetUnfit: assign({ unfit: [] }),
    announceUnfit: emit({ type: 'failed', error: UNFIT }),
    announceFailed: emit((_, { error }: ReceivedOf<'refused'>) => ({ type: 'failed' as const, error })),
    announceVersion: emit((_, { fence, seq, state, emitted }: ReceivedOf<'committed'>) => ({
      type: 'version' as const,
      fence,
      seq,
      state,
      emitted,
    })),
  },
  guards: {
    isAhead: ({ context: { last } }, acked: ReceivedOf<'acked'>) => isLaterVersion(acked, last),
    isOfThisSender: ({ context }, acked: ReceivedOf<'acked'>) => ownOf(context, acked) !== undefined,
    settlesAll: ({ context }, acked: ReceivedOf<'acked'>) => ownOf(context, acked)?.upTo === context.next - 1,
    isNewHost: ({ context: { host } }, { fence }: ReceivedOf<'hosted'>) => fence > host!.fence,
    isFromHost: ({ context: { host } }, { from }: ReceivedOf<'gone'>) => from === host!.host,
    isHost: ({ context: { host } }, { peer }: { peer: NodeId }) => peer === host!.host,
    isCandidate: ({ context: { candidates, place } }, { peer }: { peer: NodeId }) => peer === candidates[place],
    isOfCandidate: ({ context: { candidates, place } }, { from }: ReceivedOf<'unfit'>) => from === candidates[place],
    isLastUnfit: ({ context: { candidates, unfit } }, { from }: ReceivedOf<'unfit'>) =>
      candidates.every((candidate) => candidate === from || unfit.includes(candidate)),
    isWanted: ({ context: { unacked, subscribers } }) => unacked.length > 0 || subscribers > 0,
    isOverdue: ({ context }) => context.unacked.length > 0,
    isNotOlder: ({ context: { last } }, version: ReceivedOf<'committed'>) => !isLaterVersion(last, version),
  },
}).createMachine({
  id: 'sender',
  context: ({ input }) => ({
    ...input,
    creation: { isAllowed: false, input: null },
    next: 1,
    unacked: [],
    host: null,
    tried: 0,
    place: 0,
    unfit: [],
    subscribers: 0,
    last: { fence: 0, seq: 0 },
  }),
  initial: 'idle',
  on: {
    create: { actions: withEvent('noteCreation') },
    hosted: { actions: toHost },
    'link.up': { actions: toHost },
    'link.down': { actions: toHost },
    committed: { guard: withEvent('isNotOlder'), actions: [withEvent('noteVersion'), withEvent('announceVersion')] }, // 4
  },
  states: {
    idle: {
      entry: ['forgetHost', 'firstCandidate'],
      always: { guard: 'isWanted', target: 'seeking' },
      on: {
        send: { target: 'seeking', actions: withEvent('noteEvents') },
        subscribe: { target: 'seeking', actions: 'subscribe' },
        unsubscribe: { actions: 'unsubscribe' },
      },
    },
    seeking: {
      entry: [send(asking), retry], // 1
      exit: noRetry,
      on: {
        send: { actions: withEvent('noteEvents') },
        subscribe: { actions: 'subscribe' },
        unsubscribe: { actions: 'unsubscribe' },
        hosted: { target: 'attached', actions: [withEvent('noteHost'), toHost] },
        refused: { target: 'refused', actions: ['fail', withEvent('announceFailed')] }, // 3
        unfit: [
          { guard: withEvent('isLastUnfit'), target: 'refused', actions: ['fail', 'announceUnfit'] }, // 1, 3
          {
            guard: withEvent('isOfCandidate'),
            target: 'seeking',
            reenter: true,
            actions: [withEvent('noteUnfit'), 'nextCandidate'],
          }, // 1
        ],
        timer: { target: 'seeking', reenter: true, actions: 'nextCandidate' }, // 1
        'link.down': [
          { guard: withEvent('isCandidate'), target: 'seeking', reenter: true, actions: ['nextCandidate', toHost] },
          { actions: toHost },
        ],
      },
    },
    refused: {
      entry: [retry, 'forgetUnfit'],
      exit: noRetry,
      on: {
        send: { target: 'idle', actions: withEvent('noteEvents') },
        subscribe: { actions: 'subscribe' },
        unsubscribe: { actions: 'unsubscribe' },
        timer: 'idle',
      },
    },
    attached: {
      entry: [send(allEvents), send(watching), retry], // 2
      exit: noRetry,
      on: {
        send: { actions: [withEvent('noteEvents'), send(newEvents), retry] },
        subscribe: { actions: ['subscribe', send(watching)] },
        unsubscribe: { actions: ['unsubscribe', send(unwatching)] },
        acked: [
          { guard: withEvent('isAhead') }, // 3: its version has not arrived
          { guard: withEvent('settlesAll'), actions: [withEvent('settle'), withEvent('announceSettled'), noRetry] }, // 3
          { guard: withEvent('isOfThisSender'), actions: [withEvent('settle'), withEvent('announceSettled'), retry] }, // 3
        ],
        hosted: [
          { guard: withEvent('isNewHost'), target: 'attached', reenter: true, actions: [withEvent('noteHost'), toHost] }, // 2
          { actions: toHost },
        ],
        gone: { guard: withEvent('isFromHost'), target: 'idle', actions: 'giveUpHost' }, // 2
        timer: { guard: 'isOverdue', target: 'idle', actions: 'giveUpHost' }, // 2
        'link.down': [{ guard: withEvent('isHost'), target: 'idle', actions: toHost }, { actions: toHost }],
        'link.up': [{ guard: withEvent('isHost'), target: 'attached', reenter: true, actions: toHost }, { actions: toHost }],
      },
    },
  },
});
