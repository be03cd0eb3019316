/** Answers one question about a system: searches its states, then judges what only the whole graph can tell. */
import { UsageError } from '../../machines/errors.js';
import type { NodeId } from '../../machines/effects.js';
import type { Configuration, Property, PropertyResult, Protocol, Instance } from '../../machines/protocol.js';
import { overallVerdict, type Verdict } from '../../network/report.js';
import type { Bounds, Progress } from './bounds.js';
import { chanceOfMiss } from './compact-store.js';
import { counterexample, type Counterexample, type Origin, type Way } from './counterexample.js';
import { canReach } from './doomed.js';
import { LevelFrontier, Stack } from './frontier.js';
import { Graph } from './graph.js';
import { LevelSearch, type ThreadPart, type Pause } from './level-search.js';
import { Liveness } from './liveness.js';
import { Model } from './model.js';
import { Newcomer, withNewcomers, type Newcomers } from './newcomers.js';
import { SenderRead } from './packets.js';
import { OrderMatters } from './renaming.js';
import { Resent } from './resent.js';
import { Search } from './search.js';
import { firstStates } from './starts.js';
import { Symmetry } from './symmetry.js';
import type { SearchedSystem } from './system.js';
import { SearchWatch, type Findings, type Judging } from './watch.js';
import type { EnvironmentPlan } from '../../network/world/environment.js';
import { fusible } from '../../network/world/script.js';

export interface Question {
  readonly protocol: Protocol;
  /** Where the search begins; properties see the first. */
  readonly instances: readonly [Instance<any>, ...Instance<any>[]];
  readonly unlimited: SearchedSystem['unlimited'];
  /** Nodes that begin in every corrupt state. */
  readonly corrupt: readonly NodeId[];
  readonly plan: Omit<EnvironmentPlan, 'instance'>;
  readonly order: 'fifo' | 'unordered';
  readonly properties: readonly Property<any>[];
  readonly goal: ((c: Configuration<any>) => boolean) | undefined;
  readonly goalLasts?: boolean;
  readonly bounds: Bounds;
  readonly search: 'breadth' | 'depth';
  readonly reduce: Reduction | undefined;
  /** Keeps hashes instead of states. */
  readonly compact: boolean;
  readonly now: (() => number) | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** `symmetry`: states that differ only in which node is which count as one. */
export type Reduction = 'symmetry';

/**
 * What a search found: its verdict, how much it has seen, what became of each property, and a counterexample if one is violated.
 *
 * @public
 */
export interface Exploration {
  /** `valid`: every reachable state was seen and nothing is violated. `unknown`: a bound was met first. */
  readonly verdict: Verdict;
  /** The bound that was met before the search had seen everything. */
  readonly stopped?: string;
  /** States that were found, those that are one by a symmetry counted once. */
  readonly states: number;
  readonly transitions: number;
  /** States in which nothing at all can happen. */
  readonly terminal: number;
  /** States that cannot reach the goal: without one, rest with nothing owed. `null` where the search cannot tell. */
  readonly doomed: number | null;
  /** With a goal: how many states the search began in, how many of them are at the goal, and how many cannot reach it. */
  readonly firsts?: { readonly states: number; readonly atGoal: number; readonly doomed: number };
  /** The most transitions that the search went from a first state. */
  readonly depth: number;
  /** By the host's clock; 0 without one. */
  readonly seconds: number;
  /** How often a chart was run. */
  readonly interpreterCalls: number;
  /** Of the states alone, as allocated. */
  readonly bytesPerState: number;
  /** In how many ways the nodes can change places, where that was looked at. */
  readonly symmetries?: number;
  /** Where hashes were kept instead of states: at most so likely is it that two of them were taken for one, and something was missed. */
  readonly chanceOfMiss?: number;
  readonly properties: readonly PropertyResult[];
  /** Properties that nothing in this system could have violated: what they speak of never came up. */
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

/** What a search has to know of charts and properties, and finds out on its way: it begins again then. */
export interface Known {
  /** Types of messages whose sender is read. */
  readonly sendersRead: Set<string>;
  /** Keys of lists of nodes whose order means something. */
  readonly ordered: Set<string>;
  newcomers: Newcomers;
}

export const nothingKnown = (): Known => ({ sendersRead: new Set(), ordered: new Set(), newcomers: new Map() });

/** A search that has come to its end, or nothing, and more is known. */
export function attempted(question: Question, known: Known): Examination | undefined {
  try {
    const examination = new Examination(question, known);
    for (const _ of examination.exploring());
    return examination;
  } catch (error) {
    if (error instanceof SenderRead) known.sendersRead.add(error.messageType);
    else if (error instanceof OrderMatters) known.ordered.add(error.key);
    else if (error instanceof Newcomer) known.newcomers = error.joining(known.newcomers);
    else throw error;
    return undefined;
  }
}

export class Examination {
  private readonly model: Model;
  readonly watch: SearchWatch;
  readonly search: Search | LevelSearch;
  private readonly symmetry: Symmetry | undefined;
  /** True if promises on endless runs can be judged: not where a message may come again forever, or never more. */
  private readonly judgesRuns: boolean;
  private readonly instances: readonly Instance<any>[];
  /** How many states the search began in; they have the first numbers. */
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
      throw new UsageError('bounds.seconds needs a clock; pass now, for instance () => performance.now()');
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
    this.judgesRuns = this.watch.debts.length > 0 && !lasting;
    const graph = this.judgesRuns || goal ? new Graph() : undefined;
    // Times are numbered again in each state.
    const resent =
      this.judgesRuns && !protocol.times?.(instance.options)
        ? new Resent(this.model, this.watch.owed, this.watch.everywhere)
        : undefined;
    const rows = reduce === 'symmetry' ? [...this.firsts()].map(({ row }) => row) : undefined;
    this.symmetry = rows && new Symmetry(this.model, rows, known.ordered);
    const frontier = question.search === 'depth' ? new Stack() : new LevelFrontier();
    const { symmetry } = this;
    const kept = { graph, resent, symmetry };
    // What hashes are kept for is to go further.
    const told = { bounds: compact ? { states: Infinity, ...bounds } : bounds, now, onProgress };
    this.search = part
      ? new LevelSearch(this.model, this.watch, { ...told, part })
      : new Search(this.model, this.watch, { ...told, compact, frontier, ...kept });
  }

