/**
 * The small limits of a rehearsal, which adapters use instead of the released ones (adapters/limits.ts, adapters/locks/limits.ts).
 *
 * Small enough for a run of twenty seconds to reach each limit. Large enough for a handful of peers whose answers take half a second: with
 * a window of two messages or a kilobyte, they would send too little to make progress.
 */
export const SMALL_LIMITS = {
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
  // The number of peers in a rehearsal. The released hub remembers more peers than a cluster has.
  gone: 5,
  guests: 50,
  counted: 10_000,
  waiting: 200,
  unansweredChars: 2 ** 12,
  late: 16,
  retired: 1,
  unaskedChars: 2 ** 10,
  names: 2,
  // The fences of an epoch for each lock, and the locks in use.
  grants: 8,
  openLocks: 8,
};
