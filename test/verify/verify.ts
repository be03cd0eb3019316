/**
 * Checks a recorded trace, ours or one of live transports, against charts and properties: every line is followed, each step taken
 * again by the charts, and the properties are looked at after it as in a simulation.
 *
 * A step that no chart can take ends it, for nothing is known of what comes after; properties that break are told with their line.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import type { Configuration, Flight, PropertyResult, Protocol, Instance } from '../../machines/protocol.js';
import { Links } from '../../network/world/links.js';
import { Monitor } from '../../network/monitor.js';
import { isStep, type NetworkLine, type StepLine, type TraceHeader, type TraceLine } from '../../network/trace.js';
import { Impossible, isDelivered, TracedNodes } from './nodes.js';

export interface Finding {
  /** Counted from 1, the header's. */
  readonly line: number;
  readonly what: string;
}

export interface Verification {
  readonly steps: number;
  /** The first step that no chart can take. */
  readonly impossible: Finding | null;
  readonly violations: readonly Finding[];
  /** Empty after an impossible step. */
  readonly properties: readonly PropertyResult[];
}

export function verifyTrace(
  protocol: Protocol,
  instance: Instance<any>,
  header: TraceHeader,
  lines: readonly TraceLine[],
): Verification {
  return new Following(protocol, instance, header, lines).run();
}

class Following {
  private readonly links: Links;
  private readonly nodes: TracedNodes;
  private readonly flights = new Map<number, Flight>();
  private readonly monitor: Monitor;
  private readonly violations: Finding[] = [];
  private number = 1;
  private steps = 0;
  private at = 0;

  constructor(
    private readonly protocol: Protocol,
    instance: Instance<any>,
    private readonly header: TraceHeader,
    private readonly lines: readonly TraceLine[],
  ) {
    const { flights } = this;
    this.links = new Links(instance.topology, protocol.ports?.(instance.options));
    this.nodes = new TracedNodes(protocol, instance, this.links);
    const configuration: Configuration<any> = {
      instance,
      nodes: this.nodes.views,
      get flights() {
        return [...flights.values()];
      },
      links: this.links,
    };
    this.monitor = new Monitor(protocol.properties(instance), configuration);
    this.monitor.violations$.subscribe(({ property, says }) =>
      this.violations.push({ line: this.number, what: `${property}: ${says}` }),
    );
  }

  run(): Verification {
    let impossible: Finding | null = null;
    for (const [i, line] of this.lines.entries()) {
      this.number = i + 2;
      try {
        if (line.at < this.at) throw new Impossible(`time goes back from ${this.at} to ${line.at}`);
        this.at = line.at;
        if (isStep(line)) this.step(line, i);
        else this.event(line);
      } catch (error) {
        if (!(error instanceof Impossible)) throw error;
        impossible = { line: this.number, what: error.message };
        break;
      }
    }
    // After a step that cannot be, the state is nobody's, and no property can be held against it.
    const properties = impossible || !this.isWhole ? [] : this.monitor.finish(false, this.at, this.header.refutes);
    return { steps: this.steps, impossible, violations: this.violations, properties };
  }

  /** Properties speak of all nodes: live ones start one after the other, and a trace may be of some of them. */
  private get isWhole(): boolean {
    return this.nodes.views.size >= this.header.nodes.length;
  }

  private step(line: StepLine, i: number): void {
    const { node, kind } = line;
    if (kind === 'start') {
      const isFirst = !this.nodes.views.has(node);
      if (isFirst) this.nodes.open(line, this.drawnAtStart(line, i), this.header.start !== undefined);
      // A node of the topology tells its state first and what it asks for later; one that comes during the run does both at once.
      if (isFirst && this.header.nodes.includes(node)) return;
      this.nodes.started(line);
    } else if (kind === 'corrupt' || kind === 'crash' || kind === 'restart') this.nodes.put(line);
    else {
      if (kind === 'deliver') this.receive(line);
      if (kind === 'link') this.hear(line);
      this.nodes.take({ ...line, event: this.asHeard(line) });
    }
    this.send(line);
    this.steps++;
    if (this.isWhole) this.monitor.record({ ...line, sent: line.sent.map((flight) => ({ ...flight, from: node })) });
  }

  private drawnAtStart({ node, drawn }: StepLine, i: number): readonly number[] {
    if (drawn) return drawn;
    const later = this.lines.slice(i + 1).find((line) => isStep(line) && line.node === node && line.kind === 'start');
    return (later as StepLine | undefined)?.drawn ?? [];
  }

  private receive(line: StepLine): void {
    const flight = this.flights.get(line.message ?? -1);
    if (!flight || flight.to !== line.node) throw new Impossible(`message #${line.message} is not on its way to ${line.node}`);
    const { from } = line.event as Message & { readonly from?: unknown };
    if (typeof from === 'string' && from !== flight.from)
      throw new Impossible(`message #${flight.id} is from ${flight.from}, not from ${from}`);
    if (!isDelivered(line, flight))
      throw new Impossible(`message #${flight.id} is ${JSON.stringify(flight.message)}, not ${JSON.stringify(line.event)}`);
    this.flights.delete(flight.id);
  }

  private send({ node, sent, emitted }: StepLine): void {
    for (const flight of sent) {
      if (this.flights.has(flight.id)) throw new Impossible(`message #${flight.id} is sent a second time`);
      this.flights.set(flight.id, { ...flight, from: node });
    }
    for (const notice of emitted) {
      const newcomer = this.protocol.newcomer?.(notice);
      if (newcomer !== undefined && !this.nodes.views.has(newcomer)) this.links.addNode(newcomer, node);
    }
  }

  /** A node hears of a channel with its next step: by the peer's name, or by a port, which the line or the topology gives to a peer. */
  private hear({ node, event, peer }: StepLine): void {
    const heard = event['peer'];
    const other = typeof heard === 'string' ? heard : peer;
    if (other === undefined || !this.nodes.views.has(node)) return;
    this.links.set(node, other, event.type === 'link.up');
    if (typeof heard === 'number') this.links.plugIn(node, other, heard);
  }

  /** Traces of live nodes name the sender also where its receiver knows it by a port alone. */
  private asHeard({ node, event }: StepLine): Message {
    const { from } = event as Message & { readonly from?: unknown };
    const isNamed = typeof from === 'string' && this.protocol.network.addressing === 'ports';
    return isNamed ? ({ ...event, from: this.links.port(node, from) } as Message) : event;
  }

  private event({ kind, message, between, up, event, at }: NetworkLine): void {
    const [from, to] = between ?? (['', ''] as readonly [NodeId, NodeId]);
    if (kind === 'channel') this.links.set(from, to, up ?? false);
    if (kind === 'lost') this.flights.delete(message ?? -1);
    if ((kind === 'duplicated' || kind === 'placed') && message !== undefined && event) {
      this.flights.set(message, { id: message, from, to, message: event, cost: 0 });
    }
    if (kind !== 'refused' && kind !== 'violated' && kind !== 'endless' && kind !== 'verdict') this.monitor.fault(at);
  }
}
