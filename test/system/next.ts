/** All that can happen next in a run without time, as the world offers it, and what each is like. */
import type { NodeId } from '../../machines/effects.js';
import type { Simulation } from '../../network/simulation.js';
import { describeState } from '../../network/transcript.js';
import type { Choice } from '../../network/world/choice.js';
import { enabled } from '../../network/world/enabled.js';

export interface Next {
  readonly choice: Choice;
  /** What it is like: a kind of thing that happens to a node in some state. */
  readonly likeness: string;
}

export function nextSteps(simulation: Simulation): readonly Next[] {
  return [...enabled(simulation.network.world)].map((choice) => {
    const { node, what } = aboutOf(choice, simulation);
    const roles = Object.values(simulation.configuration.nodes.get(node) ?? {});
    return { choice, likeness: `${roles.map(({ value }) => describeState(value)).join(' ')} ${what}` };
  });
}

/** The node that a choice concerns, and what happens there. */
function aboutOf(choice: Choice, { network, scenario }: Simulation): { readonly node: NodeId; readonly what: string } {
  const flight = (id: number, fate: string) => {
    const { to, message } = network.world.flights.get(id)!;
    return { node: to, what: `${message.type}${fate}` };
  };
  if ('deliver' in choice) return flight(choice.deliver, '');
  if ('drop' in choice) return flight(choice.drop, ' lost');
  if ('duplicate' in choice) return flight(choice.duplicate, ' doubled');
  if ('timer' in choice) return { node: choice.timer[0], what: `timer ${choice.timer[2]}` };
  if ('turn' in choice) return { node: choice.turn, what: 'turn' };
  if ('command' in choice) return { node: choice.command[0], what: choice.command[1] };
  if ('notice' in choice) return { node: choice.notice[0], what: network.links.up(...choice.notice) ? 'link down' : 'link up' };
  const event = scenario.events[choice.event]!;
  const node = 'node' in event ? event.node : 'link' in event ? event.link[0] : scenario.graph.topology.nodes[0]!;
  return { node, what: event.do === 'command' ? event.name : event.do };
}
