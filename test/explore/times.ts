/**
 * Times, for protocols whose events carry them: of two times, the search only knows which one is later.
 *
 * Every event happens after all times recorded anywhere. The times in a state are then renumbered in their order, from 1, so that states
 * that differ only in how long ago events happened are equal. Times of different kinds are never compared, and each kind is numbered by
 * itself.
 */
import { ProtocolError } from '../../machines/errors.js';
import type { Times } from '../../machines/protocol.js';
import { Interner } from './interner.js';
import { PairMap } from './ints.js';
import type { Locals } from './locals.js';
import type { Packets } from './packets.js';

/** The time of the current event. All times in a state are smaller. The times of one kind are stored as the bits of an integer. */
export const NOW = 31;
const ALL = 0x7fffffff;

type Replace = (time: number, kind: number) => number;

export class TimeOrder {
  /** For each local state or packet, its times, one integer for each kind. */
  private readonly localTimes: Int32Array[] = [];
  private readonly packetTimes: Int32Array[] = [];
  private readonly renumberedLocals = new PairMap();
  private readonly renumberedPackets = new PairMap();
  /** Interned sets of times. */
  private readonly sets = new Interner<Int32Array>();
  private readonly times: Int32Array;

  constructor(
    private readonly holders: Times,
    private readonly locals: Locals,
    private readonly packets: Packets,
    private readonly nodes: number,
  ) {
    this.times = new Int32Array(holders.kinds);
  }

  /** Renumbers the times of the state in `row`. */
  renumber(row: Int32Array, begin: number, end: number): void {
    const content = begin + 1 + this.nodes;
    const { times } = this;
    times.fill(0);
    for (let i = begin + 1; i < content; i++) join(times, this.ofLocal(row[i]!));
    for (let i = content; i < end; i++) join(times, this.ofPacket(row[i]!));
    if (times.every(isOrdered)) return;
    const set = this.sets.intern(times.join(), () => times.slice());
    for (let i = begin + 1; i < content; i++) row[i] = this.local(row[i]!, set);
    for (let i = content; i < end; i++) row[i] = this.packet(row[i]!, set);
  }

  private ofLocal(id: number): Int32Array {
    return (this.localTimes[id] ??= this.gather((note) => this.holders.node(this.locals.get(id).view, note)));
  }

  private ofPacket(id: number): Int32Array {
    return (this.packetTimes[id] ??= this.gather((note) => this.holders.message(this.packets.get(id).message, note)));
  }

  private local(id: number, set: number): number {
    const known = this.renumberedLocals.get(id, set);
    if (known !== -1) return known;
    const local = this.locals.get(id);
    const renumbered = this.locals.intern({ ...local, view: this.holders.node(local.view, placeIn(this.sets.all[set]!)) });
    this.renumberedLocals.set(id, set, renumbered);
    return renumbered;
  }

  private packet(id: number, set: number): number {
    const known = this.renumberedPackets.get(id, set);
    if (known !== -1) return known;
    const packet = this.packets.get(id);
    const renumbered = this.packets.intern({
      ...packet,
      message: this.holders.message(packet.message, placeIn(this.sets.all[set]!)),
    });
    this.renumberedPackets.set(id, set, renumbered);
    return renumbered;
  }

  /** Collects the times that are passed to `note`. */
  private gather(collect: (note: Replace) => unknown): Int32Array {
    const times = new Int32Array(this.holders.kinds);
    collect((time, kind) => {
      if (!(Number.isInteger(time) && time >= 0 && time <= NOW))
        throw new ProtocolError(
          `A state contains the time ${time}, but no event happened at that time. Store only times of events.`,
        );
      if (time > 0) times[kind]! |= 1 << (time - 1);
      return time;
    });
    return times;
  }
}

function join(times: Int32Array, others: Int32Array): void {
  for (let kind = 0; kind < times.length; kind++) times[kind]! |= others[kind]!;
}

/** True if the times are 1, 2 and so on without a gap. */
function isOrdered(times: number): boolean {
  if (times === ALL)
    throw new ProtocolError(
      `A state contains ${NOW} different times, and the search supports ${NOW - 1}. Make the system smaller.`,
    );
  return (times & (times + 1)) === 0;
}

/** The number of times of the same kind that are not later. 0, the time of the start, stays 0. */
const placeIn =
  (times: Int32Array): Replace =>
  (time, kind) => {
    let count = 0;
    for (let bits = times[kind]! & ((1 << time) - 1); bits !== 0; bits &= bits - 1) count++;
    return count;
  };
