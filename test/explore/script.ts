/**
 * A scenario's events without their times: each may happen at any moment, those of one node or one channel in their order.
 *
 * A cut or a join is a notice to each end, free to come at any time; a change of one channel is a notice to its sender alone.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { ChannelEvent, CommandEvent, CorruptEvent, LinkEvent, NodeEvent } from '../../network/scenario/types.js';
import type { LocalEvents } from './events.js';
import type { System } from './system.js';

/** An event of a scenario, its time left out. */
export type Scripted = LinkEvent | ChannelEvent | CorruptEvent | NodeEvent | CommandEvent;

/** One thing that happens to one node. */
export interface Entry {
  /** The place in the script. */
  readonly place: number;
  readonly node: number;
  readonly event: number;
  /** It cannot happen before the chart has a transition for it. */
  readonly waits: boolean;
  /** The channel whose status it tells, and that status. */
  readonly channel?: number;
  readonly up?: boolean;
}

/** The entries by lanes: of each lane only the next can happen. */
export function lanesOf(script: readonly Scripted[], system: System, events: LocalEvents): readonly (readonly Entry[])[] {
  const lanes = new Map<string, Entry[]>();
  const append = (lane: string, entry: Entry) => void (lanes.get(lane)?.push(entry) ?? lanes.set(lane, [entry]));
  script.forEach((event, place) => {
    switch (event.do) {
      case 'command': {
        const entry = commandEntry(event, place, system, events);
        return append(event.node, entry);
      }
      case 'cut':
      case 'join': {
        const [u, v] = event.link;
        append(`${u} ${v}`, noticeEntry(u, v, event.do === 'join', place, system, events));
        return append(`${v} ${u}`, noticeEntry(v, u, event.do === 'join', place, system, events));
      }
      case 'down':
      case 'up': {
        const [u, v] = event.channel;
        return append(`${u} ${v}`, noticeEntry(u, v, event.do === 'up', place, system, events));
      }
      default:
        throw new UsageError(`events[${place}]: the checker does not know "${event.do}" yet; leave it out or run the scenario`);
    }
  });
  return [...lanes.values()];
}

function commandEntry({ name, node, fields }: CommandEvent, place: number, system: System, events: LocalEvents): Entry {
  const command = system.protocol.commands[name];
  if (!command) throw new UsageError(`events[${place}]: ${system.protocol.name} has no command "${name}"`);
  const at = nodeIndex(node, place, system);
  return {
    place,
    node: at,
    event: events.intern({ node: at, kind: 'command', event: command.event(fields) }),
    waits: command.waits,
  };
}

function noticeEntry(from: NodeId, to: NodeId, up: boolean, place: number, system: System, events: LocalEvents): Entry {
  if (system.protocol.network.reach !== 'links') {
    throw new UsageError(
      `events[${place}]: links do not matter to ${system.protocol.name}, whose messages are routed; leave the event out`,
    );
  }
  const [u, v] = [nodeIndex(from, place, system), nodeIndex(to, place, system)];
  const event = { type: up ? 'link.up' : 'link.down', peer: to } as Message;
  return {
    place,
    node: u,
    event: events.intern({ node: u, kind: 'link', event }),
    waits: false,
    channel: u * system.nodes.length + v,
    up,
  };
}

function nodeIndex(node: NodeId, place: number, { setup }: System): number {
  const index = setup.rank(node);
  if (index < 0) throw new UsageError(`events[${place}] names ${JSON.stringify(node)}, which is no node of the topology`);
  return index;
}
