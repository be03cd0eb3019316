/** Computations of a host: the latest copy, the new events, and the result of a commit. host.ts contains the rules by number. */
import type { NodeId } from '../effects.js';
import { isMajority } from '../locks/epoch.js';
import type { ActorCopy, Creation, Entry, EventsMessage, FailedEvent, NumberedEvent, Seen, Settlement } from './messages.js';
import { isLaterVersion } from './replica.js';

/** The answer of the application to `restore` and `apply`. */
export interface Applied {
  readonly type: 'applied';
  readonly state: unknown;
  readonly isAwake: boolean;
  /** The events that the actor emitted, for watchers. */
  readonly emitted: unknown;
  readonly failures: readonly (FailedEvent & { readonly sender: string })[];
  /** How many entries of the turn were applied, if not all. */
  readonly turn: number;
}

export interface HostInput {
  readonly id: NodeId;
  /** Nodes that may host the actor. */
  readonly members: readonly NodeId[];
  /** Nodes that keep copies. */
  readonly replicas: readonly NodeId[];
  readonly policy: 'stay' | 'sender' | 'balance';
  /** Ticks until an unanswered request is repeated. */
  readonly retry: number;
  /** How many senders a copy remembers. */
  readonly sendersMax: number;
}

export interface ReplicaAnswer {
  readonly from: NodeId;
  readonly copy: ActorCopy | null;
  readonly since: number;
  readonly genesis: number;
}

export interface HostContext extends HostInput {
  /** The member that hosts the actor, by the latest announcement. */
  readonly known: { readonly host: NodeId; readonly fence: number } | null;
  /** True if the actor has work without an event, according to the copy of this member. */
  readonly isAwake: boolean;
  /** Senders that wait for a host. */
  readonly askers: readonly NodeId[];
  readonly creation: Creation | null;
  readonly fence: number | null;
  readonly copies: readonly ReplicaAnswer[];
  /** The version that was read, written last, or is being written. */
  readonly copy: ActorCopy | null;
  /** The version that this activation committed last. */
  readonly committed: ActorCopy | null;
  /** Members that have kept the version that is being written. */
  readonly keepers: readonly NodeId[];
  readonly queue: readonly Entry[];
  /** How many entries of the queue are in the version that is being written. */
  readonly turn: number;
  readonly watchers: readonly NodeId[];
  readonly emitted: unknown;
  /** The other member that sent the last events, and how many in a row. */
  readonly visitor: NodeId | null;
  readonly visits: number;
}

/** The reason why an event of a forgotten sender fails, and why a sender's request fails if too many replicas have forgotten. */
export const FORGOTTEN = { name: 'forgotten' } as const;

export const latestOf = (answers: readonly ReplicaAnswer[]): ActorCopy | null =>
  answers.reduce<ActorCopy | null>((latest, { copy }) => (copy && isLaterVersion(copy, latest) ? copy : latest), null);

/**
 * Rule 2. True if the replies prove which version of the actor is the latest. A replica without a copy is a witness for fences from `since`
 * on. One replica that knows a genesis is enough: the others state the same `since`, unless they have restarted later.
 */
export function isCertain({ replicas, copies }: Pick<HostContext, 'replicas' | 'copies'>): boolean {
  const latest = latestOf(copies);
  const nothingBefore = Math.max(latest?.fence ?? 0, ...copies.map(({ genesis }) => genesis));
  const witnesses = copies.filter(({ copy, since }) => copy !== null || since <= nothingBefore);
  if (isMajority(witnesses.length, replicas)) return true;
  // All replicas have restarted without a copy: the actor starts again.
  return latest === null && witnesses.length === 0 && copies.length === replicas.length;
}

/** Rule 2. True if all replicas have replied, and too many of them have lost their copies to know the latest version. */
export const isForgotten = (context: Pick<HostContext, 'replicas' | 'copies'>): boolean =>
  context.copies.length === context.replicas.length && !isCertain(context);

const lastOf = (queue: readonly Entry[], sender: string): number | undefined =>
  queue.findLast((entry) => entry.sender === sender)?.number;

const seenOf = (copy: ActorCopy | null, sender: string): Seen | undefined => copy?.seen.find((seen) => seen.sender === sender);

/** True if the actor may have applied an event of this sender and forgotten that (rule 6). */
const isDoubtful = ({ copy, queue }: HostContext, { sender, isRepeated }: EventsMessage): boolean =>
  isRepeated && copy!.hasForgotten && seenOf(copy, sender) === undefined && lastOf(queue, sender) === undefined;

