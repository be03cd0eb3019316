/** Answers a question about a system: searches its states, and then decides the properties that need the graph of all states. */
import { UsageError } from '../../machines/errors.js';
import type { NodeId } from '../../machines/effects.js';
import type { Configuration, Property, PropertyResult, Protocol, Instance } from '../../machines/protocol.js';
import { overallVerdict, type Verdict } from '../../network/report.js';
import type { Bounds, Progress } from './bounds.js';
import { chanceOfMiss } from './compact-store.js';
import { counterexample, type Counterexample, type Origin, type ViolationPath } from './counterexample.js';
import { canReach } from './doomed.js';
import { LevelFrontier, Stack } from './frontier.js';
import { Graph } from './graph.js';
import { LevelSearch, type ThreadPart, type Pause } from './level-search.js';
import { Liveness } from './liveness.js';
import { Model } from './model.js';
import { nothingKnown, Restart, withNewcomers, type Known } from './restart.js';
import { Search } from './search.js';
import { firstStates } from './starts.js';
import { Symmetry } from './symmetry.js';
import type { SearchedSystem } from './system.js';
import { SearchWatch, type Findings, type StateProperty } from './watch.js';
import type { EnvironmentPlan } from '../../network/world/environment.js';
import { fusible } from '../../network/world/script.js';

export interface Question {
  readonly protocol: Protocol;
  /** The instances in which the search begins; properties are given the first. */
  readonly instances: readonly [Instance, ...Instance[]];
  readonly unlimited: SearchedSystem['unlimited'];
  /** Nodes that begin in every corrupted state. */
  readonly corrupt: readonly NodeId[];
  readonly plan: Omit<EnvironmentPlan, 'instance'>;
  readonly order: 'fifo' | 'unordered';
  readonly properties: readonly Property[];
  readonly goal: ((c: Configuration) => boolean) | undefined;
  readonly goalLasts?: boolean;
  readonly bounds: Bounds;
  readonly search: 'breadth' | 'depth';
  readonly reduce: Reduction | undefined;
  /** Store hashes instead of states. */
  readonly compact: boolean;
  readonly now: (() => number) | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** `symmetry`: states that differ only by a permutation of the nodes count as one. */
export type Reduction = 'symmetry';

/**
 * Result of a search: its verdict, its size, the result of each property, and a counterexample if one is violated.
 *
 * @public
 */
export interface Exploration {
  /** `valid`: every reachable state was found and no property is violated. `unknown`: the search reached a bound first. */
  readonly verdict: Verdict;
  /** The bound that stopped the search. */
  readonly stopped?: string;
  /** Number of states found. States that are equal under symmetry count once. */
  readonly states: number;
  readonly transitions: number;
  /** Number of states in which nothing can happen. */
  readonly terminal: number;
  /**
   * Number of states that cannot reach the goal; without a goal, that cannot become quiescent with every obligation met. `null`
   * if unknown.
   */
  readonly doomed: number | null;
  /** Number of first states, of those at the goal, and of those that cannot reach it. Present only with a goal. */
  readonly firsts?: { readonly states: number; readonly atGoal: number; readonly doomed: number };
  /** Maximum number of transitions from a first state. */
  readonly depth: number;
  /** Duration by the host's clock; 0 without one. */
  readonly seconds: number;
  /** Number of chart executions. */
  readonly interpreterCalls: number;
  /** Allocated bytes for each state, without transitions. */
  readonly bytesPerState: number;
  /** Number of permutations of the nodes that change nothing, if symmetry was used. */
  readonly symmetries?: number;
  /** Upper bound for the probability that hash compaction missed some state. */
  readonly chanceOfMiss?: number;
  readonly properties: readonly PropertyResult[];
  /** Properties that this system cannot violate, because they do not depend on its states or their condition never holds. */
  readonly vacuous: readonly string[];
  readonly counterexample?: Counterexample;
}

export function examine(question: Question): Exploration {
  const known = nothingKnown();
  for (;;) {
    const attempt = attempted(question, known);
    if (attempt) return attempt.conclusion();
  }
}

/** Tries to answer the question in one search. Returns `undefined` after a `Restart`, which has added a fact to `known`. */
export function attempted(question: Question, known: Known): Examination | undefined {
  try {
    const examination = new Examination(question, known);
    for (const _ of examination.exploring());
    return examination;
  } catch (error) {
    if (!(error instanceof Restart)) throw error;
    error.learn(known);
    return undefined;
  }
}

export class Examination {
  private readonly model: Model;
  readonly watch: SearchWatch;
  readonly search: Search | LevelSearch;
  private readonly symmetry: Symmetry | undefined;
  /** True if liveness can be decided. It cannot if messages may be duplicated without limit. */
  private readonly judgesRuns: boolean;
  private readonly instances: readonly Instance[];
  /** Number of first states; they have the smallest ids. */
  private begun = 0;

