/**
 * Judges the properties of one fold in each state: by its totals, and once for all states with equal facts. Many states of a search differ
 * only in what a fold leaves out, such as a message that it counts like another one.
 */
import { fieldsOf } from '../../machines/checks.js';
import type { Fold, Folded, Totals } from '../../machines/folded.js';
import type { ChannelState, Configuration, Property } from '../../machines/protocol.js';
import { failed, truth } from '../../network/evaluation.js';
import { grown, Ints, KeyNumbers, numberOf, PairMap } from './ints.js';
import type { Model } from './model.js';

/** The answers of this many properties fit into one number. */
const REMEMBERED = 31;

/** After this many states, answers are forgotten if fewer than half of them were known; and there are never more steps. */
const TRIED = 1 << 9;
const STEPS_MAX = 1 << 21;

const UNKNOWN = -1;

/** Greater than each lane. */
const NO_LANE = 0x7fffffff;

export class FoldJudge {
  private readonly totals: Totals<unknown, unknown>;
  private readonly properties: Property[] = [];
  private readonly folded: Folded[] = [];
  private readonly answers: boolean[] = [];
  private isWholeRead = false;
  /** The state of the totals: local states, channels and packets. */
  private readonly locals: Int32Array;
  private channels: readonly ChannelState[] = [];
  private packets = new Int32Array(0);
  private added = new Int32Array(0);
  private inFlight = 0;
  private readonly nodes: Facts;
  private readonly flights: Facts;
  private readonly numbers = new Map<unknown, number>();
  /** The numbers of a state's facts as steps through a tree, and the answers at its leaves. */
  private steps: PairMap | undefined = new PairMap();
  private readonly known = new Ints();
  private tried = 0;
  private judged = 0;
  private sorted = new Int32Array(1 << 5);

  constructor(
    private readonly fold: Fold,
    private readonly model: Model,
    private readonly whole: () => Configuration,
  ) {
    const { system, steps, packets } = model;
    const { nodes, instance } = system;
    this.totals = fold.totals(instance);
    this.locals = new Int32Array(nodes.length).fill(-1);
    this.nodes = new Facts(this.numbers, (local) => {
      const { node, view } = steps.locals.get(local);
      return fold.node(view, nodes[node]!, instance);
    });
    this.flights = new Facts(this.numbers, (packet) => fold.flight(packets.flight(packet), instance));
    this.known.push(UNKNOWN);
  }

  /** Adds a property, and returns its answer in the current state. */
  add(property: Property, folded: Folded): () => boolean {
    const place = this.properties.push(property) - 1;
    this.folded.push(folded);
    if (place === REMEMBERED) this.steps = undefined;
    return () => this.answers[place]!;
  }

  enter(row: Int32Array, begin: number, length: number): void {
    const { folded, totals, answers, configuration } = this;
    // An error of a fact is an error of the first property.
    let current = 0;
    try {
      const leaf = this.steps ? this.leafOf(this.steps, row, begin, length) : UNKNOWN;
      const known = leaf === UNKNOWN ? UNKNOWN : this.known.data[leaf]!;
      if (known !== UNKNOWN) {
        for (let i = 0; i < folded.length; i++) answers[i] = ((known >>> i) & 1) === 1;
        return;
      }
      this.goTo(row, begin, begin + length);
      this.isWholeRead = false;
      this.judged++;
      let bits = 0;
      for (let i = 0; i < folded.length; i++) {
        current = i;
        answers[i] = truth(folded[i]!.holds(totals, configuration), 'holds');
        if (answers[i]) bits |= 1 << i;
      }
      if (leaf !== UNKNOWN && !this.isWholeRead) this.known.data[leaf] = bits;
    } catch (error) {
      failed(this.properties[current]!, error);
    }
  }

  private readonly configuration = (): Configuration => {
    this.isWholeRead = true;
    return this.whole();
  };

  /** The leaf of the tree for the facts of a state. */
  private leafOf(steps: PairMap, row: Int32Array, begin: number, length: number): number {
    this.tried++;
    if ((this.tried === TRIED && 2 * this.judged > TRIED) || steps.size > STEPS_MAX) this.steps = undefined;
    const content = begin + 1 + this.locals.length;
    let at = this.totals.channel ? this.step(steps, 0, numberOf(this.numbers, this.model.environments.channels(row[begin]!))) : 0;
    for (let i = begin + 1; i < content; i++) at = this.step(steps, at, this.nodes.numbers.of(row[i]!));
    if (length > this.sorted.length) this.sorted = grown(this.sorted, length);
    const { sorted } = this;
    const inFlight = begin + length - content;
    for (let i = 0; i < inFlight; i++) {
      const fact = this.flights.numbers.of(row[content + i]!);
      let place = i;
      if (!this.fold.isOrdered) for (; place > 0 && sorted[place - 1]! > fact; place--) sorted[place] = sorted[place - 1]!;
      sorted[place] = fact;
    }
    for (let i = 0; i < inFlight; i++) at = this.step(steps, at, sorted[i]!);
    return at;
  }

