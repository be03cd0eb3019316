/**
 * The properties along a search: each new state is looked at once, as the protocol's properties see it.
 *
 * `always` and `closed` are decided here, state by state and transition by transition. Of `eventually` and `converges` this only notes
 * where something is owed; what becomes of it on fair runs is decided on the whole graph (`liveness.ts`).
 */
import type { NodeId } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import type { Configuration, Flight, Folded, Instance, LinksView, NodeView, Property } from '../../machines/protocol.js';
import { grown } from './ints.js';
import type { Model } from './model.js';
import { Planes } from './planes.js';
import { SearchSums } from './sums.js';

/** A property that judges a state by itself. */
export type Judging = Exclude<Property<any>, { readonly kind: 'eventually' }>;

/** A promise that can be broken only by a run without end: it is owed in the states of its plane. */
export interface Debt {
  readonly property: Extract<Property<any>, { readonly kind: 'eventually' | 'converges' }>;
  /** The place of the node to which it is owed; -1 for the whole system. */
  readonly node: number;
  readonly plane: number;
}

export interface FoundViolation {
  readonly property: Property<any>;
  readonly state: number;
  /** The state before, where a transition breaks it. */
  readonly from?: number;
}

const asksOf = (property: Property<any>) => (property.kind === 'eventually' ? property.ofNode : undefined);

const foldOf = (property: Property<any>): Folded | undefined => ('folded' in property ? property.folded : undefined);

/** A property as a state is asked for it: a fold by its totals. */
interface Asked {
  readonly property: Judging;
  readonly folded: Folded | undefined;
  readonly totals: unknown;
}

const KINDS: readonly Property<any>['kind'][] = ['always', 'sometimes', 'eventually', 'closed', 'converges'];

/** What one of several threads has found out about its states. Properties are known by their places in the list. */
export interface Findings {
  readonly violated: readonly [property: number, state: number] | undefined;
  readonly witnessed: readonly (readonly [property: number, state: number])[];
}

export class SearchWatch {
  /** The first property found violated, and the state in which, after the transition from its parent where that matters. */
  violated: FoundViolation | undefined;
  /** The first state in which each `sometimes` held. */
  readonly witnessed = new Map<Property<any>, number>();
  /** `eventually` of which something was ever asked, `closed` that ever held. */
  readonly relevant = new Set<Property<any>>();
  readonly debts: readonly Debt[];
  readonly owed: Planes;
  /** The planes of promises that states break among others in which nothing is owed. */
  readonly everywhere: Int32Array;
  /** The properties that judge states one by one. */
  readonly judgings: readonly Judging[];
  private readonly held: Planes;
  private asked: Property<any> | undefined;
  private readonly always: readonly Asked[];
  private readonly closed: readonly Asked[];
  private readonly sometimes: readonly Asked[];
  private readonly goalAsked: Asked | undefined;
  private readonly goals: Planes;
  /** For properties that are folds. */
  private readonly sums: SearchSums;
  /** The debts of promises that ask of a node's state alone, and for each local state that was asked the words of planes that it is in. */
  private readonly ofNodes: readonly Debt[];
  private planesOf = new Int32Array(1 << 8);
  private isKnown = new Uint8Array(1 << 8);
  private readonly others: readonly Debt[];
  private readonly converging: ReadonlyMap<Property<any>, Asked>;
  private readonly nodes: number;
  /** The state that is looked at. */
  private row: Int32Array = new Int32Array(0);
  private begin = 0;
  private length = 0;
  private whole: Configuration | undefined;
  /** What properties see of it. */
  private readonly configuration = (): Configuration =>
    (this.whole ??= this.model.configuration(this.row, this.begin, this.length));

