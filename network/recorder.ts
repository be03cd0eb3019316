/**
 * Turns what a network publishes into the lines of a trace, with a vector clock on each.
 *
 * It listens only: a network without a recorder pays nothing for it. A message carries its sender's clock, so a step knows what its
 * node knew before and what the sender knew when it sent.
 */
import { Subject } from 'rxjs';
import type { NodeId } from '../machines/effects.js';
import type { NodeView, Protocol } from '../machines/protocol.js';
import { chartDefinition } from './chart-definition.js';
import type { Monitor } from './monitor.js';
import type { Network, StepTaken } from './network.js';
import { TRACE_VERSION, type NetworkLine, type StepLine, type TraceHeader, type TraceLine } from './trace.js';

type Clock = Record<NodeId, number>;

export class Recorder {
  readonly lines$ = new Subject<TraceLine>();
  private readonly clocks = new Map<NodeId, Clock>();
  /** The sender's clock, for every message in flight. */
  private readonly stamps = new Map<number, Clock>();
  private readonly seen = new Map<NodeId, NodeView>();
  private index = 0;

  constructor(
    private readonly network: Network,
    private readonly protocol: Protocol,
    monitor?: Monitor,
  ) {
    network.started$.subscribe(() => this.initial());
    network.steps$.subscribe((step) => this.step(step));
    network.bus.lost$.subscribe(({ flight, why }) => {
      this.line({
        kind: 'lost',
        between: [flight.from, flight.to],
        message: flight.id,
        event: flight.message,
        why,
        clock: this.stamps.get(flight.id) ?? {},
      });
      this.stamps.delete(flight.id);
    });
    network.bus.duplicated$.subscribe((flight) => {
      const clock = this.clockOf(flight.from);
      this.stamps.set(flight.id, clock);
      this.line({ kind: 'duplicated', between: [flight.from, flight.to], message: flight.id, event: flight.message, clock });
    });
    network.bus.placed$.subscribe(({ id, from, to, message }) =>
      this.line({ kind: 'placed', between: [from, to], message: id, event: message, clock: {} }),
    );
    network.channels.changes$.subscribe(({ from, to, up }) =>
      this.line({ kind: 'channel', between: [from, to], up, clock: this.clockOf(from) }),
    );
    network.refused$.subscribe(({ node, event, why }) =>
      this.line({
        kind: 'refused',
        ...(node === undefined ? {} : { between: [node, node] }),
        event,
        why,
        clock: node === undefined ? {} : this.clockOf(node),
      }),
    );
    monitor?.violations$.subscribe(({ property, says }) =>
      this.line({ kind: 'violated', why: `${property}: ${says}`, clock: {} }),
    );
  }

  /** A message or channel event that no node took part in. */
  private line(line: Omit<NetworkLine, 'index' | 'at'>): void {
    this.lines$.next({ index: this.index++, at: this.network.now, ...line });
  }

  /** Node states before the first step, for a viewer that starts from nothing. */
  private initial(): void {
    for (const [id, view] of this.network.configuration.nodes) {
      this.seen.set(id, view);
      this.lines$.next({
        index: this.index++,
        at: this.network.now,
        kind: 'start',
        node: id,
        event: { type: 'start' },
        sent: [],
        emitted: [],
        roles: view,
        ...this.overlayOf(id, view),
        clock: {},
      });
    }
  }

  private step({ index: _, at, kind, sent, timers, drawn, ...step }: StepTaken): void {
    const { node } = step;
    const clock = this.clockOf(node);
    for (const [peer, count] of Object.entries(this.stamps.get(step.message ?? -1) ?? {}))
      clock[peer] = Math.max(clock[peer] ?? 0, count);
    if (step.message !== undefined) this.stamps.delete(step.message);
    clock[node] = (clock[node] ?? 0) + 1;
    this.clocks.set(node, clock);
    for (const { id } of sent) this.stamps.set(id, clock);
    const view = this.network.configuration.nodes.get(node)!;
    const line: StepLine = {
      index: this.index++,
      at,
      kind,
      ...step,
      sent: sent.map(({ id, to, message, cost }) => ({ id, to, message, cost })),
      ...(timers.length > 0 ? { timers: timers.map(({ role, timer, delay }) => [role, timer, delay] as const) } : {}),
      ...(drawn.length > 0 ? { drawn } : {}),
      roles: this.changedRoles(node, view),
      ...this.overlayOf(node, view),
      clock,
    };
    this.lines$.next(line);
  }

  private clockOf(node: NodeId): Clock {
    return { ...this.clocks.get(node) };
  }

  private changedRoles(node: NodeId, view: NodeView): StepLine['roles'] {
    const before = this.seen.get(node) ?? {};
    this.seen.set(node, view);
    const changed = Object.entries(view).filter(
      ([name, { value, context }]) => before[name]?.value !== value || before[name]?.context !== context,
    );
    const closed = Object.keys(before).filter((name) => !(name in view));
    return Object.fromEntries([...changed, ...closed.map((name) => [name, null] as const)]);
  }

  private overlayOf(node: NodeId, view: NodeView): Pick<StepLine, 'overlay'> {
    return this.protocol.overlay
      ? { overlay: this.protocol.overlay(view, node, this.network.links, this.network.configuration) }
      : {};
  }
}

/** The first line of a trace. `scenario` is the JSON that the run came from. */
export function traceHeader(
  protocol: Protocol,
  scenario: unknown,
  seed: number,
  network: Network,
  { choices, start }: Pick<TraceHeader, 'choices' | 'start'> = {},
): TraceHeader {
  const { setup } = network.configuration;
  const { topology } = setup;
  return {
    quiver: TRACE_VERSION,
    protocol: protocol.name,
    scenario,
    seed,
    nodes: topology.nodes,
    links: topology.links,
    charts: Object.fromEntries(Object.entries(protocol.charts).map(([name, chart]) => [name, chartDefinition(chart)])),
    properties: protocol.properties(setup).map(({ name, kind, says }) => ({ name, kind, says })),
    ...(choices ? { choices } : {}),
    ...(start ? { start } : {}),
  };
}