  private step(steps: PairMap, at: number, fact: number): number {
    const next = steps.get(at, fact);
    if (next !== -1) return next;
    steps.set(at, fact, this.known.length);
    return this.known.push(UNKNOWN);
  }

  /** Updates the totals: subtracts the facts that are gone and adds the new ones. */
  private goTo(row: Int32Array, begin: number, end: number): void {
    const { locals, totals, nodes } = this;
    if (totals.channel) this.updateChannels(this.model.environments.channels(row[begin]!));
    for (let node = 0; node < locals.length; node++) {
      const local = row[begin + 1 + node]!;
      if (locals[node] === local) continue;
      if (locals[node] !== -1) totals.node(nodes.get(locals[node]!), -1);
      totals.node(nodes.get(local), 1);
      locals[node] = local;
    }
    this.updateFlights(row, begin + 1 + locals.length, end);
  }

  private updateChannels(channels: readonly ChannelState[]): void {
    const before = this.channels;
    this.channels = channels;
    if (channels === before) return;
    channels.forEach((channel, i) => {
      if (before[i]?.up !== channel.up || before[i].port !== channel.port) this.totals.channel!(channel);
    });
  }

  /**
   * Most packets stay the same. Rows are in the order of lanes, so that a merge finds the others. If the order of packets is significant, all
   * packets of a changed lane are recomputed: a total that subtracts the last one may remove an equal one before it.
   */
  private updateFlights(row: Int32Array, begin: number, end: number): void {
    const { totals, flights, fold, model, inFlight } = this;
    if (this.packets.length < end - begin) {
      this.packets = grown(this.packets, end - begin);
      this.added = grown(this.added, end - begin);
    }
    const { packets, added } = this;
    const { data: laneOf } = model.packets.lane;
    let [i, j, count, changed] = [0, begin, 0, NO_LANE];
    // Subtract first, so that no total ever counts more than there is.
    while (i < inFlight || j < end) {
      const before = i < inFlight ? laneOf[packets[i]!]! : NO_LANE;
      const after = j < end ? laneOf[row[j]!]! : NO_LANE;
      if (before === after && before !== changed) {
        if (packets[i] === row[j] && !(fold.isOrdered && this.isChangedAfter(i, row, j, end))) {
          i++;
          j++;
          continue;
        }
        if (fold.isOrdered) changed = before;
      }
      if (before <= after) totals.flight(flights.get(packets[i++]!), -1);
      if (after <= before) added[count++] = row[j++]!;
    }
    for (let k = 0; k < count; k++) totals.flight(flights.get(added[k]!), 1);
    for (let k = begin; k < end; k++) packets[k - begin] = row[k]!;
    this.inFlight = end - begin;
  }

  /** True if two equal packets are followed by different ones in their lane. */
  private isChangedAfter(first: number, row: Int32Array, second: number, end: number): boolean {
    const { packets, inFlight } = this;
    const { data: laneOf } = this.model.packets.lane;
    const lane = laneOf[row[second]!]!;
    for (let i = first + 1, j = second + 1; ; i++, j++) {
      const [isBefore, isAfter] = [i < inFlight && laneOf[packets[i]!] === lane, j < end && laneOf[row[j]!] === lane];
      if (!isBefore || !isAfter) return isBefore !== isAfter;
      if (packets[i] !== row[j]) return true;
    }
  }
}

/** The facts of local states or packets, each computed once, with their numbers. */
class Facts {
  private readonly facts: unknown[] = [];
  readonly numbers: KeyNumbers;

  constructor(
    known: Map<unknown, number>,
    private readonly factOf: (id: number) => unknown,
  ) {
    this.numbers = new KeyNumbers((id) => keyOf(this.get(id)) ?? this.get(id), known);
  }

  get(id: number): unknown {
    return (this.facts[id] ??= this.factOf(id));
  }
}

/** A fact as a key, or `undefined` if it is not plain JSON. Unlike contexts, facts are not frozen: totals may mark them. */
function keyOf(fact: unknown): string | undefined {
  let isPlain = true;
  const key = JSON.stringify(fact, function (this: unknown, name) {
    // As it is, and not as its `toJSON` shows it.
    const value = fieldsOf(this)[name];
    if (typeof value === 'number') isPlain &&= Number.isFinite(value) && !Object.is(value, -0);
    else if (typeof value === 'object' && value !== null)
      isPlain &&= Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
    else isPlain &&= value === null || typeof value === 'string' || typeof value === 'boolean';
    return isPlain ? value : null;
  });
  return isPlain ? key : undefined;
}
