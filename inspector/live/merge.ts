/**
 * The reports of many live nodes as one trace.
 *
 * Messages on a real wire carry no number, so the merger gives them one: a delivery is that of the oldest message of the same content
 * between the two nodes. Vector clocks follow from that as they do in the simulator.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import type { Configuration, Flight, LinksView, NodeView, Overlay, Protocol, Setup } from '../../machines/protocol.js';
import { chartDefinition } from '../../network/chart-definition.js';
import { TRACE_VERSION, type StepLine, type TraceHeader } from '../../network/trace.js';
import { LiveTrace } from './live-trace.js';
import type { Report } from './report.js';

type Clock = Record<NodeId, number>;

interface Flying extends Flight {
  readonly text: string;
  readonly clock: Clock;
}

export class Merger implements Configuration {
  readonly trace: LiveTrace;
  readonly nodes = new Map<NodeId, NodeView>();
  readonly links: LinksView;
  private readonly clocks = new Map<NodeId, Clock>();
  /** By sender and receiver, oldest first. */
  private readonly flying = new Map<string, Flying[]>();
  private readonly ports = new Map<NodeId, Readonly<Record<NodeId, number>>>();
  private index = 0;
  private messages = 0;
  private at = 0;

  constructor(
    private readonly protocol: Protocol,
    readonly setup: Setup<any>,
    private readonly began: number,
  ) {
    this.trace = new LiveTrace(headerOf(protocol, setup));
    const { links } = setup.topology;
    this.links = {
      up: (from, to) => links.some(([a, b]) => (a === from && b === to) || (a === to && b === from)),
      neighbours: (node) => links.flatMap(([a, b]) => (a === node ? [b] : b === node ? [a] : [])),
      port: (node, peer) => this.ports.get(node)?.[peer] ?? 0,
    };
  }

  get flights(): readonly Flight[] {
    return [...this.flying.values()].flat().sort((a, b) => a.id - b.id);
  }

  take({ at, node, kind, role, event, from, message, sent, emitted, roles, ports }: Report): void {
    this.at = Math.max(this.at, Math.round((at - this.began) * 1000) / 1000);
    if (ports) this.ports.set(node, ports);
    const arrived = from === undefined ? undefined : this.land(from, node, JSON.stringify(message));
    const clock = this.tick(node, arrived?.clock ?? {});
    const launched = sent.map((one) => this.launch(node, one.to, one.message, clock));
    const overlay = this.change(node, roles);
    const line: StepLine = {
      index: this.index++,
      at: this.at,
      kind,
      node,
      ...(role === undefined ? {} : { role }),
      event: { ...event, ...(from === undefined ? {} : { from }) },
      ...(arrived ? { message: arrived.id } : {}),
      sent: launched.map(({ id, to, message, cost }) => ({ id, to, message, cost })),
      emitted,
      roles,
      ...(overlay ? { overlay } : {}),
      clock,
    };
    this.trace.add(line);
  }

  private change(node: NodeId, roles: Report['roles']): Overlay | undefined {
    const now = Object.entries({ ...this.nodes.get(node), ...roles }).filter(([, role]) => role !== null);
    const view = Object.fromEntries(now) as NodeView;
    this.nodes.set(node, view);
    try {
      return this.protocol.overlay?.(view, node, this.links, this);
    } catch {
      // Some marks ask for neighbours that have not reported yet.
      return undefined;
    }
  }

  private tick(node: NodeId, heard: Clock): Clock {
    const clock = { ...this.clocks.get(node) };
    for (const [peer, count] of Object.entries(heard)) clock[peer] = Math.max(clock[peer] ?? 0, count);
    clock[node] = (clock[node] ?? 0) + 1;
    this.clocks.set(node, clock);
    return clock;
  }

  private launch(from: NodeId, to: NodeId, message: Message, clock: Clock): Flying {
    const key = JSON.stringify([from, to]);
    const flying: Flying = { id: this.messages++, from, to, message, cost: 1, text: JSON.stringify(message), clock };
    this.flying.set(key, [...(this.flying.get(key) ?? []), flying]);
    return flying;
  }

  /** A message that was sent before the inspector came has no number. */
  private land(from: NodeId, to: NodeId, text: string): Flying | undefined {
    const others = this.flying.get(JSON.stringify([from, to])) ?? [];
    const place = others.findIndex((flying) => flying.text === text);
    return place < 0 ? undefined : others.splice(place, 1)[0];
  }
}

function headerOf(protocol: Protocol, { topology }: Setup): TraceHeader {
  const charts = Object.entries(protocol.charts).map(([name, chart]) => [name, chartDefinition(chart)]);
  return {
    quiver: TRACE_VERSION,
    protocol: protocol.name,
    scenario: null,
    seed: 0,
    nodes: topology.nodes,
    links: topology.links,
    charts: Object.fromEntries(charts),
    properties: [],
    live: true,
  };
}
