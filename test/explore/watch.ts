/**
 * Properties during a search: each new state is checked once.
 *
 * `always` and `closed` are decided here, state by state and transition by transition. For `eventually` and `converges`, only the states
 * with a pending obligation are recorded; `liveness.ts` then decides on the whole graph whether a fair run can leave it pending forever.
 */
import type { NodeId } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import type { Fold } from '../../machines/folded.js';
import type { Configuration, Property } from '../../machines/protocol.js';
import { failed, truth } from '../../network/evaluation.js';
import { Decision, Aspects } from './decisions.js';
import { FoldJudge } from './fold-judge.js';
import type { Model } from './model.js';
import { Planes } from './planes.js';

/** A property that is decided in a single state. */
export type StateProperty = Exclude<Property, { readonly kind: 'eventually' }>;

/** An obligation that only an infinite run can violate. Its plane contains the states in which it is pending. */
export interface Obligation {
  readonly property: Extract<Property, { readonly kind: 'eventually' | 'converges' }>;
  /** The position of the node that the obligation is for; -1 for the whole system. */
  readonly node: number;
  readonly plane: number;
}

export interface FoundViolation {
  readonly property: Property;
  readonly state: number;
  /** The state before, if a transition is the violation. */
  readonly from?: number;
}

/** A property that is decided in a single state, with its result in the current state. */
interface BoundProperty {
  readonly property: StateProperty;
  readonly holds: () => boolean;
}

/** An obligation, with whether it is pending in the current state. */
interface BoundObligation extends Obligation {
  readonly isPending: () => boolean;
}

const KINDS: readonly Property['kind'][] = ['always', 'sometimes', 'eventually', 'closed', 'converges'];

/** The result of one thread's search. Properties are identified by their position in the list. */
export interface Findings {
  readonly violated: readonly [property: number, state: number] | undefined;
  readonly witnessed: readonly (readonly [property: number, state: number])[];
}

export class SearchWatch {
  /** The first violation found: a property and a state, and the state before it if the transition is the violation. */
  violated: FoundViolation | undefined;
  /** The first state in which each `sometimes` held. */
  readonly witnessed = new Map<Property, number>();
  /** Each `eventually` whose `when` ever held, and each `closed` that ever held. */
  readonly relevant = new Set<Property>();
  readonly obligations: readonly BoundObligation[];
  readonly pending: Planes;
  /** The planes of `converges`, which a component violates with a single pending state. */
  readonly everywhere: Int32Array;
  /** The properties that are decided in single states. */
  readonly stateProperties: readonly StateProperty[];
  private readonly held: Planes;
  private current: Property | undefined;
  private readonly always: readonly BoundProperty[];
  private readonly closed: readonly BoundProperty[];
  private readonly sometimes: readonly BoundProperty[];
  private readonly goalBound: BoundProperty | undefined;
  private readonly goals: Planes;
  private readonly folds = new Map<Fold, FoldJudge>();
  private readonly judges: readonly FoldJudge[];
  private readonly aspects: Aspects;
  /** The state that is being checked. */
  private row: Int32Array = new Int32Array(0);
  private begin = 0;
  private length = 0;
  private whole: Configuration | undefined;
  /** The state as properties see it, created when it is first needed. */
  private readonly configuration = (): Configuration =>
    (this.whole ??= this.model.configuration(this.row, this.begin, this.length));

  constructor(
    readonly properties: readonly Property[],
    /** The condition that every state must be able to reach. */
    readonly goal: StateProperty | undefined,
    private readonly model: Model,
  ) {
    for (const { name, kind } of properties) {
      if (!KINDS.includes(kind))
        throw new ProtocolError(`Property "${name}" has the unknown kind "${kind}". Use one of: ${KINDS.join(', ')}.`);
    }
    this.aspects = new Aspects(model.steps.locals);
    const bind = (property: StateProperty): BoundProperty => ({ property, holds: this.holdsOf(property) });
    const ofKind = (kind: StateProperty['kind']) =>
      properties.filter((property): property is StateProperty => property.kind === kind).map(bind);
    this.always = ofKind('always');
    this.closed = ofKind('closed');
    this.sometimes = ofKind('sometimes');
    this.goalBound = goal && bind(goal);
    const stateProperties = [...this.always, ...this.closed, ...this.sometimes, ...(this.goalBound ? [this.goalBound] : [])];
    this.stateProperties = stateProperties.map(({ property }) => property);
    this.obligations = properties
      .flatMap((property) => obligationsOf(property, model))
      .map((obligation, plane) => ({ ...obligation, plane, isPending: this.isPendingOf(obligation) }));
    this.judges = [...this.folds.values()];
    this.goals = new Planes(goal ? 1 : 0);
    this.pending = new Planes(this.obligations.length);
    this.everywhere = new Int32Array(this.pending.words);
    for (const { property, plane } of this.obligations)
      if (property.kind === 'converges') this.everywhere[plane >> 5]! |= 1 << (plane & 31);
    this.held = new Planes(this.closed.length);
  }

  /** Checks a new state. */
  enter(state: number, row: Int32Array, begin: number, length: number): void {
    if (this.properties.length === 0 && !this.goal) return;
    this.goals.add();
    this.pending.add();
    this.held.add();
    this.turnTo(row, begin, length);
    for (let i = 0; i < this.judges.length; i++) this.judges[i]!.enter(row, begin, length);
    try {
      this.checkState(state);
      this.markPending(state);
    } catch (error) {
      failed(this.current!, error);
    }
    this.model.packets.checkSenders();
  }

