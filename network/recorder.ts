/**
 * Turns the events of a network into the lines of a trace, with a vector clock on each.
 *
 * The recorder only observes: a network without one has no overhead. A message contains its sender's clock, so a step knows the previous
 * steps of its node and of the sender.
 */
import { Subject, Subscription } from 'rxjs';
import type { NodeId } from '../machines/effects.js';
import type { NodeView, Protocol } from '../machines/protocol.js';
import { chartDefinition } from './chart-definition.js';
import type { Monitor } from './monitor.js';
import type { Network, StepTaken } from './network.js';
import type { Report } from './report.js';
import { TRACE_VERSION, type NetworkLine, type StepLine, type TraceHeader, type TraceLine } from './trace.js';
import type { Selected } from './world/selections.js';
import { VectorClocks, type ClockRow } from './vector-clocks.js';

const NO_VIEW: NodeView = {};

/**
 * Turns the events of a network into the lines of a trace, each with a vector clock. Create it before the run starts; `traceHeader` returns
 * the first line.
 *
 * @public
 */
export class Recorder {
  /** Lines of the trace, as they are recorded. */
  readonly lines$ = new Subject<TraceLine>();
  private readonly clocks = new VectorClocks();
  /** The sender's clock, for every message in flight. */
  private readonly stamps = new Map<number, ClockRow>();
  private readonly seen = new Map<NodeId, NodeView>();
  private listening = new Subscription();
  private readonly violations: Subscription | undefined;
  private index = 0;
  private isQuiet = false;

  constructor(
    private readonly network: Network,
    private readonly protocol: Protocol,
    monitor?: Monitor,
    from?: Recorder,
  ) {
    if (from) this.takeOver(from);
    this.listen();
    this.violations = monitor?.violations$.subscribe(({ description, index: _, at: __, ...refutes }) =>
      this.line({ kind: 'violated', why: `${refutes.property}: ${description}`, refutes, clock: {} }),
    );
  }

  private takeOver(from: Recorder): void {
    this.clocks.takeOver(from.clocks);
    for (const [message, row] of from.stamps) this.stamps.set(message, row);
    for (const [node, view] of from.seen) this.seen.set(node, view);
    this.index = from.index;
  }

  private listen(): void {
    const { started$, steps$, lost$, duplicated$, placed$, channels$, refused$ } = this.network;
    const all = [
      started$.subscribe((selected) => this.initial(selected)),
      steps$.subscribe((step) => this.step(step)),
      lost$.subscribe(({ flight: { id, from, to, message }, why }) => {
        this.line({ kind: 'lost', between: [from, to], message: id, event: message, why, clock: this.stampOf(id) });
        this.stamps.delete(id);
      }),
      duplicated$.subscribe(({ id, from, to, message }) => {
        this.stamps.set(id, this.clocks.of(from));
        this.line({ kind: 'duplicated', between: [from, to], message: id, event: message, clock: this.clockOf(from) });
      }),
      placed$.subscribe(({ id, from, to, message }) =>
        this.line({ kind: 'placed', between: [from, to], message: id, event: message, clock: {} }),
      ),
      channels$.subscribe(({ from, to, up }) =>
        this.line({ kind: 'channel', between: [from, to], up, clock: this.clockOf(from) }),
      ),
      refused$.subscribe(({ node, event, why }) =>
        node === undefined
          ? this.line({ kind: 'refused', event, why, clock: {} })
          : this.line({ kind: 'refused', between: [node, node], event, why, clock: this.clockOf(node) }),
      ),
    ];
    this.listening = new Subscription();
    for (const one of all) this.listening.add(one);
    if (!this.isQuiet) this.listening.add(this.network.watchSelections());
  }

  /** Until `speak`, only counts lines and updates clocks, so that a known part of a run passes quickly. */
  beQuiet(): void {
    this.pause();
    this.isQuiet = true;
    this.listen();
  }

  /** Continues with the next line, and returns the number of lines that were skipped. */
  speak(): number {
    this.isQuiet = false;
    this.listening.add(this.network.watchSelections());
    return this.index;
  }

  /** Records that a counterexample has reached its loop, or its permanent rest. */
  endless(why: string): void {
    this.line({ kind: 'endless', why, clock: {} });
  }

  /** Records the last line: the results of the properties. */
  conclude({ verdict, properties }: Pick<Report, 'verdict' | 'properties'>): void {
    this.line({ kind: 'verdict', verdict, properties, clock: {} });
  }

  /** Stops recording; from now on the network has no overhead. */
  stop(): void {
    this.pause();
    this.violations?.unsubscribe();
    this.lines$.complete();
  }

  /** Stops recording all lines but violations until `resume`, without overhead for the network. */
  pause(): void {
    this.listening.unsubscribe();
  }

  /** Continues at the current step; `why` explains to the reader what was skipped. */
  resume(why: string): void {
    this.listen();
    this.stamps.clear();
    this.line({ kind: 'skipped', why, clock: {} });
    for (const line of this.standing()) this.lines$.next(line);
  }

