/**
 * Limits of the released package: how many items are numbered, stored and sent at once before a call is rejected, waits, or old items are
 * forgotten. Limits of locks are in locks/limits.ts, those of frames and texts in transports/reading.ts. Users set only the `limits` of
 * hubs and meshes.
 *
 * No test of a minute reaches the released limits. So a rehearsal also creates its peers with small limits, to reach the corner cases of
 * the same code. These limits are not options, because the peers of one cluster must agree on them: two peers that number the grants of an
 * epoch differently could grant a fencing token twice.
 */
export interface PeerLimits {
  /**
   * Limits of a link: messages in flight to a peer, messages that may wait in addition, and their characters. Nodes may use the same number
   * again.
   */
  readonly window: number;
  readonly room: number;
  readonly roomSize: number;
  /** Additional characters for messages of nodes. */
  readonly nodesRoomSize: number;
  /** Largest frame that a link creates. A larger message is sent in parts. */
  readonly linkFrameBytes: number;
  /**
   * Messages that may wait in a hub for absent peers: from one sender, for one peer (half of what a line accepts at once), and in total.
   */
  readonly mail: Readonly<Record<'sender' | 'receiver' | 'all', MailLimits>>;
  /** Number of departed peers that a hub and a peer remember. */
  readonly gone: number;
  /** Number of peers in no list that a peer is linked with at a time. */
  readonly guests: number;
  /** Number of conversations with a peer whose messages are counted. */
  readonly counted: number;
  /** Number of a node's messages that wait for absent peers. */
  readonly waiting: number;
  /**
   * Limits of a seal: characters that wait for a peer's answer, the distance of a late message to the latest, and earlier runs of a peer.
   */
  readonly unansweredChars: number;
  readonly late: number;
  readonly retired: number;
  /** Number of characters after which a NATS server is asked whether it has received them. */
  readonly unaskedChars: number;
  /** Number of lasting names that are fetched at once. */
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
  guests: 10_000,
  counted: 10_000,
  waiting: 10_000,
  unansweredChars: 2 ** 22,
  late: 1_024,
  retired: 1_000,
  unaskedChars: 2 ** 20,
  names: 8,
};

/** Key under which a rehearsal puts its own limits (test/rehearsal/limits.ts). Neither side imports the other. */
const PLACE = Symbol.for('xstate-quiver.limits');

/** Returns the released limits, or those of the rehearsal in which the code runs. */
export const chosenHere = <T>(shipped: T): T => Reflect.get(globalThis, PLACE) || shipped;

/** Returns the limits for a peer that is created now. */
export const limitsHere = (): PeerLimits => chosenHere(SHIPPED);
