/**
 * The properties along a search: each new state is looked at once, as the protocol's properties see it.
 *
 * `always` and `closed` are decided here, state by state and transition by transition. Of `eventually` and `converges` this only notes
 * where something is owed; what becomes of it on fair runs is decided on the whole graph (`liveness.ts`).
 */
import type { NodeId } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import type { Configuration, Folded, Property } from '../../machines/protocol.js';
import type { Model } from './model.js';
import { Planes } from './planes.js';
import { Looking, type Seen } from './seen.js';
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
  /** Where it is broken by staying there: to whom it is owed. */
  readonly owedTo?: readonly NodeId[];
}

const asksOf = (property: Property<any>) => (property.kind === 'eventually' ? property.ofNode : undefined);

const foldOf = (property: Property<any>): Folded | undefined => ('folded' in property ? property.folded : undefined);

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
  private readonly always: readonly Judging[];
  private readonly closed: readonly Judging[];
  private readonly sometimes: readonly Judging[];
  private readonly goals: Planes;
  /** For properties that are folds. Where it matters what is looked at, properties look at the state itself. */
  private readonly sums: SearchSums;
  /** The debts of promises that ask of a node's state alone, and for each local state the planes that it is in. */
  private readonly ofNodes: readonly Debt[];
  private readonly others: readonly Debt[];
  private readonly nodes: number;
  private readonly planesOf: (Int32Array | undefined)[] = [];

  constructor(
    readonly properties: readonly Property<any>[],
    /** What every state must be able to lead to. */
    readonly goal: Judging | undefined,
    private readonly model: Model,
    /** Where not everything is searched: what properties are known to look at. Promises are judged in states of rest alone. */
    readonly seen?: Seen,
  ) {
    for (const { name, kind } of properties) {
      if (!KINDS.includes(kind))
        throw new ProtocolError(`property "${name}" has kind "${kind}"; the kinds are ${KINDS.join(', ')}`);
    }
    const ofKind = (kind: Judging['kind']) => properties.filter((property): property is Judging => property.kind === kind);
    this.always = ofKind('always');
    // Whether a step leaves something depends on what comes before it.
    this.closed = seen ? [] : ofKind('closed');
    this.sometimes = ofKind('sometimes');
    this.judgings = [...this.always, ...this.closed, ...this.sometimes, ...(goal ? [goal] : [])];
    this.debts = properties.flatMap((property) => debtsOf(property, model)).map((debt, plane) => ({ ...debt, plane }));
    this.ofNodes = this.debts.filter(({ property }) => asksOf(property) !== undefined);
    this.others = this.debts.filter(({ property }) => asksOf(property) === undefined);
    this.nodes = model.system.nodes.length;
    this.sums = new SearchSums(
      seen ? [] : [...properties, ...(goal ? [goal] : [])].flatMap((property) => foldOf(property)?.over ?? []),
      model,
    );
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
    if (!this.seen) {
      let whole: Configuration | undefined;
      return this.judged(() => {
        this.sums.goTo(row, begin, length);
        this.look(
          state,
          () => (whole ??= this.model.configuration(row, begin, length)),
          (node) => row[begin + 1 + node]!,
        );
      });
    }
    const looking = new Looking(this.model.configuration(row, begin, length));
    this.judged(() => this.look(state, () => looking));
    looking.compare(this.seen);
  }

  /** Looks at a state in which nobody has to do anything. */
  rest(state: number, row: Int32Array, begin: number, length: number): void {
    const c = this.model.configuration(row, begin, length);
    this.judged(() => {
      const broken = this.debts.find((debt) => this.isOwed(debt, c));
      if (!broken) return;
      const { property } = broken;
      this.violated ??= { property, state, owedTo: this.owing(property, (debt) => this.isOwed(debt, c)) };
    });
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
      const { name } = this.asked!;
      throw new ProtocolError(`property "${name}" failed: ${(error as Error).message}`, { cause: error });
    }
    this.model.packets.checkSenders();
  }

  private look(state: number, c: () => Configuration, localOf?: (node: number) => number): void {
    for (let plane = 0; plane < this.closed.length; plane++) {
      const property = this.closed[plane]!;
      if (!this.holds(property, c)) continue;
      this.relevant.add(property);
      this.held.set(state, plane);
    }
    for (const property of this.always) if (!this.holds(property, c)) this.violate({ property, state });
    for (const property of this.sometimes) {
      if (state < (this.witnessed.get(property) ?? Infinity) && this.holds(property, c)) this.witnessed.set(property, state);
    }
    if (localOf) this.lookAtDebts(state, c, localOf);
    if (this.goal && this.holds(this.goal, c)) this.goals.set(state, 0);
  }

  private holds(property: Judging, c: () => Configuration): boolean {
    this.asked = property;
    const folded = this.seen ? undefined : foldOf(property);
    return truth(folded ? folded.holds(this.sums.of(folded.over), c) : property.holds(c()), 'holds');
  }

  private lookAtDebts(state: number, c: () => Configuration, localOf: (node: number) => number): void {
    const { owed, planesOf } = this;
    if (this.ofNodes.length > 0) {
      for (let node = 0; node < this.nodes; node++) {
        const local = localOf(node);
        owed.join(state, (planesOf[local] ??= this.askLocal(local)));
      }
    }
    for (const debt of this.others) if (this.isOwedIn(debt, c)) owed.set(state, debt.plane);
  }

  private isOwedIn(debt: Debt, c: () => Configuration): boolean {
    return debt.property.kind === 'converges' ? !this.holds(debt.property, c) : this.isOwed(debt, c());
  }

  /** The planes of the promises that are owed to the node of a local state. */
  private askLocal(local: number): Int32Array {
    const { node, view } = this.model.steps.locals.get(local);
    const planes = new Int32Array(this.owed.words);
    for (const { property, node: to, plane } of this.ofNodes) {
      if (to !== node) continue;
      this.asked = property;
      const { when, holds } = asksOf(property)!(view);
      if (!truth(when, 'when')) continue;
      this.relevant.add(property);
      if (!truth(holds, 'holds')) planes[plane >> 5]! |= 1 << (plane & 31);
    }
    return planes;
  }

  /** Whether transitions matter, and not states alone. */
  get closes(): boolean {
    return this.closed.length > 0;
  }

  /** Looks at a transition that is no fault: what was closed must not be left. */
  pass(from: number, to: number): void {
    for (let plane = 0; plane < this.closed.length; plane++) {
      if (!this.held.has(from, plane) || this.held.has(to, plane)) continue;
      this.violated ??= { property: this.closed[plane]!, state: to, from };
    }
  }

  /** Whether what a property says depends on the state at all. */
  looksAnywhere(property: Exclude<Property<any>, { readonly kind: 'eventually' }>, c: Configuration): boolean {
    const looking = new Looking(c);
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

  /** Whether the goal that was given holds in a state. */
  atGoal(state: number): boolean {
    return this.goals.has(state, 0);
  }

  private isOwed({ property, node }: Debt, c: Configuration): boolean {
    this.asked = property;
    if (property.kind === 'converges') return !this.holds(property, () => c);
    const id = this.model.system.nodes[node]!;
    if (!truth(property.when(c, id), 'when')) return false;
    this.relevant.add(property);
    return !truth(property.holds(c, id), 'holds');
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