  /** Searches; where other threads take part, it pauses for them. */
  *exploring(): Generator<Pause> {
    const { model, search } = this;
    for (const { row } of this.firsts()) if (!search.begin(row)) break;
    this.begun = search.store.size;
    if (search instanceof LevelSearch) yield* search.run();
    else search.run();
    model.steps.audit();
  }

  /** Takes in what other threads have found out about their share of the states. */
  takeIn(others: readonly Findings[]): void {
    for (const findings of others) this.watch.absorb(findings);
    this.watch.forgetFrom(this.search.store.size);
  }

  conclusion(): Exploration {
    const { model, search, watch, question, symmetry } = this;
    const ways = this.violations();
    const coreachable = this.coreachable();
    if (watch.goal && coreachable?.includes(0))
      ways.set(watch.goal, { property: watch.goal.name, state: coreachable.indexOf(0) });
    const judged = watch.goal ? [...watch.properties, watch.goal] : watch.properties;
    const properties = judged.map((property) => this.judge(property, ways));
    const [way] = ways.values();
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
      interpreterCalls: model.steps.replicas.calls,
      bytesPerState: search.store.bytes / search.store.size,
      ...(symmetry && { symmetries: symmetry.size }),
      ...(question.compact && { chanceOfMiss: chanceOfMiss(search.store.size) }),
      properties,
      vacuous: this.isComplete ? this.vacuous() : [],
      ...(way && {
        counterexample: counterexample(way, search, model, symmetry, (state) => this.originOf(state), isCorrupt),
      }),
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
    throw new Error(`state ${state} is no first one`);
  }

  private get isComplete(): boolean {
    return this.search.stopped === undefined && !this.watch.violated;
  }