  constructor(
    readonly properties: readonly Property<any>[],
    /** What every state must be able to lead to. */
    readonly goal: Judging | undefined,
    private readonly model: Model,
  ) {
    for (const { name, kind } of properties) {
      if (!KINDS.includes(kind))
        throw new ProtocolError(`property "${name}" has kind "${kind}"; the kinds are ${KINDS.join(', ')}`);
    }
    this.sums = new SearchSums(
      [...properties, ...(goal ? [goal] : [])].flatMap((property) => foldOf(property)?.over ?? []),
      model,
    );
    const asked = (property: Judging): Asked => {
      const folded = foldOf(property);
      return { property, folded, totals: folded && this.sums.of(folded.over) };
    };
    const ofKind = (kind: Judging['kind']) =>
      properties.filter((property): property is Judging => property.kind === kind).map(asked);
    this.always = ofKind('always');
    this.closed = ofKind('closed');
    this.sometimes = ofKind('sometimes');
    this.goalAsked = goal && asked(goal);
    const judgings = [...this.always, ...this.closed, ...this.sometimes, ...(this.goalAsked ? [this.goalAsked] : [])];
    this.judgings = judgings.map(({ property }) => property);
    this.converging = new Map(ofKind('converges').map((one) => [one.property, one]));
    this.debts = properties.flatMap((property) => debtsOf(property, model)).map((debt, plane) => ({ ...debt, plane }));
    this.ofNodes = this.debts.filter(({ property }) => asksOf(property) !== undefined);
    this.others = this.debts.filter(({ property }) => asksOf(property) === undefined);
    this.nodes = model.system.nodes.length;
    this.goals = new Planes(goal ? 1 : 0);
    this.owed = new Planes(this.debts.length);
    this.everywhere = new Int32Array(this.owed.words);
    for (const { property, plane } of this.debts)
      if (property.kind === 'converges') this.everywhere[plane >> 5]! |= 1 << (plane & 31);
    this.held = new Planes(this.closed.length);
  }

  /** Looks at a new state. */
  enter(state: number, row: Int32Array, begin: number, length: number): void {
    if (this.properties.length === 0 && !this.goal) return;
    this.goals.add();
    this.owed.add();
    this.held.add();
    this.turnTo(row, begin, length);
    try {
      this.sums.goTo(row, begin, length);
      this.look(state);
      this.lookAtDebts(state);
    } catch (error) {
      this.fail(error as Error);
    }
    this.model.packets.checkSenders();
  }

  private turnTo(row: Int32Array, begin: number, length: number): void {
    this.row = row;
    this.begin = begin;
    this.length = length;
    this.whole = undefined;
  }

  /** The nodes to which a promise is owed. */
  owing(property: Property<any>, isOwed: (debt: Debt) => boolean): readonly NodeId[] {
    const debts = this.debts.filter((debt) => debt.property === property && debt.node >= 0 && isOwed(debt));
    return debts.map(({ node }) => this.model.system.nodes[node]!);
  }

  private judged(judge: () => void): void {
    try {
      judge();
    } catch (error) {
      this.fail(error as Error);
    }
    this.model.packets.checkSenders();
  }

  private fail(error: Error): never {
    throw new ProtocolError(`property "${this.asked!.name}" failed: ${error.message}`, { cause: error });
  }

  private look(state: number): void {
    const { always, closed, sometimes, goalAsked } = this;
    for (let plane = 0; plane < closed.length; plane++) {
      if (!this.holds(closed[plane]!)) continue;
      this.relevant.add(closed[plane]!.property);
      this.held.set(state, plane);
    }
    for (let i = 0; i < always.length; i++) if (!this.holds(always[i]!)) this.violate({ property: always[i]!.property, state });
    for (const asked of sometimes) {
      if (state < (this.witnessed.get(asked.property) ?? Infinity) && this.holds(asked))
        this.witnessed.set(asked.property, state);
    }
    if (goalAsked && this.holds(goalAsked)) this.goals.set(state, 0);
  }

  private holds({ property, folded, totals }: Asked): boolean {
    this.asked = property;
    return truth(folded ? folded.holds(totals as never, this.configuration) : property.holds(this.configuration()), 'holds');
  }

  private lookAtDebts(state: number): void {
    const { owed, others, row, begin } = this;
    if (this.ofNodes.length > 0) {
      const { bits, words } = owed;
      for (let node = 0; node < this.nodes; node++) {
        const local = row[begin + 1 + node]!;
        if (this.isKnown[local] !== 1) this.askLocal(local);
        for (let word = 0; word < words; word++) bits[state * words + word]! |= this.planesOf[local * words + word]!;
      }
    }
    for (let i = 0; i < others.length; i++) if (this.isOwed(others[i]!)) owed.set(state, others[i]!.plane);
  }

