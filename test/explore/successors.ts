/**
 * The successors of a state: the hot loop of the search.
 *
 * A state is a row of integers: its environment, the local state of each node, then the packets in flight in the order of their lanes.
 * The successors of one state are adjacent in `rows`; parallel arrays describe the transition to each of them. Expanding the same state
 * again gives the same successors in the same order.
 */
import type { Corrupted } from './corruptions.js';
import { grown } from './ints.js';
import type { Packets } from './packets.js';
import type { LocalSteps } from './steps.js';
import type { TimeOrder } from './times.js';
import type { Environments, Move } from './environments.js';

/** Kinds of transitions, each with the meaning of its `subject`. */
export const DELIVER = 0; // a packet
export const LOCAL = 1; // an event: a timer, a reaction or an unlimited command
export const SCRIPT = 2; // a place among the environment's moves: a command
export const LINK = 3; // a place among the environment's moves: a change of a link, a crash, a restart, a corruption
export const LOSE = 4; // the place of a packet in the row
export const DOUBLE = 5; // likewise

/** True for changes of the network that are not steps of the protocol. */
export const isFault = (kind: number): boolean => kind >= LINK;

/** Marks an event that may be postponed forever, so that liveness does not rely on it. */
export const OPTIONAL = -1;

const KEEP = -1;
const NO_CHANNELS: readonly number[] = [];

export class Successors {
  count = 0;
  rows = new Int32Array(1 << 12);
  /** The start of each successor's row; one more entry marks the end of the last. */
  begins = new Int32Array(64);
  kinds = new Uint8Array(64);
  subjects = new Int32Array(64);
  /** The outcome of the local step, or -1 if no node took a step. */
  outcomes = new Int32Array(64);
  /** The outcome of a second node's step, if a link changed for both its ends at once. */
  seconds = new Int32Array(64);
  /** The action for fairness. */
  actions = new Int32Array(64);
  /** Successors of the same draw share a group. */
  groups = new Int32Array(64);
  private group = 0;
  private kind = 0;
  private subject = 0;
  private action = 0;
  private readonly content: number;

  constructor(
    private readonly steps: LocalSteps,
    private readonly packets: Packets,
    private readonly environments: Environments,
    private readonly nodes: number,
    /** True if a message stays in flight when it is delivered. */
    private readonly lasting: boolean,
    private readonly times: TimeOrder | undefined,
    private readonly mayFire: ((row: Int32Array, length: number, event: number) => boolean) | undefined,
    private readonly corruptions: (nodes: readonly number[], environment: number) => readonly Corrupted[],
  ) {
    this.content = 1 + nodes;
  }

  /** Finds all successors of the state in `row`. */
  expand(row: Int32Array, length: number): void {
    this.count = 0;
    this.group = 0;
    this.deliveries(row, length);
    this.localEvents(row, length);
    if (!this.environments.still) this.environmentMoves(row, length);
  }

  private deliveries(row: Int32Array, length: number): void {
    const { steps, packets, environments } = this;
    const lanes = packets.lane.data;
    const receivers = packets.to.data;
    let previous = -1;
    for (let i = this.content; i < length; i++) {
      const packet = row[i]!;
      const lane = lanes[packet]!;
      if (lane === previous) continue;
      previous = lane;
      const node = receivers[packet]!;
      const removed = this.lasting ? KEEP : i;
      this.label(DELIVER, packet, 2 * lane);
      if (!environments.still && environments.isCrashed(row[0]!, node)) this.takeNone(row, length, removed, row[0]!, NO_CHANNELS);
      else this.take(row, length, node, steps.ofPacket(row[1 + node]!, packet), removed, row[0]!, NO_CHANNELS);
    }
  }

  private localEvents(row: Int32Array, length: number): void {
    const { steps, environments } = this;
    for (let node = 0; node < this.nodes; node++) {
      const isCrashed = !environments.still && environments.isCrashed(row[0]!, node);
      const local = row[1 + node]!;
      const enabled = steps.enabled(local);
      for (let i = 0; i < enabled.length; i++) {
        const event = enabled[i]!;
        if (isCrashed && !steps.events.isReaction(event)) continue;
        if (this.mayFire && !this.mayFire(row, length, event)) continue;
        this.label(LOCAL, event, steps.events.isOptional(event) ? OPTIONAL : 2 * event + 1);
        const step = isCrashed ? steps.ofIgnored(local, event) : steps.ofEvent(local, event);
        this.take(row, length, node, step, KEEP, row[0]!, NO_CHANNELS);
      }
    }
  }

