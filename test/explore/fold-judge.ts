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
const TRIED = 1 << 12;
const STEPS_MAX = 1 << 21;

const UNKNOWN = -1;

export class FoldJudge {
  private readonly totals: Totals<unknown, unknown>;
  private readonly properties: (readonly [Property, Folded])[] = [];
  private readonly answers: boolean[] = [];
  private isWholeRead = false;
  /** The state of the totals: local states, channels and packets. */
  private readonly locals: Int32Array;
  private channels: readonly ChannelState[] = [];
  private packets = new Int32Array(0);
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
    const place = this.properties.push([property, folded]) - 1;
    if (place === REMEMBERED) this.steps = undefined;
    return () => this.answers[place]!;
  }

  enter(row: Int32Array, begin: number, length: number): void {
    const { properties, answers } = this;
    // An error of a fact is an error of the first property.
    let [current] = properties[0]!;
    try {
      const leaf = this.steps ? this.leafOf(this.steps, row, begin, length) : UNKNOWN;
      const known = leaf === UNKNOWN ? UNKNOWN : this.known.data[leaf]!;
      if (known !== UNKNOWN) {
        for (let i = 0; i < properties.length; i++) answers[i] = ((known >>> i) & 1) === 1;
        return;
      }
      this.goTo(row, begin, begin + length);
      this.isWholeRead = false;
      this.judged++;
      let bits = 0;
      for (const [i, [property, folded]] of properties.entries()) {
        current = property;
        answers[i] = truth(folded.holds(this.totals, this.configuration), 'holds');
        if (answers[i]) bits |= 1 << i;
      }
      if (leaf !== UNKNOWN && !this.isWholeRead) this.known.data[leaf] = bits;
    } catch (error) {
      failed(current, error);
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
   * Most packets stay the same. The first ones that do, and the last ones if their order is not significant, are left out. If it is,
   * all packets of a changed lane are recomputed: a total that subtracts the last one may remove an equal one before it.
   */
  private updateFlights(row: Int32Array, begin: number, end: number): void {
    const { totals, flights, model } = this;
    if (this.packets.length < end - begin) this.packets = grown(this.packets, end - begin);
    const { packets } = this;
    let [first, last, until] = [0, this.inFlight, end];
    while (first < last && begin + first < end && packets[first] === row[begin + first]) first++;
    if (first === last && begin + first === end) return;
    if (this.fold.isOrdered) {
      const { data: laneOf } = model.packets.lane;
      const lane = laneOf[packets[first - 1]!];
      while (first > 0 && laneOf[packets[first - 1]!] === lane) first--;
    } else for (; last > first && until > begin + first && packets[last - 1] === row[until - 1]; last--) until--;
    // Subtract first, so that no total ever counts more than there is.
    for (let i = first; i < last; i++) totals.flight(flights.get(packets[i]!), -1);
    for (let i = begin + first; i < until; i++) totals.flight(flights.get(row[i]!), 1);
    packets.set(row.subarray(begin + first, end), first);
    this.inFlight = end - begin;
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