  /** Notes the planes of the promises that are owed to the node of a local state. */
  private askLocal(local: number): void {
    const { node, view } = this.model.steps.locals.get(local);
    const { words } = this.owed;
    if (local >= this.isKnown.length) this.isKnown = grown(this.isKnown, local + 1);
    if ((local + 1) * words > this.planesOf.length) this.planesOf = grown(this.planesOf, (local + 1) * words);
    for (const { property, node: to, plane } of this.ofNodes) {
      if (to !== node) continue;
      this.asked = property;
      const { when, holds } = asksOf(property)!(view);
      if (!truth(when, 'when')) continue;
      this.relevant.add(property);
      if (!truth(holds, 'holds')) this.planesOf[local * words + (plane >> 5)]! |= 1 << (plane & 31);
    }
    this.isKnown[local] = 1;
  }

  /** True if transitions matter, and not states alone. */
  get closes(): boolean {
    return this.closed.length > 0;
  }

  /** Looks at a transition that is not a fault: what was closed must not be left. */
  pass(from: number, to: number): void {
    for (let plane = 0; plane < this.closed.length; plane++) {
      if (!this.held.has(from, plane) || this.held.has(to, plane)) continue;
      this.violated ??= { property: this.closed[plane]!.property, state: to, from };
    }
  }

  /** True if what a property says depends on the state at all. */
  looksAnywhere(property: Exclude<Property<any>, { readonly kind: 'eventually' }>, c: Configuration): boolean {
    const looking = new ObservedConfiguration(c);
    this.asked = property;
    this.judged(() => property.holds(looking));
    return looking.hasLooked;
  }

  /** What was found out about the states judged here, for whoever puts it together. */
  findings(): Findings {
    const { properties, violated } = this;
    const witnessed = [...this.witnessed].map(([property, state]) => [properties.indexOf(property), state] as const);
    return { violated: violated && [properties.indexOf(violated.property), violated.state], witnessed };
  }

  /** Takes in what was found out elsewhere about other states of the same search. */
  absorb({ witnessed, violated }: Findings): void {
    const { properties } = this;
    if (violated) this.violate({ property: properties[violated[0]]!, state: violated[1] });
    for (const [place, state] of witnessed) {
      const known = this.witnessed.get(properties[place]!) ?? Infinity;
      this.witnessed.set(properties[place]!, Math.min(state, known));
    }
  }

  /** Forgets what was found out about states that one thread would not have come to. */
  forgetFrom(state: number): void {
    if (this.violated && this.violated.state >= state) this.violated = undefined;
    for (const [property, witness] of this.witnessed) if (witness >= state) this.witnessed.delete(property);
  }

  /** The first state in the order of the search counts, and of its properties the first. */
  private violate(found: FoundViolation): void {
    if (!this.violated || found.state < this.violated.state) this.violated = found;
  }

  /** True if the goal that was given holds in a state. */
  atGoal(state: number): boolean {
    return this.goals.has(state, 0);
  }

  private isOwed({ property, node }: Debt): boolean {
    if (property.kind === 'converges') return !this.holds(this.converging.get(property)!);
    this.asked = property;
    const c = this.configuration();
    const id = this.model.system.nodes[node]!;
    if (!truth(property.when(c, id), 'when')) return false;
    this.relevant.add(property);
    return !truth(property.holds(c, id), 'holds');
  }
}

/** A configuration that records whether anything in it was read. */
class ObservedConfiguration implements Configuration {
  readonly instance: Instance;
  hasLooked = false;

  constructor(private readonly whole: Configuration) {
    this.instance = whole.instance;
  }

  get nodes(): ReadonlyMap<NodeId, NodeView> {
    this.hasLooked = true;
    return this.whole.nodes;
  }

  get flights(): readonly Flight[] {
    this.hasLooked = true;
    return this.whole.flights;
  }

  get links(): LinksView {
    this.hasLooked = true;
    return this.whole.links;
  }
}

/** What is neither true nor false, as a promise or nothing at all, must not pass for an answer. */
function truth(answer: boolean, of: 'holds' | 'when'): boolean {
  if (typeof answer === 'boolean') return answer;
  throw new TypeError(`"${of}" gives ${describe(answer)}; it must give true or false`);
}

const describe = (value: unknown): string => (value instanceof Promise ? 'a promise' : String(value));

function debtsOf(property: Property<any>, { system }: Model): readonly Omit<Debt, 'plane'>[] {
  if (property.kind === 'eventually') return system.nodes.map((_, node) => ({ property, node }));
  return property.kind === 'converges' ? [{ property, node: -1 }] : [];
}
