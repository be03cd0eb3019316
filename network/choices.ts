/**
 * Performs the choices of a run without time: how a counterexample of the checker becomes a run like any other. Draws that a choice does
 * not answer are the seed's.
 */
import { UsageError } from '../machines/errors.js';
import type { Protocol } from '../machines/protocol.js';
import type { Network } from './network.js';
import type { ScenarioEvent } from './scenario/types.js';
import type { Script } from './script.js';
import type { Choice } from './trace.js';

export function performChoice(
  choice: Choice,
  network: Network,
  script: Script,
  events: readonly ScenarioEvent[],
  protocol: Protocol,
  bySeed: Network['choose'],
): void {
  const drawn = [...(choice.drawn ?? [])];
  network.choose = (bound, node) => drawn.shift() ?? bySeed(bound, node);
  if (!made(choice, network, script, events, protocol)) {
    throw new UsageError(`the choice ${JSON.stringify(choice)} cannot be made here; the schedule belongs to another scenario`);
  }
}

function made(choice: Choice, network: Network, script: Script, events: readonly ScenarioEvent[], protocol: Protocol): boolean {
  if ('deliver' in choice) return network.bus.deliver(choice.deliver);
  if ('drop' in choice) return network.bus.drop(choice.drop);
  if ('duplicate' in choice) return network.bus.duplicate(choice.duplicate);
  if ('timer' in choice) return network.timers.fire(...choice.timer);
  if ('notice' in choice) {
    const [node, peer] = choice.notice;
    network.channels.set(node, peer, !network.links.up(node, peer));
    return true;
  }
  if ('command' in choice) {
    const [node, name] = choice.command;
    const event = protocol.commands[name]?.event({}) ?? { type: name };
    return network.dispatch({ kind: 'command', node, event });
  }
  const event = events[choice.event];
  if (event) script.perform(event);
  return event !== undefined;
}
