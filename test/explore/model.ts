/** A system made ready for search: its interned parts put together, its first states, and its states as properties see them. */
import type { Address, Message, NodeId } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import type { Configuration, Flight, NodeView, Setup } from '../../machines/protocol.js';
import { Packets } from './packets.js';
import type { Scripted } from './script.js';
import { LocalSteps } from './steps.js';
import { Successors } from './successors.js';
import type { System } from './system.js';
import { TimeOrder } from './times.js';
import { Worlds, type Budget } from './worlds.js';

export class Model {
  readonly packets: Packets;
  readonly steps: LocalSteps;
  readonly worlds: Worlds;
  readonly successors: Successors;

  constructor(
    readonly system: System,
    script: readonly Scripted[],
    budget: Budget,
    signed: ReadonlySet<string>,
  ) {
    const { nodes, setup, protocol } = system;
    const weights = new Map(
      setup.topology.links.flatMap(([u, v, weight]) => [
        [`${u} ${v}`, weight],
        [`${v} ${u}`, weight],
      ]),
    );
    const costOf = (from: NodeId, to: NodeId) =>
      protocol.network.reach === 'routed' ? setup.distance(from, to) : from === to ? 0 : (weights.get(`${from} ${to}`) ?? 1);
    this.packets = new Packets(system, signed, costOf);
    this.steps = new LocalSteps(system, this.packets, (node, to, message) => this.letterOf(node, to, message));
    this.worlds = new Worlds(system, script, budget, this.steps.events, this.packets);
    const times = protocol.times?.(setup.options);
    const order = times ? new TimeOrder(times, this.steps.locals, this.packets, nodes.length) : undefined;
    this.successors = new Successors(this.steps, this.packets, this.worlds, nodes.length, order);
  }

  private letterOf(node: number, to: Address, message: Message): number {
    const { nodes, setup } = this.system;
    const receiver = setup.rank(to as NodeId);
    if (receiver < 0) {
      throw new ProtocolError(
        `node ${nodes[node]} sends "${message.type}" to ${JSON.stringify(to)}, which is no node of the topology`,
      );
    }
    return this.packets.intern({ from: node, to: receiver, sender: nodes[node]!, message });
  }

  /** The states in which every node has started, several where a start draws, with what they sent in the order of sending. */
  *starts(setup: Setup): Generator<{ row: readonly number[]; sent: readonly number[] }> {
    const { steps, worlds, packets } = this;
    const choices = this.system.nodes.map((_, node) => steps.ofStart(node, setup));
    for (const outcomes of everyCombination(choices.map((step) => range(steps.first.data[step]!, steps.count.data[step]!)))) {
      const letters = outcomes.flatMap((outcome) =>
        range(steps.sentAt.data[outcome]!, steps.sentCount.data[outcome]!).map((i) => steps.sent.data[i]!),
      );
      const sent = letters.map((letter) => worlds.packet(worlds.initial, letter)).filter((packet) => packet !== -1);
      const content = sent.toSorted((a, b) => packets.lane.data[a]! - packets.lane.data[b]!);
      yield { row: [worlds.initial, ...outcomes.map((outcome) => steps.next.data[outcome]!), ...content], sent };
    }
  }

  /** A state as properties see it. */
  configuration(row: Int32Array, begin: number, length: number): Configuration {
    const { system, steps, packets, worlds } = this;
    const size = system.nodes.length;
    const nodes = new Map<NodeId, NodeView>();
    for (let node = 0; node < size; node++) nodes.set(system.nodes[node]!, steps.locals.get(row[begin + 1 + node]!).view);
    const flights: Flight[] = [];
    for (let i = begin + 1 + size; i < begin + length; i++) flights.push(packets.flight(row[i]!));
    return { setup: system.setup, nodes, flights, links: worlds.links(row[begin]!) };
  }
}

const range = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i);

function* everyCombination(choices: readonly (readonly number[])[], taken: readonly number[] = []): Generator<readonly number[]> {
  const options = choices[taken.length];
  if (!options) yield taken;
  else for (const option of options) yield* everyCombination(choices, [...taken, option]);
}
