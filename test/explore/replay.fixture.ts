/** Replays a counterexample in a network of live actors, which must end in the state that the checker found. */
import type { Configuration, Protocol, Topology } from '../../machines/protocol.js';
import type { Scenario } from '../../network/scenario/types.js';
import { Simulation } from '../../network/simulation.js';
import { createMetric } from '../../network/topology/metric.js';
import type { Counterexample } from './counterexample.js';
import type { Scripted } from '../../network/world/script.js';

export interface Replay {
  /** The configuration at the end. */
  readonly end: Configuration;
  readonly messages: number;
  /** True if the state at the end equals the one at the beginning of the loop. */
  readonly goesRound: boolean;
}

export function replay(protocol: Protocol, topology: Topology, found: Counterexample, events: readonly Scripted[] = []): Replay {
  const scenario: Scenario = {
    protocol,
    options: found.instance.options,
    graph: createMetric(topology),
    contacts: [],
    network: { latency: 1, order: protocol.network.order, loss: 0, duplicate: 0, reorder: 0 },
    events: events.map((event) => ({ at: 0, ...event })),
    seed: 1,
    until: { idle: true },
  };
  const simulation = new Simulation(scenario, { choices: found.choices });
  simulation.start();
  const states = [stateOf(simulation.configuration)];
  while (simulation.advance()) states.push(stateOf(simulation.configuration));
  const end = copyOf(simulation.configuration);
  const { messages } = simulation.finish();
  return { end, messages: messages.total, goesRound: found.loop !== undefined && states[found.loop] === states.at(-1) };
}

const stateOf = ({ nodes, flights }: Configuration): string =>
  JSON.stringify([[...nodes], flights.map(({ from, to, message }) => JSON.stringify([from, to, message])).sort()]);

/** A copy that stays valid after the run. */
const copyOf = ({ instance, nodes, flights, links }: Configuration): Configuration => ({
  instance,
  nodes: new Map(structuredClone([...nodes])),
  flights: flights.map(({ id, from, to, message, cost }) => ({ id, from, to, message, cost })),
  links,
});