  constructor(
    private readonly question: Question,
    known: Known,
    part?: ThreadPart,
  ) {
    const { protocol, order, unlimited, plan, properties, goal, bounds, now, onProgress, reduce, compact } = question;
    const { newcomers } = known;
    this.instances = question.instances.map((instance) => withNewcomers(instance, newcomers));
    const instance = this.instances[0]!;
    if (bounds.seconds !== undefined && !now) {
      throw new UsageError('bounds.seconds requires a clock. Pass now: () => performance.now().');
    }
    refuseReduction(question);
    if (question.compact) refuseCompaction(question);
    const nodes = instance.topology.nodes;
    const lasting = order === 'unordered' && plan.budget.duplicate === Infinity;
    const reactions = protocol.reactions(instance.options);
    const fused = fusible(plan.script);
    const system = { protocol, instance, nodes, newcomers, order, lasting, reactions, fused, unlimited };
    this.model = new Model(system, { ...plan, instance, ...(lasting && { budget: {} }) }, known.sendersRead);
    this.watch = new SearchWatch(properties, goal && goalProperty(goal), this.model);
    this.judgesRuns = this.watch.obligations.length > 0 && !lasting;
    const graph = this.judgesRuns || goal ? new Graph() : undefined;
    const rows = reduce === 'symmetry' ? [...this.firsts()].map(({ row }) => row) : undefined;
    this.symmetry = rows && new Symmetry(this.model, rows, known.ordered);
    const frontier = question.search === 'depth' ? new Stack() : new LevelFrontier();
    const { symmetry } = this;
    const kept = { graph, symmetry };
    // Hash compaction is used for large searches, so the number of states is unlimited by default.
    const limits = { bounds: compact ? { states: Infinity, ...bounds } : bounds, now, onProgress };
    this.search = part
      ? new LevelSearch(this.model, this.watch, { ...limits, part })
      : new Search(this.model, this.watch, { ...limits, compact, frontier, ...kept });
  }

  /** Searches. With several threads, the generator pauses where they must wait for each other. */
  *exploring(): Generator<Pause> {
    const { model, search } = this;
    for (const { row } of this.firsts()) if (!search.begin(row)) break;
    this.begun = search.store.size;
    if (search instanceof LevelSearch) yield* search.run();
    else search.run();
    model.steps.audit();
  }

  /** Merges the findings of other threads about their share of the states. */
  takeIn(others: readonly Findings[]): void {
    for (const findings of others) this.watch.absorb(findings);
    this.watch.forgetFrom(this.search.store.size);
  }

  conclusion(): Exploration {
    const { model, search, watch, question, symmetry } = this;
    const paths = this.violations();
    const coreachable = this.coreachable();
    if (watch.goal && coreachable?.includes(0))
      paths.set(watch.goal, { property: watch.goal.name, state: coreachable.indexOf(0) });
    const judged = watch.goal ? [...watch.properties, watch.goal] : watch.properties;
    const properties = judged.map((property) => this.judge(property, paths));
    const [path] = paths.values();
    const isCorrupt = question.corrupt.length > 0;
    return {
      verdict: overallVerdict(properties, search.stopped !== undefined || properties.some(({ holds }) => holds === null)),
      ...(search.stopped !== undefined && { stopped: search.stopped }),
      states: search.store.size,
      transitions: search.transitions,
      terminal: search.terminal,
      doomed: coreachable && coreachable.reduce((doomed, isCoreachable) => doomed + 1 - isCoreachable, 0),
      ...(watch.goal && coreachable && { firsts: this.countFirsts(coreachable) }),
      depth: search.depth,
      seconds: search.seconds,
      interpreterCalls: model.steps.nodes.calls,
      bytesPerState: search.store.bytes / search.store.size,
      ...(symmetry && { symmetries: symmetry.size }),
      ...(question.compact && { chanceOfMiss: chanceOfMiss(search.store.size) }),
      properties,
      vacuous: this.isComplete ? this.vacuous() : [],
      ...(path && { counterexample: counterexample(path, search, model, symmetry, (state) => this.originOf(state), isCorrupt) }),
    };
  }

  private countFirsts(coreachable: Uint8Array) {
    const numbers = [...Array(this.begun).keys()];
    const atGoal = numbers.filter(this.goalIn(this.search.graph!)!).length;
    return { states: this.begun, atGoal, doomed: numbers.filter((state) => coreachable[state] === 0).length };
  }

  private *firsts(): Generator<Origin> {
    const { corrupt } = this.question;
    for (const instance of this.instances)
      for (const first of firstStates(this.model, instance, corrupt)) yield { ...first, instance };
  }