  /** Lines with the complete current state, for a reader that knows only the header. */
  standing(): TraceLine[] {
    const { links, now: at, configuration } = this.network;
    const { nodes, flights, crashed, instance } = configuration;
    const views = [...nodes].map(([id, view]) =>
      this.nodeLine(-1, id, view, crashed?.includes(id) ? 'crash' : 'start', 'stands'),
    );
    const known = instance.topology.links.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]);
    const found = [...nodes.keys()].flatMap((node) => links.neighbors(node).map((peer) => [node, peer] as const));
    const rest: readonly Omit<NetworkLine, 'index' | 'at' | 'clock'>[] = [
      ...[...known, ...found].map((between) => ({ kind: 'channel' as const, between, up: links.up(...between) })),
      ...flights.map(({ id, from, to, message }) => ({
        kind: 'placed' as const,
        between: [from, to] as const,
        message: id,
        event: message,
      })),
    ];
    return [...views, ...rest.map((line) => ({ index: -1, at, ...line, clock: {} }))];
  }

  /** A message or channel event that no node took part in. */
  private line(line: Omit<NetworkLine, 'index' | 'at'>): void {
    const index = this.index++;
    if (!this.isQuiet) this.lines$.next({ index, at: this.network.now, ...line });
  }

  /** Node states before the first step, for a viewer that starts from nothing. */
  private initial(selected: ReadonlyMap<NodeId, Selected>): void {
    for (const [id, view] of this.network.configuration.nodes) {
      const line = { ...this.nodeLine(this.index++, id, view, 'start', 'start'), ...selected.get(id) };
      if (!this.isQuiet) this.lines$.next(line);
    }
  }

  private nodeLine(index: number, node: NodeId, view: NodeView, kind: StepLine['kind'], type: string): StepLine {
    const closed = Object.keys(this.seen.get(node) ?? NO_VIEW).filter((role) => !(role in view));
    this.seen.set(node, view);
    const overlay = this.overlayOf(node, view);
    return {
      index,
      at: this.network.now,
      kind,
      node,
      event: { type },
      sent: [],
      emitted: [],
      roles: { ...view, ...Object.fromEntries(closed.map((role) => [role, null])) },
      ...(overlay ? { overlay } : {}),
      clock: {},
    };
  }

  private step(step: StepTaken): void {
    const { clocks, stamps } = this;
    const { node, message } = step;
    const row = clocks.step(node, message === undefined ? undefined : stamps.get(message));
    if (message !== undefined) stamps.delete(message);
    for (const { id } of step.sent) stamps.set(id, row);
    const view = this.network.configuration.nodes.get(node)!;
    const roles = this.changedRoles(node, view);
    const index = this.index++;
    if (this.isQuiet) return;
    const overlay = this.overlayOf(node, view);
    const clock = clocks.record(row);
    this.lines$.next({ ...lineOf(step), index, roles, ...(overlay ? { overlay } : {}), clock });
  }

  private clockOf(node: NodeId): StepLine['clock'] {
    return this.clocks.record(this.clocks.of(node));
  }

  private stampOf(message: number): StepLine['clock'] {
    const row = this.stamps.get(message);
    return row ? this.clocks.record(row) : {};
  }

  private changedRoles(node: NodeId, view: NodeView): StepLine['roles'] {
    const before = this.seen.get(node) ?? NO_VIEW;
    this.seen.set(node, view);
    const changed: Record<string, NodeView[string] | null> = {};
    for (const name in view) {
      const { value, context } = view[name]!;
      if (before[name]?.value !== value || before[name]?.context !== context) changed[name] = view[name]!;
    }
    for (const name in before) if (!(name in view)) changed[name] = null;
    return changed;
  }

  private overlayOf(node: NodeId, view: NodeView) {
    return this.protocol.overlay?.(view, node, this.network.links, this.network.configuration);
  }
}

/** The line of a step; the arguments must be known when the step is taken. */
const lineOf = ({ index, at, kind, node, event, message, role, emitted, sent, timers, drawn, selected }: StepTaken) => ({
  index,
  at,
  kind,
  node,
  event,
  ...(message === undefined ? {} : { message }),
  ...(role === undefined ? {} : { role }),
  emitted,
  sent: sent.map(({ id, to, message, cost }) => ({ id, to, message, cost })),
  ...(timers.length > 0 ? { timers: timers.map(({ role, timer, delay }) => [role, timer, delay] as const) } : {}),
  ...(drawn.length > 0 ? { drawn } : {}),
  ...selected,
});

/**
 * The first line of a trace.
 *
 * @param scenario the JSON that the run came from.
 * @public
 */
export function traceHeader(
  protocol: Protocol,
  scenario: unknown,
  seed: number,
  network: Network,
  { choices, refutes, start }: Pick<TraceHeader, 'choices' | 'refutes' | 'start'> = {},
): TraceHeader {
  const { instance } = network.configuration;
  const { topology } = instance;
  return {
    quiver: TRACE_VERSION,
    protocol: protocol.name,
    scenario,
    seed,
    nodes: topology.nodes,
    links: topology.links,
    charts: Object.fromEntries(Object.entries(protocol.charts).map(([name, chart]) => [name, chartDefinition(chart)])),
    properties: protocol.properties(instance).map(({ name, kind, description }) => ({ name, kind, description })),
    ...(choices ? { choices } : {}),
    ...(refutes ? { refutes } : {}),
    ...(start ? { start } : {}),
  };
}