  private environmentMoves(row: Int32Array, length: number): void {
    const { steps, environments } = this;
    const environment = row[0]!;
    const moves = environments.moves(environment);
    for (let i = 0; i < moves.length; i++) {
      const move = moves[i]!;
      const { kind, notified, next, purged } = move;
      if (move.atRest && length !== this.content) continue;
      if (kind === 'corrupt') {
        this.corrupt(row, length, i, move);
        continue;
      }
      if (move.ifAccepted !== -1 && steps.accepts(row[1 + move.node]!, move.ifAccepted) !== move.accepted) continue;
      const [first, second] = notified;
      this.label(kind === 'command' ? SCRIPT : LINK, i, kind === 'notification' && first ? 2 * first.event + 1 : OPTIONAL);
      if (!first) {
        this.takeNone(row, length, KEEP, next, purged);
        continue;
      }
      const step = steps.ofEvent(row[1 + first.node]!, first.event);
      if (second) this.takeBoth(row, length, notified, step, next, purged);
      else this.take(row, length, first.node, step, KEEP, next, purged);
    }
    const lost = environments.afterLoss(environment);
    const duplicated = environments.afterDouble(environment);
    if (lost === -1 && duplicated === -1) return;
    for (let i = this.content; i < length; i++) {
      const packet = row[i]!;
      if (i > this.content && packet === row[i - 1]) continue;
      if (lost !== -1) this.applyFault(LOSE, row, length, i, lost);
      if (duplicated !== -1) this.applyFault(DOUBLE, row, length, i, duplicated);
    }
  }

  /** Sets the kind, subject and action of the next successors. */
  private label(kind: number, subject: number, action: number): void {
    this.kind = kind;
    this.subject = subject;
    this.action = action;
  }

  /** Adds one successor for each outcome of a node's step. */
  private take(
    row: Int32Array,
    length: number,
    node: number,
    step: number,
    removed: number,
    environment: number,
    purged: readonly number[],
  ): void {
    const { steps, environments } = this;
    const first = steps.first.data[step]!;
    const end = first + steps.count.data[step]!;
    for (let outcome = first; outcome < end; outcome++) {
      const begin = this.begins[this.count]!;
      const next = environments.isDemanding
        ? environments.after(environment, node, steps.details[outcome]!.emitted)
        : environment;
      this.reserve(begin + length + steps.sentCount.data[outcome]!);
      const at = this.copy(row, length, removed, next, purged);
      this.rows[begin + 1 + node] = steps.next.data[outcome]!;
      this.close(this.post(begin, at, next, outcome), outcome, -1);
    }
    this.group++;
  }

  /** Adds the successors of a change that two nodes are notified of, one after the other, before anything else happens. */
  private takeBoth(
    row: Int32Array,
    length: number,
    [one, other]: Move['notified'],
    step: number,
    environment: number,
    purged: readonly number[],
  ): void {
    const { steps } = this;
    const otherStep = steps.ofEvent(row[1 + other!.node]!, other!.event);
    for (let i = 0; i < steps.count.data[step]!; i++) {
      for (let j = 0; j < steps.count.data[otherStep]!; j++) {
        const [outcome, second] = [steps.first.data[step]! + i, steps.first.data[otherStep]! + j];
        const begin = this.begins[this.count]!;
        this.reserve(begin + length + steps.sentCount.data[outcome]! + steps.sentCount.data[second]!);
        const at = this.copy(row, length, KEEP, environment, purged);
        this.rows[begin + 1 + one!.node] = steps.next.data[outcome]!;
        this.rows[begin + 1 + other!.node] = steps.next.data[second]!;
        this.close(this.post(begin, this.post(begin, at, environment, outcome), environment, second), outcome, second);
      }
    }
    this.group++;
  }