  /** The start that a first state came from. */
  private originOf(state: number): Origin {
    const { symmetry, search } = this;
    for (const origin of this.firsts()) {
      const row = Int32Array.from(origin.row);
      if (search.store.is(state, symmetry?.representative(row, 0, row.length) ?? row, 0, row.length)) return origin;
    }
    throw new Error(`state ${state} is not a first state`);
  }

  private get isComplete(): boolean {
    return this.search.stopped === undefined && !this.watch.violated;
  }

  private violations(): Map<Property, ViolationPath> {
    const { search, watch, model } = this;
    const paths = new Map<Property, ViolationPath>();
    if (watch.violated) {
      const { property, state, from } = watch.violated;
      return paths.set(property, { property: property.name, nodes: undefined, state, from, component: undefined });
    }
    if (!search.graph || !this.judgesRuns) return paths;
    const liveness = new Liveness(search.graph, watch, model.steps.branches);
    for (const obligation of watch.obligations) {
      const { property } = obligation;
      const broken = paths.has(property) ? undefined : liveness.pendingForever(obligation);
      if (!broken) continue;
      const states = [broken.state, ...broken.component];
      const nodes = watch.nodesPending(property, ({ plane }) => states.every((state) => watch.pending.has(state, plane)));
      paths.set(property, { property: property.name, nodes, ...broken });
    }
    return paths;
  }

  private judge(property: Property, paths: ReadonlyMap<Property, ViolationPath>): PropertyResult {
    const { name, kind } = property;
    if (paths.has(property)) return { name, kind, holds: false };
    if (kind === 'sometimes')
      return { name, kind, holds: this.watch.witnessed.has(property) || (this.isComplete ? false : null) };
    const isJudged = this.judgesRuns || (kind !== 'eventually' && kind !== 'converges');
    return { name, kind, holds: this.isComplete && isJudged ? true : null };
  }

  /**
   * 1 for each state that can reach the goal: the goal of the question, or a quiescent state in which every obligation is met. A system
   * with timers is never quiescent, so that without a goal the result is `null`.
   */
  private coreachable(): Uint8Array | null {
    const { search, watch, model } = this;
    const { graph } = search;
    if (!graph || !this.isComplete || (!watch.goal && !this.judgesRuns) || (!watch.goal && model.steps.events.some('timer')))
      return null;
    const rests = (state: number) =>
      graph.isResting(state) && !watch.pending.hasAny(state) && model.environments.isOver(search.store.environment(state));
    return canReach(graph, this.goalIn(graph) ?? rests);
  }

  /** True if a state is at the goal and, if the goal must last, cannot leave it. */
  private goalIn(graph: Graph): ((state: number) => boolean) | undefined {
    const { watch, question } = this;
    if (!watch.goal) return undefined;
    if (!question.goalLasts) return (state) => watch.atGoal(state);
    const leaves = canReach(graph, (state) => !watch.atGoal(state));
    return (state) => leaves[state] === 0;
  }

  private vacuous(): string[] {
    const { watch } = this;
    const { row }: Origin = this.firsts().next().value;
    const isVacuous = (property: Property) => {
      if (property.kind === 'closed') return !watch.relevant.has(property);
      if (property.kind === 'eventually') return !watch.relevant.has(property);
      return !watch.dependsOnState(property, row);
    };
    return watch.properties.filter(isVacuous).map(({ name }) => name);
  }
}

/** Rejects a reduction that would make an answer wrong. */
function refuseReduction({ reduce, properties }: Question): void {
  const liveness = properties.find(({ kind }) => kind === 'eventually' || kind === 'converges');
  if (reduce === 'symmetry' && liveness) {
    throw new UsageError(
      `Symmetry reduction cannot check the liveness property "${liveness.name}", because the reduction does not track which node is which. ` +
        'Check without the reduction, or check only safety properties (--safety).',
    );
  }
}

/** Rejects questions that need more of a state than its hash. */
function refuseCompaction({ properties, goal, search }: Question): void {
  const liveness = properties.find(({ kind }) => kind === 'eventually' || kind === 'converges');
  if (liveness) {
    throw new UsageError(
      `Hash compaction cannot check the liveness property "${liveness.name}", which needs the whole graph. Leave it out (--safety).`,
    );
  }
  if (goal)
    throw new UsageError('Hash compaction cannot check a goal, which needs the whole graph. Leave out "compact" or "goal".');
  if (search === 'depth')
    throw new UsageError('Hash compaction requires breadth-first search. Leave out --compact or --search depth.');
}

const goalProperty = (holds: (c: Configuration) => boolean): StateProperty => ({
  name: 'goal can be reached',
  description: 'From every state some run reaches the goal.',
  kind: 'always',
  holds,
});
