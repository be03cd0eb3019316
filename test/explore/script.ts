/** The script of a scenario, prepared for the search. Events that need time and unknown names are rejected. */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { NetworkGraph, Protocol } from '../../machines/protocol.js';
import { happenings, refuseUntimed, Script, type Scripted } from '../../network/world/script.js';

export function scriptOf(events: readonly Scripted[], protocol: Protocol, graph: NetworkGraph): Script {
  events.forEach((event, place) => {
    if (!happenings.includes(event.do))
      throw new UsageError(
        `events[${place}] does ${JSON.stringify(event.do)}. Use one of: ${happenings.join(', ')}. ` +
          `A command is { do: 'command', name: '${Object.keys(protocol.commands)[0] ?? 'NAME'}', node, fields: {} }.`,
      );
    refuseUnknownActors(event, place, graph);
    if (event.do === 'command' && !protocol.commands[event.name])
      throw new UsageError(
        `events[${place}]: protocol ${protocol.name} has no command "${event.name}". Use one of: ${Object.keys(protocol.commands).join(', ')}.`,
      );
  });
  refuseUntimed(events, protocol);
  const script = new Script(events, protocol);
  events.forEach(({ do: what }, place) => {
    if (what === 'corrupt' && !script.standsFirst(place)) refuseCorruption(events, place, protocol);
  });
  return script;
}

export const corruptAtFirst = (script: Script): readonly NodeId[] =>
  script.events.flatMap((event, place) => (event.do === 'corrupt' && script.standsFirst(place) ? event.nodes : []));

function refuseUnknownActors(event: Scripted, place: number, { rank }: NetworkGraph): void {
  const named =
    'node' in event
      ? [event.node]
      : 'nodes' in event
        ? event.nodes
        : 'link' in event
          ? event.link
          : 'channel' in event
            ? event.channel
            : [];
  for (const node of named)
    if (rank(node) < 0)
      throw new UsageError(`events[${place}] names ${JSON.stringify(node)}, but the topology has no such node.`);
}

function refuseCorruption(events: readonly Scripted[], place: number, { name, corruption }: Protocol): void {
  if (!corruption)
    throw new UsageError(`events[${place}]: protocol ${name} does not define a corruption. Add "corruption" to its checks.`);
  const change = events.find((event) => ['cut', 'join', 'up', 'down', 'crash', 'restart', 'reload'].includes(event.do));
  if (!change) return;
  throw new UsageError(
    `events[${place}]: the counterexample of a corruption starts after it and cannot replay the "${change.do}" before it. ` +
      `Make the corruption the first event, or remove "${change.do}".`,
  );
}
