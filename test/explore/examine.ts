/** Answers one question about a system: searches its states, then judges what only the whole graph can tell. */
import { UsageError } from '../../machines/errors.js';
import type { Message, NodeId } from '../../machines/effects.js';
import type { Configuration, Property, PropertyResult, Protocol, Setup } from '../../machines/protocol.js';
import { verdictOf, type Verdict } from '../../network/report.js';
import type { Bounds, Progress } from './bounds.js';
import { counterexample, type Counterexample, type Origin, type Way } from './counterexample.js';
import { canReach } from './doomed.js';
import { Graph } from './graph.js';
import { Liveness } from './liveness.js';
import { Model } from './model.js';
import { SenderRead } from './packets.js';
import { firstStates } from './starts.js';
import { Search } from './search.js';
import { Watch, type Judging } from './watch.js';
import type { Surroundings } from './worlds.js';

export interface Question {
  readonly protocol: Protocol;
  /** Where the search begins; properties see the first. */
  readonly setups: readonly [Setup<any>, ...Setup<any>[]];
  readonly unlimited: readonly { readonly name: string; readonly event: Message }[];
  /** Nodes that begin in every corrupt state. */
  readonly corrupt: readonly NodeId[];
  readonly surroundings: Surroundings;
  readonly order: 'fifo' | 'unordered';
  readonly properties: readonly Property<any>[];
  readonly goal: ((c: Configuration<any>) => boolean) | undefined;
  readonly bounds: Bounds;
  readonly now: (() => number) | undefined;
  readonly onProgress: (progress: Progress) => void;
}

export interface Exploration {
  readonly verdict: Verdict;
  /** The bound that was met before the search had seen everything. */
  readonly stopped?: string;
  readonly states: number;
  readonly transitions: number;
  /** States in which nothing at all can happen. */
  readonly terminal: number;
  /** States that cannot reach the goal: without one, rest with nothing owed. `null` where the search cannot tell. */
  readonly doomed: number | null;
  /** The most transitions that the search went from a first state. */
  readonly depth: number;
  /** How often a chart was run. */
  readonly interpreterCalls: number;
  /** Of the states alone, as allocated. */
  readonly bytesPerState: number;
  readonly properties: readonly PropertyResult[];
  /** Properties that nothing in this system could have violated: what they speak of never came up. */
  readonly vacuous: readonly string[];
  readonly counterexample?: Counterexample;
}

export function examine(question: Question): Exploration {
  const signed = new Set<string>();
  for (;;) {
    try {
      return new Examination(question, signed).result();
    } catch (error) {
      if (!(error instanceof SenderRead)) throw error;
      signed.add(error.messageType);
    }
  }
}

class Examination {
  private readonly model: Model;
  private readonly watch: Watch;
  private readonly search: Search;
  private readonly origins = new Map<number, Origin>();
  /** Whether promises on endless runs can be judged: not where a message may come again for ever, or never more. */
  private readonly judgesRuns: boolean;

  constructor(
    private readonly question: Question,
    signed: ReadonlySet<string>,
  ) {
    const { protocol, setups, order, unlimited, surroundings, properties, goal, bounds, now, onProgress } = question;
    const [setup] = setups;
    if (bounds.seconds !== undefined && !now) {
      throw new UsageError('bounds.seconds needs a clock; pass now, for instance () => performance.now()');
    }
    const nodes = setup.topology.nodes;
    const lasting = order === 'unordered' && surroundings.faults.duplicate === Infinity;
    const system = { protocol, setup, nodes, order, lasting, reactions: protocol.reactions(setup.options), unlimited };
    this.model = new Model(system, lasting ? { ...surroundings, faults: {} } : surroundings, signed);
    this.watch = new Watch(properties, goal && goalProperty(goal), this.model);
    this.judgesRuns = this.watch.debts.length > 0 && !lasting;
    const graph = this.judgesRuns || goal ? new Graph() : undefined;
    this.search = new Search(this.model, this.watch, graph, bounds, now ?? (() => 0), onProgress);
  }

  result(): Exploration {
    const { model, search, watch, question } = this;
    for (const setup of question.setups) {
      for (const { row, sent } of firstStates(model, setup, question.corrupt)) {
        const state = search.store.size;
        if (search.begin(row)) this.origins.set(state, { setup, sent });
      }
    }
    search.run();
    model.steps.audit();
    const ways = this.violations();
    const hopeful = this.hopeful();
    if (watch.goal && hopeful?.includes(0)) ways.set(watch.goal, { property: watch.goal.name, state: hopeful.indexOf(0) });
    const judged = watch.goal ? [...watch.properties, watch.goal] : watch.properties;
    const properties = judged.map((property) => this.judge(property, ways));
    const [way] = ways.values();
    return {
      verdict: verdictOf(properties, search.stopped !== undefined || properties.some(({ holds }) => holds === null)),
      ...(search.stopped !== undefined && { stopped: search.stopped }),
      states: search.store.size,
      transitions: search.transitions,
      terminal: search.terminal,
      doomed: hopeful && hopeful.reduce((doomed, hope) => doomed + 1 - hope, 0),
      depth: search.depth,
      interpreterCalls: model.steps.replicas.calls,
      bytesPerState: search.store.bytes / search.store.size,
      properties,
      vacuous: this.isComplete ? this.vacuous() : [],
      ...(way && { counterexample: counterexample(way, search, model, this.origins, question.corrupt.length > 0) }),
    };
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
      return ways.set(property, { property: property.name, state, from });
    }
    if (!search.graph || !this.judgesRuns) return ways;
    const liveness = new Liveness(search.graph, search.store, model);
    for (const debt of watch.debts) {
      const { property } = debt;
      const broken = ways.has(property) ? undefined : liveness.broken(watch.owed, debt);
      if (broken) ways.set(property, { property: property.name, ...broken });
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
   * without a goal of its own nothing is said of it.
   */
  private hopeful(): Uint8Array | null {
    const { search, watch, model } = this;
    const { graph } = search;
    if (!graph || !this.isComplete || (!watch.goal && !this.judgesRuns) || (!watch.goal && model.steps.events.some('timer')))
      return null;
    const rests = (state: number) =>
      graph.isResting(state) && !watch.owed.hasAny(state) && model.worlds.isOver(search.store.world(state));
    return canReach(graph, watch.goal ? (state) => watch.atGoal(state) : rests);
  }

  private vacuous(): string[] {
    const { properties, relevant } = this.watch;
    const asks = ({ kind }: Property<any>) => kind === 'eventually' || kind === 'closed';
    return properties.filter((property) => asks(property) && !relevant.has(property)).map(({ name }) => name);
  }
}

const goalProperty = (holds: (c: Configuration<any>) => boolean): Judging => ({
  name: 'goal can be reached',
  says: 'From every state some run comes to the goal.',
  kind: 'always',
  holds,
});
