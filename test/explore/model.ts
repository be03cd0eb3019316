/** A system prepared for search: it stores states as numbers, computes their successors, and shows them to properties. */
import type { NodeId } from '../../machines/effects.js';
import type { Configuration, Flight, NodeView } from '../../machines/protocol.js';
import { everyCorruption, type Corrupted } from './corruptions.js';
import { OutgoingMessages } from './outgoing-messages.js';
import { Numbering } from './numbering.js';
import { Packets } from './packets.js';
import { LocalSteps } from './steps.js';
import { Successors } from './successors.js';
import type { SearchedSystem } from './system.js';
import { TimeOrder } from './times.js';
import type { EnvironmentPlan } from '../../network/world/environment.js';
import { Environments } from './environments.js';

export class Model {
  readonly packets: Packets;
  readonly outgoing: OutgoingMessages;
  readonly steps: LocalSteps;
  readonly environments: Environments;
  readonly numbering = new Numbering();
  readonly successors: Successors;
  private readonly corrupted = new Map<string, readonly Corrupted[]>();

  constructor(
    readonly system: SearchedSystem,
    plan: EnvironmentPlan,
    sendersRead: ReadonlySet<string>,
  ) {
    const { nodes, instance, protocol } = system;
    const weights = new Map(
      instance.topology.links.flatMap(([u, v, weight]) => [
        [`${u} ${v}`, weight],
        [`${v} ${u}`, weight],
      ]),
    );
    const costOf = (from: NodeId, to: NodeId) =>
      protocol.network.reach === 'routed' ? instance.distance(from, to) : from === to ? 0 : (weights.get(`${from} ${to}`) ?? 1);
    const { numbering } = this;
    this.packets = new Packets(system, sendersRead, costOf, numbering);
    const outgoing = new OutgoingMessages(system, this.packets, numbering);
    this.outgoing = outgoing;
    this.steps = new LocalSteps(system, this.packets, outgoing, numbering);
    this.environments = new Environments(system, plan, system.fused, this.steps.events, outgoing, numbering);
    const times = protocol.times?.(instance.options);
    const order = times ? new TimeOrder(times, this.steps.locals, this.packets, nodes.length) : undefined;
    const mayFire = protocol.mayFire && ((row: Int32Array, length: number, event: number) => this.mayFire(row, length, event));
    this.successors = new Successors(
      this.steps,
      this.packets,
      this.environments,
      nodes.length,
      system.lasting,
      order,
      mayFire,
      this.corruptions,
    );
  }

  /** The largest id that a row can contain. */
  get greatest(): number {
    return Math.max(this.steps.locals.size, this.packets.interned.size, this.environments.size);
  }

  /** Cached, because every state needs the same corruptions. */
  private readonly corruptions = (nodes: readonly number[], environment: number): readonly Corrupted[] => {
    const key = `${environment} ${nodes.join()}`;
    const known = this.corrupted.get(key) ?? everyCorruption(this, nodes, environment);
    this.corrupted.set(key, known);
    return known;
  };

  /** A state as properties see it. */
  configuration(row: Int32Array, begin: number, length: number): Configuration {
    const { system, steps, environments } = this;
    const nodes = new Map<NodeId, NodeView>();
    for (let node = 0; node < system.nodes.length; node++)
      nodes.set(system.nodes[node]!, steps.locals.get(row[begin + 1 + node]!).view);
    const flights = this.flights(row, begin, length);
    const environment = row[begin]!;
    const [crashed, everCrashed] = [environments.crashed(environment), environments.everCrashed(environment)];
    return { instance: system.instance, nodes, flights, links: environments.links(environment), crashed, everCrashed };
  }

  /** The messages in flight as properties see them. */
  flights(row: Int32Array, begin: number, length: number): readonly Flight[] {
    const flights: Flight[] = [];
    for (let i = begin + 1 + this.system.nodes.length; i < begin + length; i++) flights.push(this.packets.flight(row[i]!));
    return flights;
  }

  /** True if a node's event can happen now. A protocol can exclude timers for which it is too early. */
  private mayFire(row: Int32Array, length: number, event: number): boolean {
    const { kind, node, role, timer } = this.steps.events.get(event);
    if (kind !== 'timer') return true;
    const { protocol, nodes } = this.system;
    return protocol.mayFire!(this.configuration(row, 0, length), nodes[node]!, role!, timer!);
  }
}
