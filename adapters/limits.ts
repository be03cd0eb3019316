/**
 * The limits of what ships: how much is numbered, kept and sent at once before a call is refused, waits or is forgotten. Those of locks are
 * in locks/limits.ts. Not here: what a user sets (`limits` of hubs and meshes), and what frames and texts may be at all
 * (transports/reading.ts).
 *
 * What ships lies so far out that no test of a minute comes near. A rehearsal therefore has its peers made with small limits as well:
 * the same code, and its corners within reach. They are no options, because peers of one cluster must not differ in them: two that
 * number the grants of an epoch differently grant a fence twice.
 */
export interface PeerLimits {
  /** Of a link: messages under way to a peer, messages that may wait beyond them, and their characters; nodes have as much again. */
  readonly window: number;
  readonly room: number;
  readonly roomSize: number;
  /** Characters beyond `roomSize` for what nodes say. */
  readonly nodesRoomSize: number;
  /** The largest frame that a link makes; a larger message goes in parts. */
  readonly linkFrameBytes: number;
  /** What may wait in a hub for peers that have not come yet: from one sender, for one peer (half of what a line takes at once), and in all. */
  readonly mail: Readonly<Record<'sender' | 'receiver' | 'all', MailLimits>>;
  /** How many of those who went are remembered, by a hub and by a peer. */
  readonly gone: number;
  /** Conversations with a peer whose messages are counted. */
  readonly counted: number;
  /** Messages of a node for peers that have not come. */
  readonly waiting: number;
  /** Of a seal: characters that wait for a peer's answer, how far behind the latest a message may come, and earlier runs of a peer. */
  readonly unansweredChars: number;
  readonly late: number;
  readonly retired: number;
  /** Characters that a NATS server is sent before it is asked whether it has them. */
  readonly unaskedChars: number;
  /** Lasting names that are fetched at once. */
  readonly names: number;
}

export interface MailLimits {
  readonly messages: number;
  readonly chars: number;
}

const SHIPPED: PeerLimits = {
  window: 256,
  room: 10_000,
  roomSize: 2 ** 25,
  nodesRoomSize: 2 ** 23,
  linkFrameBytes: 2 ** 20,
  mail: {
    sender: { messages: 1_000, chars: 2 ** 22 },
    receiver: { messages: 10_000, chars: 2 ** 23 },
    all: { messages: 10_000, chars: 2 ** 26 },
  },
  gone: 10_000,
  counted: 10_000,
  waiting: 10_000,
  unansweredChars: 2 ** 22,
  late: 1_024,
  retired: 1_000,
  unaskedChars: 2 ** 20,
  names: 8,
};

/**
 * Small enough for a run of twenty seconds to reach all of them, and large enough for a handful of peers whose answers take half a second: a window
 * of two messages or a kilobyte would let them say so little that nothing settles.
 */
const SMALL: PeerLimits = {
  window: 8,
  room: 200,
  roomSize: 2 ** 16,
  nodesRoomSize: 2 ** 15,
  linkFrameBytes: 2 ** 15,
  mail: {
    sender: { messages: 20, chars: 2 ** 13 },
    receiver: { messages: 40, chars: 2 ** 14 },
    all: { messages: 60, chars: 2 ** 15 },
  },
  // As many as a rehearsal has peers: a hub that ships remembers more than a cluster has.
  gone: 5,
  counted: 10_000,
  waiting: 200,
  unansweredChars: 2 ** 12,
  late: 16,
  retired: 1,
  unaskedChars: 2 ** 10,
  names: 2,
};

/** Where a rehearsal says which it wants; neither side imports the other. */
const PLACE = Symbol.for('xstate-quiver.limits');

/** What ships, unless a rehearsal has chosen the small limits. */
export const chosenHere = <T>(shipped: T, small: T): T =>
  (globalThis as Record<symbol, unknown>)[PLACE] === 'small' ? small : shipped;

/** The limits of a peer that is created now. */
export const limitsHere = (): PeerLimits => chosenHere(SHIPPED, SMALL);
