/**
 * A predicate on states that is called once for each combination of what it reads.
 *
 * Roles of nodes and environments are numbers, so a combination is a few numbers. The first call records what the predicate reads, in
 * order: roles, whole nodes, and the environment. A tree of these reads then answers for all other states that agree in them. If the
 * predicate reads messages, it is called for each state.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Configuration, Flight, Instance, LinksView, NodeView } from '../../machines/protocol.js';
import { Ints, grown, PairMap } from './ints.js';
import { plainKeyOf } from './json.js';
import type { Locals } from './locals.js';
import type { Model } from './model.js';

/** Answers, and the mark of a predicate that has to be called. Greater numbers are reads. */
const NO = 0;
const YES = 1;
const CALL = 2;
const UNKNOWN = -1;

/** No further reads are recorded beyond this number, so that memory is bounded. */
const READS_MAX = 1 << 20;

/** The place of the environment in a row. The local state of each node follows. */
const ENVIRONMENT = 0;

/** Marks the read of a whole number of a row, instead of a role. */
const WHOLE = -1;

/** A place of a row that was read: all of it, or one role. */
interface Read {
  readonly place: number;
  readonly role: number;
}

export class Decision {
  private root = UNKNOWN;
  private readonly places = new Ints();
  private readonly roles = new Ints();
  /** For each read and the number found there, the next read or the answer. */
  private readonly next = new PairMap();

  constructor(
    private readonly model: Model,
    private readonly numbers: RoleNumbers,
    private readonly predicate: (c: Configuration) => boolean,
  ) {
    // The first read has the number after the marks.
    while (this.places.length <= CALL) this.push({ place: ENVIRONMENT, role: WHOLE });
  }

  /** True if the predicate has given an answer without reading anything of a state. */
  get isConstant(): boolean {
    return this.root === NO || this.root === YES;
  }

  /** The answer for a state. `whole` is called if the predicate reads its messages. */
  of(row: Int32Array, begin: number, length: number, whole: () => Configuration): boolean {
    let at = this.root;
    while (at > CALL) at = this.next.get(at, this.numberAt(at, row, begin));
    if (at === CALL) return this.predicate(whole());
    return at === UNKNOWN ? this.learn(row.slice(begin, begin + length)) : at === YES;
  }

  private numberAt(read: number, row: Int32Array, begin: number): number {
    const number = row[begin + this.places.data[read]!]!;
    const role = this.roles.data[read]!;
    return role === WHOLE ? number : this.numbers.of(role, number);
  }

  /** Calls the predicate and records what it reads. */
  private learn(row: Int32Array): boolean {
    const reading = new ReadConfiguration(this.model, this.numbers, row);
    const answer = this.predicate(reading);
    if (this.places.length + reading.reads.length > READS_MAX) return answer;
    // Reads that an earlier call has recorded are followed; the others are appended.
    let [before, number] = [UNKNOWN, 0];
    for (const read of reading.reads) {
      let at = before === UNKNOWN ? this.root : this.next.get(before, number);
      if (at <= CALL) this.link(before, number, (at = this.push(read)));
      [before, number] = [at, this.numberAt(at, row, 0)];
    }
    this.link(before, number, reading.hasReadFlights ? CALL : answer ? YES : NO);
    return answer;
  }

  private push({ place, role }: Read): number {
    this.places.push(place);
    return this.roles.push(role);
  }

  private link(read: number, number: number, to: number): void {
    if (read === UNKNOWN) this.root = to;
    else this.next.set(read, number, to);
  }
}

/** Numbers of roles in their states. Roles with equal charts, states and contexts have the same number, whatever their node. */
export class RoleNumbers {
  private readonly known = new Map<string, number>();
  private readonly numbers = new Map<string, number>();
  private readonly keys: ((view: NodeView) => string)[] = [];
  /** For each role, the number of its state in each local state, plus 1. */
  private readonly states: Int32Array[] = [];

  constructor(private readonly locals: Locals) {}

  /** The state of a role. */
  role(name: string): number {
    return this.aspect(`role ${name}`, (view) => {
      const role = view[name];
      return role ? `${role.chart} ${plainKeyOf(role.value)} ${plainKeyOf(role.context)}` : '';
    });
  }

  /** The presence of a role. */
  presence(name: string): number {
    return this.aspect(`has ${name}`, (view) => String(name in view));
  }

  private aspect(name: string, key: (view: NodeView) => string): number {
    let aspect = this.known.get(name);
    if (aspect === undefined) {
      this.known.set(name, (aspect = this.keys.push(key) - 1));
      this.states.push(new Int32Array(1 << 8));
    }
    return aspect;
  }

  of(role: number, local: number): number {
    const known = this.states[role]![local];
    return known ? known - 1 : this.find(role, local);
  }

  private find(role: number, local: number): number {
    const key = this.keys[role]!(this.locals.get(local).view);
    const number = this.numbers.get(key) ?? this.numbers.size;
    this.numbers.set(key, number);
    if (local >= this.states[role]!.length) this.states[role] = grown(this.states[role]!, local + 1);
    this.states[role]![local] = number + 1;
    return number;
  }
}

/** A configuration that records what is read of it, each place once. */
class ReadConfiguration implements Configuration {
  readonly instance: Instance;
  readonly nodes: ReadonlyMap<NodeId, NodeView>;
  readonly reads: Read[] = [];
  hasReadFlights = false;

  constructor(
    private readonly model: Model,
    private readonly numbers: RoleNumbers,
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
    this.read(ENVIRONMENT, WHOLE);
    return this.row[ENVIRONMENT]!;
  }

  /** A view that records which roles are read. To list the roles reads the whole node. */
  private recorded(place: number, view: NodeView): NodeView {
    const { numbers } = this;
    const read = (name?: string | symbol) => this.read(place, typeof name === 'string' ? numbers.role(name) : WHOLE);
    return new Proxy(view, {
      get: (_, name) => (read(name), Reflect.get(view, name)),
      has: (_, name) => (this.read(place, typeof name === 'string' ? numbers.presence(name) : WHOLE), Reflect.has(view, name)),
      getOwnPropertyDescriptor: (_, name) => (read(name), Reflect.getOwnPropertyDescriptor(view, name)),
      ownKeys: () => (read(), Reflect.ownKeys(view)),
    });
  }

  private read(place: number, role: number): void {
    if (!this.reads.some((read) => read.place === place && (read.role === role || read.role === WHOLE)))
      this.reads.push({ place, role });
  }
}