  /** Puts the messages that a step sends in flight. Takes and returns the end of the row. */
  private post(begin: number, end: number, environment: number, outcome: number): number {
    const { steps, environments } = this;
    const first = steps.sentAt.data[outcome]!;
    const last = first + steps.sentCount.data[outcome]!;
    let at = end;
    for (let i = first; i < last; i++) {
      const outgoing = steps.sent.data[i]!;
      const packet = environments.isRouted ? outgoing : environments.packet(environment, outgoing);
      if (packet !== -1) at = this.insert(begin, at, packet);
    }
    return at;
  }

  /** Adds a successor for a transition in which no node takes a step. */
  private takeNone(row: Int32Array, length: number, removed: number, environment: number, purged: readonly number[]): void {
    this.reserve(this.begins[this.count]! + length);
    this.close(this.copy(row, length, removed, environment, purged), -1, -1);
    this.group++;
  }

  /** Adds every result of a corruption of some nodes and of the channels between them. */
  private corrupt(row: Int32Array, length: number, subject: number, { nodes, next, purged }: Move): void {
    for (const { locals, packets } of this.corruptions(nodes, next)) {
      const begin = this.begins[this.count]!;
      this.reserve(begin + length + packets.length);
      this.label(LINK, subject, OPTIONAL);
      let end = this.copy(row, length, KEEP, next, purged);
      locals.forEach((local, i) => (this.rows[begin + 1 + nodes[i]!] = local));
      for (const packet of packets) end = this.insert(begin, end, packet);
      this.close(end, -1, -1);
      this.group++;
    }
  }

  /** Adds the loss or duplication of a message. */
  private applyFault(kind: number, row: Int32Array, length: number, at: number, environment: number): void {
    const begin = this.begins[this.count]!;
    this.reserve(begin + length + 1);
    this.label(kind, at, OPTIONAL);
    let end = this.copy(row, length, kind === LOSE ? at : KEEP, environment, NO_CHANNELS);
    if (kind === DOUBLE) end = this.insert(begin, end, row[at]!);
    this.close(end, -1, -1);
    this.group++;
  }

  /** Copies the state without one packet or one channel's packets, and returns the end of the copy. */
  private copy(row: Int32Array, length: number, removed: number, environment: number, purged: readonly number[]): number {
    const { rows, content } = this;
    let at = this.begins[this.count]!;
    rows[at++] = environment;
    for (let i = 1; i < content; i++) rows[at++] = row[i]!;
    for (let i = content; i < length; i++) {
      if (i === removed) continue;
      if (purged.length > 0 && purged.includes(this.packets.channel.data[row[i]!]!)) continue;
      rows[at++] = row[i]!;
    }
    return at;
  }

  /** Inserts a packet after the others of its lane. Takes and returns the end of the row. */
  private insert(begin: number, end: number, packet: number): number {
    const { rows } = this;
    const lanes = this.packets.lane.data;
    const lane = lanes[packet]!;
    const content = begin + this.content;
    if (this.lasting && rows.subarray(content, end).includes(packet)) return end;
    let at = end;
    while (at > content && lanes[rows[at - 1]!]! > lane) {
      rows[at] = rows[at - 1]!;
      at--;
    }
    rows[at] = packet;
    return end + 1;
  }

  private close(end: number, outcome: number, second: number): void {
    const index = this.count++;
    this.times?.renumber(this.rows, this.begins[index]!, end);
    this.kinds[index] = this.kind;
    this.subjects[index] = this.subject;
    this.outcomes[index] = outcome;
    this.seconds[index] = second;
    this.actions[index] = this.action;
    this.groups[index] = this.group;
    this.begins[index + 1] = end;
  }

  private reserve(length: number): void {
    if (length > this.rows.length) this.rows = grown(this.rows, length);
    if (this.count + 2 <= this.begins.length) return;
    this.begins = grown(this.begins, this.count + 2);
    const room = this.begins.length;
    this.kinds = grown(this.kinds, room);
    this.subjects = grown(this.subjects, room);
    this.outcomes = grown(this.outcomes, room);
    this.seconds = grown(this.seconds, room);
    this.actions = grown(this.actions, room);
    this.groups = grown(this.groups, room);
  }
}
