/**
 * A predicate on states that is called once for each combination of what it reads.
 *
 * The first call records what the predicate reads, in order: roles of nodes, whole nodes, and the environment. Each of these is a number.
 * A tree of these reads then answers for all other states that agree in them. If the predicate reads messages, or if many states differ in
 * what it reads, it is called for each state.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Configuration, Flight, Instance, LinksView, NodeView } from '../../machines/protocol.js';
import { grown, KeyNumbers, PairMap } from './ints.js';
import { plainKeyOf } from './json.js';
import type { Locals } from './locals.js';
import type { Model } from './model.js';

/** Answers, and the mark of a predicate that has to be called. Greater numbers are reads. */
const UNKNOWN = 0;
const NO = 1;
const YES = 2;
const CALL = 3;

/** Recording takes several times as long as a call: beyond the first ones, at most one of this many answers is recorded. */
const LEARNED = 64;
const WORTH = 8;

/** The maximum of recorded numbers, so that memory is bounded. */
const LINKS_MAX = 1 << 20;

/** The place of the environment in a row. The local state of each node follows. */
const ENVIRONMENT = 0;

/** A number of a row that was read, or only a part of the local state with this number. */
interface Read {
  readonly place: number;
  readonly aspect: KeyNumbers | undefined;
}

const numberOf = ({ place, aspect }: Read, row: Int32Array, begin: number): number =>
  aspect ? aspect.of(row[begin + place]!) : row[begin + place]!;

export class Decision {
  private root = UNKNOWN;
  private readonly reads: Read[] = [UNKNOWN, NO, YES, CALL].map(() => ({ place: ENVIRONMENT, aspect: undefined }));
  /** For each read and the number found there, the next read or the answer. */
  private next = new PairMap();
  /** The place that the predicate reads first, and for each number there, the first read of another place or the answer. */
  private place = ENVIRONMENT;
  private branches = new Int32Array(1 << 8);
  private tried = 0;
  private learned = 0;

  constructor(
    private readonly model: Model,
    private readonly aspects: Aspects,
    private readonly predicate: (c: Configuration) => boolean,
  ) {}

  /** True if the predicate has given an answer without reading anything of a state. */
  get isConstant(): boolean {
    return this.root === NO || this.root === YES;
  }

  /** The answer for a state. `whole` is called if the predicate reads its messages. */
  of(row: Int32Array, begin: number, length: number, whole: () => Configuration): boolean {
    this.tried++;
    let at = this.branches[row[begin + this.place]!] || this.branch(row, begin);
    while (at > CALL) at = this.after(at, row, begin);
    if (at === UNKNOWN) return this.learn(row.slice(begin, begin + length));
    return at === CALL ? this.predicate(whole()) : at === YES;
  }

  /** The next read or the answer after a read. */
  private after(read: number, row: Int32Array, begin: number): number {
    return Math.max(UNKNOWN, this.next.get(read, numberOf(this.reads[read]!, row, begin)));
  }

  /** Finds what follows the reads of the first place. */
  private branch(row: Int32Array, begin: number): number {
    const number = row[begin + this.place]!;
    let at = this.root;
    while (at > CALL && this.reads[at]!.place === this.place) at = this.after(at, row, begin);
    if (number >= this.branches.length) this.branches = grown(this.branches, number + 1);
    return (this.branches[number] = at);
  }

  /** Calls the predicate and records what it reads. */
  private learn(row: Int32Array): boolean {
    const reading = new ReadConfiguration(this.model, this.aspects, row);
    const answer = this.predicate(reading);
    // Reads that an earlier call has recorded are followed; the others are appended.
    let [before, number] = [UNKNOWN, 0];
    for (const read of reading.reads) {
      let at = before === UNKNOWN ? this.root : this.next.get(before, number);
      if (at <= CALL) this.link(before, number, (at = this.reads.push(read) - 1));
      [before, number] = [at, numberOf(this.reads[at]!, row, 0)];
    }
    this.link(before, number, reading.hasReadFlights ? CALL : answer ? YES : NO);
    if (++this.learned > LEARNED + this.tried / WORTH || this.next.size > LINKS_MAX) {
      this.root = CALL;
      this.branches.fill(UNKNOWN);
      this.next = new PairMap();
    }
    this.place = this.reads[this.root]!.place;
    return answer;
  }

  private link(read: number, number: number, to: number): void {
    if (read === UNKNOWN) this.root = to;
    else this.next.set(read, number, to);
  }
}

/** Numbers of parts of local states that predicates read: the state of a role, or its presence. */
export class Aspects {
  private readonly known = new Map<string, KeyNumbers>();

  constructor(private readonly locals: Locals) {}

  state = (name: string): KeyNumbers =>
    this.of(`state ${name}`, ({ [name]: role }) =>
      role ? `${role.chart} ${plainKeyOf(role.value)} ${plainKeyOf(role.context)}` : '',
    );

  presence = (name: string): KeyNumbers => this.of(`presence ${name}`, (view) => name in view);

  private of(name: string, keyOf: (view: NodeView) => unknown): KeyNumbers {
    const numbers = this.known.get(name) ?? new KeyNumbers((local) => keyOf(this.locals.get(local).view));
    this.known.set(name, numbers);
    return numbers;
  }
}

/** A configuration that records what is read of it. */
class ReadConfiguration implements Configuration {
  readonly instance: Instance;
  readonly nodes: ReadonlyMap<NodeId, NodeView>;
  readonly reads: Read[] = [];
  hasReadFlights = false;

  constructor(
    private readonly model: Model,
    private readonly aspects: Aspects,
    private readonly row: Int32Array,
  ) {
    const { system, steps } = model;
    this.instance = system.instance;
    this.nodes = new Map(system.nodes.map((id, node) => [id, this.recorded(1 + node, steps.locals.get(row[1 + node]!).view)]));
  }

  get flights(): readonly Flight[] {
    this.hasReadFlights = true;
    return this.model.flights(this.row, 0, this.row.length);
  }

  get links(): LinksView {
    return this.model.environments.links(this.environment);
  }

  get crashed(): readonly NodeId[] {
    return this.model.environments.crashed(this.environment);
  }

  get everCrashed(): readonly NodeId[] {
    return this.model.environments.everCrashed(this.environment);
  }

  private get environment(): number {
    this.reads.push({ place: ENVIRONMENT, aspect: undefined });
    return this.row[ENVIRONMENT]!;
  }

  /** A view that records which roles are read. To list the roles reads the whole node. */
  private recorded(place: number, view: NodeView): NodeView {
    const { reads, aspects } = this;
    const read = (aspect?: KeyNumbers) => {
      if (!reads.some((known) => known.place === place && (known.aspect === aspect || !known.aspect)))
        reads.push({ place, aspect });
    };
    const state = (name: string | symbol) => read(typeof name === 'string' ? aspects.state(name) : undefined);
    return new Proxy(view, {
      get: (_, name) => (state(name), Reflect.get(view, name)),
      has: (_, name) => (read(aspects.presence(String(name))), Reflect.has(view, name)),
      getOwnPropertyDescriptor: (_, name) => (state(name), Reflect.getOwnPropertyDescriptor(view, name)),
      ownKeys: () => (read(), Reflect.ownKeys(view)),
    });
  }
}
