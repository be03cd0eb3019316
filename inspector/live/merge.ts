/**
 * The reports of many live nodes as one trace.
 *
 * Messages on a real wire carry no number, so the merger gives them one: a delivery is that of the oldest message of the same content
 * between the two nodes. Vector clocks follow from that as they do in the simulator.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import type { Flight, NodeView, Overlay } from '../../machines/protocol.js';
import type { StepLine, TraceLine } from '../../network/trace.js';
import type { Report } from './report.js';

type Clock = Record<NodeId, number>;

interface Flying extends Flight {
  readonly text: string;
  readonly clock: Clock;
}

/** The marks of a node that has changed, `undefined` for none. */
export type Marks = (node: NodeId, view: NodeView, merger: Merger) => Overlay | undefined;

export class Merger {
  readonly nodes = new Map<NodeId, NodeView>();
  readonly ports = new Map<NodeId, Readonly<Record<NodeId, number>>>();
  private readonly clocks = new Map<NodeId, Clock>();
  /** By sender and receiver, oldest first. */
  private readonly flying = new Map<string, Flying[]>();
  /** What came up beyond the topology. */
  private readonly links: (readonly [NodeId, NodeId])[] = [];
  private index = 0;
  private messages = 0;
  private at = 0;

  constructor(
    private readonly began: number,
    private readonly put: (line: TraceLine) => void,
    private readonly marks: Marks = () => undefined,
  ) {}

  get flights(): readonly Flight[] {
    return [...this.flying.values()].flat().sort((a, b) => a.id - b.id);
  }

  /** Whether what the report says can follow on what is known: a delivery comes after its sending. */
  isReadyFor({ node, from, message }: Report): boolean {
    const isAwaited = from !== undefined && from !== node && this.nodes.has(from);
    return !isAwaited || this.find(from, node, JSON.stringify(message)) >= 0;
  }

  /** A message that is known from its arrival alone: it is told to be on its way just before. */
  place(from: NodeId, to: NodeId, message: Message, at: number): void {
    this.pass(at);
    const { id, clock } = this.launch(from, to, message, this.clocks.get(from) ?? {});
    this.put({ index: this.index++, at: this.at, kind: 'placed', between: [from, to], message: id, event: message, clock });
  }

  link(a: NodeId, b: NodeId): void {
    for (const between of [[a, b] as const, [b, a] as const]) {
      this.links.push(between);
      this.put({ index: this.index++, at: this.at, kind: 'channel', between, up: true, clock: {} });
    }
  }

  /** How everything stands, for a reader who knows the header and nothing else. */
  standing(): TraceLine[] {
    const { at } = this;
    const base = { index: -1, at, clock: {} };
    return [
      ...[...this.nodes].map(([node, roles]): TraceLine => {
        const overlay = this.marks(node, roles, this);
        const marked = overlay ? { overlay } : {};
        return { ...base, kind: 'start', node, event: { type: 'stands' }, sent: [], emitted: [], roles, ...marked };
      }),
      ...this.links.map((between): TraceLine => ({ ...base, kind: 'channel', between, up: true })),
      ...this.flights.map(({ id, from, to, message }): TraceLine => ({
        ...base,
        kind: 'placed',
        between: [from, to],
        message: id,
        event: message,
      })),
    ];
  }

  take({ at, node, kind, role, event, from, message, sent, emitted, timers, drawn, roles, peer, ports, charts }: Report): void {
    this.pass(at);
    if (ports) this.ports.set(node, ports);
    if (peer !== undefined && event.type === 'link.down') this.lose(peer, node);
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
      ...(peer !== undefined && 'peer' in event && typeof event.peer === 'number' ? { peer } : {}),
      ...(arrived ? { message: arrived.id } : {}),
      sent: launched.map(({ id, to, message, cost }) => ({ id, to, message, cost })),
      emitted,
      ...(timers ? { timers } : {}),
      ...(drawn ? { drawn } : {}),
      roles,
      ...(overlay ? { overlay } : {}),
      ...(charts ? { charts } : {}),
      clock,
    };
    this.put(line);
  }

  /** What was under way on a link is lost when it goes down. */
  private lose(from: NodeId, to: NodeId): void {
    const key = JSON.stringify([from, to]);
    for (const { id, message, clock } of this.flying.get(key) ?? []) {
      const between = [from, to] as const;
      this.put({
        index: this.index++,
        at: this.at,
        kind: 'lost',
        between,
        message: id,
        event: message,
        why: 'link down',
        clock,
      });
    }
    this.flying.delete(key);
  }

  private pass(at: number): void {
    this.at = Math.max(this.at, Math.round((at - this.began) * 1000) / 1000);
  }

  private change(node: NodeId, roles: Report['roles']): Overlay | undefined {
    const now = Object.entries({ ...this.nodes.get(node), ...roles }).filter(([, role]) => role !== null);
    const view = Object.fromEntries(now) as NodeView;
    this.nodes.set(node, view);
    return this.marks(node, view, this);
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
    const place = this.find(from, to, text);
    return place < 0 ? undefined : this.flying.get(JSON.stringify([from, to]))!.splice(place, 1)[0];
  }

  private find(from: NodeId, to: NodeId, text: string): number {
    return this.flying.get(JSON.stringify([from, to]))?.findIndex((flying) => flying.text === text) ?? -1;
  }
}
