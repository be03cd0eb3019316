/** A script made ready for the search: what it cannot take without time, and names that mean nothing here, are refused. */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { NetworkGraph, Protocol } from '../../machines/protocol.js';
import { refuseUntimed, Script, type Scripted } from '../../network/world/script.js';

export function scriptOf(events: readonly Scripted[], protocol: Protocol, graph: NetworkGraph): Script {
  refuseUntimed(events, protocol);
  events.forEach((event, place) => {
    refuseUnknownActors(event, place, graph);
    if (event.do === 'command' && !protocol.commands[event.name])
      throw new UsageError(`events[${place}]: protocol ${protocol.name} has no command "${event.name}"`);
  });
  const script = new Script(events, protocol);
  events.forEach(({ do: what }, place) => {
    if (what === 'corrupt' && !script.standsFirst(place)) refuseCorruption(events, place, protocol);
  });
  return script;
}

/** The nodes with whose corruption a script begins. */
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
    if (rank(node) < 0) throw new UsageError(`events[${place}] names ${JSON.stringify(node)}, which is no node of the topology`);
}

function refuseCorruption(events: readonly Scripted[], place: number, { name, corruption }: Protocol): void {
  if (!corruption) throw new UsageError(`events[${place}]: protocol ${name} has no corrupt states; give its checks a corruption`);
  const change = events.find((event) => ['cut', 'join', 'up', 'down', 'crash', 'restart', 'reload'].includes(event.do));
  if (!change) return;
  throw new UsageError(
    `events[${place}]: a schedule with a corruption begins after it, and cannot tell what "${change.do}" did before; ` +
      'let the corruption stand first, or leave that out',
  );
}
