/**
 * A predicate on states that is called once for each combination of what it reads.
 *
 * The first call records what the predicate reads, in order: roles of nodes, whole nodes, and the environment. Each of these is a number.
 * A tree of these reads then answers for all other states that agree in them. If the predicate reads messages, it is called for each state.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Configuration, Flight, Instance, LinksView, NodeView } from '../../machines/protocol.js';
import { KeyNumbers, PairMap } from './ints.js';
import { plainKeyOf } from './json.js';
import type { Locals } from './locals.js';
import type { Model } from './model.js';

/** Answers, and the mark of a predicate that has to be called. Greater numbers are reads. */
const NO = 0;
const YES = 1;
const CALL = 2;
const UNKNOWN = -1;

/** The maximum of recorded numbers, so that memory is bounded. Beyond it, each unknown combination calls the predicate. */
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
  private readonly reads: Read[] = [NO, YES, CALL].map(() => ({ place: ENVIRONMENT, aspect: undefined }));
  /** For each read and the number found there, the next read or the answer. */
  private readonly next = new PairMap();

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
    let at = this.root;
    while (at > CALL) at = this.next.get(at, numberOf(this.reads[at]!, row, begin));
    if (at === CALL || (at === UNKNOWN && this.next.size >= LINKS_MAX)) return this.predicate(whole());
    return at === UNKNOWN ? this.learn(row.slice(begin, begin + length)) : at === YES;
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
