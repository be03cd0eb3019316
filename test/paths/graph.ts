/**
 * The states that one chart reaches from one sample of its protocol, and every step between them, taken on the kernel.
 *
 * The search ends after a number of states without anything new (its patience). Contexts may grow without a limit, and a bound that throws,
 * or none, would result in no paths. States that were reached by something new are visited first, the others in the order of discovery. Two
 * states are the same if value and context are. `keyOf` rejects contexts that are not plain JSON, because they could make different states
 * equal.
 */
import type { AnyMachineSnapshot, AnyStateMachine, StateValue } from 'xstate';
import type { Effect, Message } from '../../machines/effects.js';
import { ProtocolError, UsageError, thrownText } from '../../machines/errors.js';
import type { ChartSamples, Protocol } from '../../machines/protocol.js';
import { begin, macrostep, type Stepped } from '../../network/world/remembering.js';
import { itemsAtStart, type Item } from '../coverage/items.js';
import { listen, observed } from '../coverage/probe.js';
import { jsonKey } from '../explore/json.js';
import { requireProtocol } from '../../network/scenario/required.js';

export interface Vertex<I = Item> {
  readonly index: number;
  readonly value: StateValue;
  readonly context: unknown;
  /** By the key of the event; `null` for a state beyond the bound, whose steps are unknown. */
  edges: ReadonlyMap<string, Edge<I>> | null;
}

/** @typeParam I how a covered item is named: in the graph of a machine with its children, after its chart. */
export interface Edge<I = Item> {
  readonly event: Message;
  readonly effects: readonly Effect[];
  readonly to: Vertex<I>;
  /** The items that the step covers. */
  readonly items: ReadonlySet<I>;
}

export interface ChartGraph<I = Item> {
  readonly chart: string;
  /** The place of the sample in the protocol's list. */
  readonly start: number;
  readonly input: unknown;
  /** The effects and the items of entering the first state. */
  readonly effects: readonly Effect[];
  readonly items: ReadonlySet<I>;
  readonly first: Vertex<I>;
  readonly vertices: readonly Vertex<I>[];
  /** True if every state that the samples lead to was seen. */
  readonly isComplete: boolean;
}

/**
 * The states that each chart of a protocol reaches from its samples, and every step between them.
 *
 * @param protocol the protocol.
 * @param patience a search ends when so many states in a row have shown nothing new; `describeProtocol` gives it 40.
 * @returns one graph for each chart with samples.
 * @throws UsageError for samples of a chart that the protocol does not have; ProtocolError for a chart that fails on its own
 * samples.
 * @example
 * ```ts
 * import { directory } from 'xstate-quiver/machines';
 * import { graphsOf } from 'xstate-quiver/check';
 *
 * for (const { chart, start, vertices, isComplete } of graphsOf(directory, 40)) console.log(chart, start, vertices.length, isComplete);
 * ```
 * @public
 */
export function graphsOf(protocol: Protocol, patience: number): readonly ChartGraph[] {
  requireProtocol('graphsOf', protocol);
  return Object.entries(protocol.samples).flatMap(([chart, samples]) => {
    const machine = protocol.charts[chart];
    if (!machine)
      throw new UsageError(
        `Protocol ${protocol.name} has samples for "${chart}", which is not one of its charts: ${Object.keys(protocol.charts).join(', ')}.`,
      );
    return samples.map((sample, start) => new Search(chart, machine, sample, start).run(patience));
  });
}

class Search {
  private readonly vertices: Vertex[] = [];
  private readonly snapshots: AnyMachineSnapshot[] = [];
  private readonly known = new Map<string, Vertex>();
  private readonly machine: AnyStateMachine;
  private items = new Set<Item>();
  private readonly covered = new Set<Item>();
  /** States to visit: those reached by something new, and the others. */
  private readonly promising: Vertex[] = [];
  private readonly others: Vertex[] = [];

  constructor(
    private readonly chart: string,
    private readonly original: AnyStateMachine,
    private readonly sample: ChartSamples,
    private readonly start: number,
  ) {
    this.machine = observed(original, this.noted);
  }

  private readonly noted = (item: Item): void => void this.items.add(item);

  run(patience: number): ChartGraph {
    const { chart, start, sample, vertices } = this;
    const stop = listen(new Map([[this.machine, this.noted]]));
    try {
      const { snapshot, effects } = this.take(() => begin(this.machine, sample.input), 'starts');
      const items = new Set([...itemsAtStart(this.original), ...this.items]);
      const first = this.vertexOf(snapshot);
      let next: Vertex | undefined;
      let left = patience;
      while (left > 0 && (next = this.promising.shift() ?? this.others.shift())) {
        left = this.expand(next) ? patience : left - 1;
      }
      const isComplete = vertices.every(({ edges }) => edges !== null);
      return { chart, start, input: sample.input, effects, items, first, vertices, isComplete };
    } finally {
      stop();
    }
  }

  /** Takes all steps from a state; whether they have covered something new. */
  private expand(vertex: Vertex): boolean {
    const before = this.covered.size;
    const edges = new Map<string, Edge>();
    for (const event of this.sample.events(vertex.context)) {
      const key = jsonKey(event, `a sample of chart ${this.chart}`);
      const snapshot = this.snapshots[vertex.index]!;
      const next = this.take(() => macrostep(this.machine, snapshot, event), `takes ${key} in ${JSON.stringify(vertex.value)}`);
      jsonKey(next.effects, `what chart ${this.chart} asks for at ${key}`);
      edges.set(key, { event, effects: next.effects, to: this.vertexOf(next.snapshot), items: this.items });
      for (const item of this.items) this.covered.add(item);
    }
    vertex.edges = edges;
    return this.covered.size > before;
  }

  private take(run: () => Stepped, when: string): Stepped {
    this.items = new Set();
    try {
      return run();
    } catch (error) {
      const why = thrownText(error).replaceAll('\n', ' ');
      throw new ProtocolError(`chart ${this.chart}, start ${this.start} fails when it ${when}: ${why}`);
    }
  }

  private vertexOf(snapshot: AnyMachineSnapshot): Vertex {
    const { value, context } = snapshot;
    const key = jsonKey([value, context], `the state of chart ${this.chart}`);
    const known = this.known.get(key);
    if (known) return known;
    const vertex: Vertex = { index: this.vertices.length, value, context, edges: null };
    this.known.set(key, vertex);
    this.vertices.push(vertex);
    this.snapshots.push(snapshot);
    const isNew = [...this.items].some((item) => !this.covered.has(item));
    (isNew ? this.promising : this.others).push(vertex);
    return vertex;
  }
}
