/** A system made ready for search: its interned parts put together, its first states, and its states as properties see them. */
import type { NodeId } from '../../machines/effects.js';
import type { Configuration, Flight, NodeView, Setup } from '../../machines/protocol.js';
import { Letters } from './letters.js';
import { Packets } from './packets.js';
import { LocalSteps } from './steps.js';
import { Successors } from './successors.js';
import type { System } from './system.js';
import { TimeOrder } from './times.js';
import { Worlds, type Surroundings } from './worlds.js';

export class Model {
  readonly packets: Packets;
  readonly steps: LocalSteps;
  readonly worlds: Worlds;
  readonly successors: Successors;

  constructor(
    readonly system: System,
    surroundings: Surroundings,
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
    const letters = new Letters(system, this.packets);
    this.steps = new LocalSteps(system, this.packets, letters);
    this.worlds = new Worlds(system, surroundings, this.steps.events, letters);
    const times = protocol.times?.(setup.options);
    const order = times ? new TimeOrder(times, this.steps.locals, this.packets, nodes.length) : undefined;
    this.successors = new Successors(this.steps, this.packets, this.worlds, nodes.length, order);
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
