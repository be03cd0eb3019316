/**
 * A scenario's events without their times: each may happen at any moment, those of one node, one channel or one link in their order.
 *
 * Where nodes have names, a cut or a join is a notice to each end, free to come at any time, and a change of one channel is a notice to
 * its sender alone. Where they are anonymous, a link changes at once, for both ends.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type {
  ChannelEvent,
  CommandEvent,
  CorruptEvent,
  LinkEvent,
  MessageEvent,
  NodeEvent,
  SlowEvent,
} from '../../network/scenario/types.js';
import type { LocalEvents } from './events.js';
import type { System } from './system.js';

/** An event of a scenario, its time left out. */
export type Scripted = LinkEvent | ChannelEvent | SlowEvent | MessageEvent | CorruptEvent | NodeEvent | CommandEvent;

/** What happens next in a lane; `place` is the event's place in the script, -1 for a command of a workload. */
export type Entry = { readonly place: number } & (
  | {
      readonly kind: 'command';
      readonly node: number;
      readonly event: number;
      /** It cannot happen before the chart has a transition for it. */
      readonly waits: boolean;
    }
  | { readonly kind: 'notice'; readonly node: number; readonly event: number; readonly channel: number; readonly up: boolean }
  | { readonly kind: 'corrupt'; readonly nodes: readonly number[] }
  | { readonly kind: 'power'; readonly node: number; readonly up: boolean }
  | { readonly kind: 'link'; readonly ends: readonly [number, number]; readonly up: boolean; readonly ports?: readonly number[] }
);

/** What only delays messages changes nothing here: they may take any time anyhow. */
const DELAYS: readonly Scripted['do'][] = ['clog', 'unclog', 'slow', 'pause', 'resume', 'hold', 'deliver'];

/** The entries by lanes: of each lane only the next can happen. */
export function lanesOf(script: readonly Scripted[], system: System, events: LocalEvents): readonly (readonly Entry[])[] {
  const lanes = new Map<string, Entry[]>();
  const append = (lane: string, entry: Entry) => void (lanes.get(lane)?.push(entry) ?? lanes.set(lane, [entry]));
  const isAnonymous = system.protocol.network.addressing === 'ports';
  script.forEach((event, place) => {
    if (event.do === 'command') {
      append(event.node, commandEntry(event, place, system, events));
    } else if (event.do === 'cut' || event.do === 'join') {
      const [u, v] = event.link;
      const up = event.do === 'join';
      if (isAnonymous) {
        const ports = event.do === 'join' && event.ports ? { ports: event.ports } : {};
        append([u, v].sort().join(' '), { place, kind: 'link', ends: ends(u, v, place, system), up, ...ports });
      } else {
        append(`${u} ${v}`, noticeEntry(u, v, up, place, system, events));
        append(`${v} ${u}`, noticeEntry(v, u, up, place, system, events));
      }
    } else if ((event.do === 'down' || event.do === 'up') && !isAnonymous) {
      const [u, v] = event.channel;
      append(`${u} ${v}`, noticeEntry(u, v, event.do === 'up', place, system, events));
    } else if (event.do === 'crash' || event.do === 'restart') {
      append(event.node, { place, kind: 'power', node: rank(event.node, place, system), up: event.do === 'restart' });
    } else if (event.do === 'corrupt') {
      // One that stands before all else is in the first states already.
      if (!isFirst(place, script)) append('corrupt', corruptEntry(event, place, script, system));
    } else if (!DELAYS.includes(event.do)) {
      throw new UsageError(
        `events[${place}]: the checker has no "${event.do}" for ${system.protocol.name}; leave it out or run the scenario`,
      );
    }
  });
  return [...lanes.values()];
}

/** Whether nothing but corruption stands before an event. */
const isFirst = (place: number, script: readonly Scripted[]): boolean =>
  script.slice(0, place + 1).every((event) => event.do === 'corrupt');

/** The nodes with whose corruption a script begins. */
export const corruptAtFirst = (script: readonly Scripted[]): readonly NodeId[] =>
  script.flatMap((event, place) => (event.do === 'corrupt' && isFirst(place, script) ? event.nodes : []));

function corruptEntry({ nodes }: CorruptEvent, place: number, script: readonly Scripted[], system: System): Entry {
  if (!system.protocol.corruption)
    throw new UsageError(`events[${place}]: protocol ${system.protocol.name} promises nothing after corruption`);
  const change = script.find((event) => ['cut', 'join', 'up', 'down', 'crash', 'restart'].includes(event.do));
  if (change) {
    throw new UsageError(
      `events[${place}]: a schedule with a corruption begins after it, and cannot tell what "${change.do}" did before; ` +
        'let the corruption stand first, or leave that out',
    );
  }
  return { place, kind: 'corrupt', nodes: nodes.map((node) => rank(node, place, system)) };
}

export function commandEntry(
  { name, node, fields }: Omit<CommandEvent, 'do'>,
  place: number,
  system: System,
  events: LocalEvents,
) {
  const command = system.protocol.commands[name];
  if (!command) throw new UsageError(`events[${place}]: protocol ${system.protocol.name} has no command "${name}"`);
  const at = rank(node, place, system);
  const event = events.intern({ node: at, kind: 'command', event: command.event(fields), name });
  return { kind: 'command', place, node: at, event, waits: command.waits } as const;
}

function noticeEntry(from: NodeId, to: NodeId, up: boolean, place: number, system: System, events: LocalEvents): Entry {
  const [u, v] = ends(from, to, place, system);
  const event = events.intern({ node: u, kind: 'link', event: linkEvent(up, to) });
  return { kind: 'notice', place, node: u, event, channel: u * system.nodes.length + v, up };
}

export const linkEvent = (up: boolean, peer: NodeId | number): Message =>
  ({ type: up ? 'link.up' : 'link.down', peer }) as Message;

function ends(u: NodeId, v: NodeId, place: number, system: System): readonly [number, number] {
  const { name, network } = system.protocol;
  if (network.reach !== 'links') {
    throw new UsageError(`events[${place}]: links do not matter to ${name}, whose messages are routed; leave the event out`);
  }
  return [rank(u, place, system), rank(v, place, system)];
}

function rank(node: NodeId, place: number, { instance }: System): number {
  const index = instance.rank(node);
  if (index < 0) throw new UsageError(`events[${place}] names ${JSON.stringify(node)}, which is no node of the topology`);
  return index;
}