  private turnTo(row: Int32Array, begin: number, length: number): void {
    this.row = row;
    this.begin = begin;
    this.length = length;
    this.whole = undefined;
  }

  /** The nodes for which an obligation is pending. */
  nodesPending(property: Property, isPending: (obligation: Obligation) => boolean): readonly NodeId[] {
    const obligations = this.obligations.filter(
      (obligation) => obligation.property === property && obligation.node >= 0 && isPending(obligation),
    );
    return obligations.map(({ node }) => this.model.system.nodes[node]!);
  }

  private checkState(state: number): void {
    const { always, closed, sometimes, goalBound } = this;
    for (let plane = 0; plane < closed.length; plane++) {
      if (!this.holds(closed[plane]!)) continue;
      this.relevant.add(closed[plane]!.property);
      this.held.set(state, plane);
    }
    for (let i = 0; i < always.length; i++) if (!this.holds(always[i]!)) this.violate({ property: always[i]!.property, state });
    for (const bound of sometimes) {
      if (state < (this.witnessed.get(bound.property) ?? Infinity) && this.holds(bound))
        this.witnessed.set(bound.property, state);
    }
    if (goalBound && this.holds(goalBound)) this.goals.set(state, 0);
  }

  private holds(bound: BoundProperty): boolean {
    this.current = bound.property;
    return bound.holds();
  }

  private markPending(state: number): void {
    const { pending, obligations } = this;
    for (let i = 0; i < obligations.length; i++) {
      const { property, plane, isPending } = obligations[i]!;
      this.current = property;
      if (isPending()) pending.set(state, plane);
    }
  }

  /** Judges a property by its totals if it is a fold, and otherwise once for each combination of what it reads. */
  private holdsOf(property: StateProperty): () => boolean {
    const { folded } = property;
    if (!folded) return this.decide((c) => truth(property.holds(c), 'holds'));
    const judge = this.folds.get(folded.over) ?? new FoldJudge(folded.over, this.model, this.configuration);
    this.folds.set(folded.over, judge);
    return judge.add(property, folded);
  }

  private isPendingOf({ property, node }: Pick<Obligation, 'property' | 'node'>): () => boolean {
    if (property.kind === 'converges') {
      const holds = this.holdsOf(property);
      return () => !holds();
    }
    const id = this.model.system.nodes[node]!;
    return this.decide((c) => {
      if (!truth(property.when(c, id), 'when')) return false;
      this.relevant.add(property);
      return !truth(property.holds(c, id), 'holds');
    });
  }

  private decide(predicate: (c: Configuration) => boolean): () => boolean {
    const decision = new Decision(this.model, this.aspects, predicate);
    return () => decision.of(this.row, this.begin, this.length, this.configuration);
  }

  /** True if the search must report transitions as well as states. */
  get closes(): boolean {
    return this.closed.length > 0;
  }

  /** Checks a transition that is not a fault: a `closed` property that holds before must hold after it. */
  pass(from: number, to: number): void {
    for (let plane = 0; plane < this.closed.length; plane++) {
      if (!this.held.has(from, plane) || this.held.has(to, plane)) continue;
      this.violated ??= { property: this.closed[plane]!.property, state: to, from };
    }
  }

  /** True if the result of a property depends on the state. */
  dependsOnState(property: StateProperty, row: readonly number[]): boolean {
    const decision = new Decision(this.model, this.aspects, (c) => property.holds(c));
    this.turnTo(Int32Array.from(row), 0, row.length);
    try {
      decision.of(this.row, 0, this.length, this.configuration);
    } catch (error) {
      failed(property, error);
    }
    return !decision.isConstant;
  }

  /** The findings about the states checked here, for another thread. */
  findings(): Findings {
    const { properties, violated } = this;
    const witnessed = [...this.witnessed].map(([property, state]) => [properties.indexOf(property), state] as const);
    return { violated: violated && [properties.indexOf(violated.property), violated.state], witnessed };
  }

  /** Merges the findings of another thread about other states of the same search. */
  absorb({ witnessed, violated }: Findings): void {
    const { properties } = this;
    if (violated) this.violate({ property: properties[violated[0]]!, state: violated[1] });
    for (const [place, state] of witnessed) {
      const known = this.witnessed.get(properties[place]!) ?? Infinity;
      this.witnessed.set(properties[place]!, Math.min(state, known));
    }
  }

  /** Removes findings about states that one thread would not have reached. */
  forgetFrom(state: number): void {
    if (this.violated && this.violated.state >= state) this.violated = undefined;
    for (const [property, witness] of this.witnessed) if (witness >= state) this.witnessed.delete(property);
  }

  /** Records a violation. The first state in the order of the search counts, and its first property. */
  private violate(found: FoundViolation): void {
    if (!this.violated || found.state < this.violated.state) this.violated = found;
  }

  /** True if the goal holds in a state. */
  atGoal(state: number): boolean {
    return this.goals.has(state, 0);
  }
}

function obligationsOf(property: Property, { system }: Model): readonly Omit<Obligation, 'plane'>[] {
  if (property.kind === 'eventually') return system.nodes.map((_, node) => ({ property, node }));
  return property.kind === 'converges' ? [{ property, node: -1 }] : [];
}