  /** The ways to the violations of each violated property. */
  private violations(): Map<Property<any>, Way> {
    const { search, watch, model } = this;
    const ways = new Map<Property<any>, Way>();
    if (watch.violated) {
      const { property, state, from } = watch.violated;
      return ways.set(property, { property: property.name, nodes: undefined, state, from, component: undefined });
    }
    if (!search.graph || !this.judgesRuns) return ways;
    const liveness = new Liveness(search.graph, search.store, model, watch, search.resent);
    for (const debt of watch.debts) {
      const { property } = debt;
      const broken = ways.has(property) ? undefined : liveness.broken(debt);
      if (!broken) continue;
      const states = [broken.state, ...broken.component];
      const nodes = watch.owing(property, ({ plane }) => states.every((state) => watch.owed.has(state, plane)));
      ways.set(property, { property: property.name, nodes, ...broken });
    }
    return ways;
  }

  private judge(property: Property<any>, ways: ReadonlyMap<Property<any>, Way>): PropertyResult {
    const { name, kind } = property;
    if (ways.has(property)) return { name, kind, holds: false };
    if (kind === 'sometimes')
      return { name, kind, holds: this.watch.witnessed.has(property) || (this.isComplete ? false : null) };
    const isJudged = this.judgesRuns || (kind !== 'eventually' && kind !== 'converges');
    return { name, kind, holds: this.isComplete && isJudged ? true : null };
  }

  /**
   * 1 for each state that can reach the goal: the one given, or rest with nothing owed. A system with timers never rests, so that
   * without its own goal nothing is said of it.
   */
  private coreachable(): Uint8Array | null {
    const { search, watch, model } = this;
    const { graph } = search;
    if (!graph || !this.isComplete || (!watch.goal && !this.judgesRuns) || (!watch.goal && model.steps.events.some('timer')))
      return null;
    const rests = (state: number) =>
      graph.isResting(state) && !watch.owed.hasAny(state) && model.environments.isOver(search.store.environment(state));
    return canReach(graph, this.goalIn(graph) ?? rests);
  }

  /** True if a state is at the goal, and, where that has to last, cannot leave it. */
  private goalIn(graph: Graph): ((state: number) => boolean) | undefined {
    const { watch, question } = this;
    if (!watch.goal) return undefined;
    if (!question.goalLasts) return (state) => watch.atGoal(state);
    const leaves = canReach(graph, (state) => !watch.atGoal(state));
    return (state) => leaves[state] === 0;
  }

  private vacuous(): string[] {
    const { watch, model } = this;
    const { row } = this.firsts().next().value as Origin;
    const first = model.configuration(Int32Array.from(row), 0, row.length);
    const isVacuous = (property: Property<any>) => {
      if (property.kind === 'closed') return !watch.relevant.has(property);
      if (property.kind === 'eventually') return !watch.relevant.has(property);
      return !watch.looksAnywhere(property, first);
    };
    return watch.properties.filter(isVacuous).map(({ name }) => name);
  }
}

/** A reduction that would make an answer wrong is not an answer. */
function refuseReduction({ reduce, properties }: Question): void {
  const owed = properties.find(({ kind }) => kind === 'eventually' || kind === 'converges');
  if (reduce === 'symmetry' && owed) {
    throw new UsageError(
      `symmetry cannot judge "${owed.name}": a promise on endless runs must not forget which node is which; ` +
        'check it without symmetry, or leave promises out',
    );
  }
}

/** What needs more of a state than its hash, once it has been expanded. */
function refuseCompaction({ properties, goal, search }: Question): void {
  const owed = properties.find(({ kind }) => kind === 'eventually' || kind === 'converges');
  if (owed) {
    throw new UsageError(
      `hash compaction cannot judge "${owed.name}": a promise on endless runs needs the whole graph; leave promises out (--safety)`,
    );
  }
  if (goal)
    throw new UsageError('hash compaction cannot tell what leads to a goal, which needs the whole graph; leave one of them out');
  if (search === 'depth')
    throw new UsageError('hash compaction keeps only what is expanded next, breadth first; leave it or --search depth out');
}

const goalProperty = (holds: (c: Configuration<any>) => boolean): Judging => ({
  name: 'goal can be reached',
  description: 'From every state some run comes to the goal.',
  kind: 'always',
  holds,
});