/** Rule 4. The events that are new, in order and without a gap. */
function newEvents({ copy, queue }: HostContext, { sender, base, events }: EventsMessage): readonly NumberedEvent[] {
  let expected = Math.max(base, (lastOf(queue, sender) ?? seenOf(copy, sender)?.number ?? 0) + 1);
  return events.filter(({ number }) => number === expected && ++expected);
}

/** Rules 4 and 8. The host's queue after the new events of a message, and the last other member that sent events. */
export function enqueued(
  context: HostContext,
  events: EventsMessage & { readonly from: NodeId },
): Pick<HostContext, 'queue' | 'visitor' | 'visits'> {
  const { id, members, queue } = context;
  const { from, sender, base } = events;
  const entries = isDoubtful(context, events) ? [] : newEvents(context, events).map((one) => ({ ...one, from, sender, base }));
  const visitor = from !== id && members.includes(from) ? from : null;
  const visits = visitor === context.visitor ? context.visits + entries.length : entries.length;
  return { queue: entries.length === 0 ? queue : [...queue, ...entries], visitor, visits };
}

/** Rules 4 and 6. The results that are already known when events arrive: they were stored before, or may have been. */
export function settlementsOf(context: HostContext, events: EventsMessage): readonly Settlement[] {
  const { copy, queue, turn } = context;
  const { sender } = events;
  const [first] = events.events;
  if (first === undefined) return [];
  if (isDoubtful(context, events)) {
    const failures = events.events.map(({ number }) => ({ number, error: FORGOTTEN }));
    return [{ sender, upTo: failures.at(-1)!.number, failures }];
  }
  const seen = seenOf(copy, sender);
  const written = queue.slice(0, turn).find((entry) => entry.sender === sender)?.number ?? Infinity;
  const upTo = Math.min(seen?.number ?? 0, written - 1);
  if (first.number > upTo) return [];
  return [{ sender, upTo, failures: seen!.failures.filter(({ number }) => number <= upTo) }];
}

/** Rule 5. The actor's next version, after the queued events of this turn were applied. */
export function versionAfter({ copy, fence, queue, sendersMax }: HostContext, applied: Applied): ActorCopy {
  const { turn } = applied;
  const { state, isAwake, failures } = applied;
  const entries = sentIn({ queue, turn });
  const seen = new Map((copy?.seen ?? []).map((one) => [one.sender, one]));
  for (const { sender, number, base } of entries) {
    const before = seen.get(sender);
    seen.delete(sender);
    const added = failures.filter((failure) => failure.sender === sender && failure.number === number);
    seen.set(sender, {
      sender,
      number,
      failures: [
        ...(before?.failures ?? []).filter((failure) => failure.number >= base),
        ...added.map(({ number, error }) => ({ number, error })),
      ],
    });
  }
  const kept = [...seen.values()].slice(-sendersMax);
  const hasForgotten = (copy?.hasForgotten ?? false) || kept.length < seen.size;
  return { fence: fence!, seq: (copy?.seq ?? 0) + 1, state, isAwake, seen: kept, hasForgotten };
}

/** Rule 5. The results for each sender whose events are in the version, after a majority has stored it. */
export function settledBy({ copy, queue, turn }: HostContext): readonly Settlement[] {
  const senders = new Set(sentIn({ queue, turn }).map(({ sender }) => sender));
  return [...senders].map((sender) => {
    const { number, failures } = seenOf(copy, sender)!;
    return { sender, upTo: number, failures };
  });
}

/** The peers that sent the events in this version. */
export const sendersOf = (context: HostContext): readonly NodeId[] => [...new Set(sentIn(context).map(({ from }) => from))];

/** The entries of the turn that were sent. */
const sentIn = ({ queue, turn }: Pick<HostContext, 'queue' | 'turn'>): readonly (Entry & { readonly from: NodeId })[] =>
  queue.slice(0, turn).filter((entry): entry is Entry & { readonly from: NodeId } => entry.from !== null);

/** All nodes that watch the actor or wait for an acknowledgment. */
export const audience = ({ watchers, queue }: HostContext): readonly NodeId[] => [
  ...new Set([...watchers, ...queue.flatMap(({ from }) => (from === null ? [] : [from]))]),
];
