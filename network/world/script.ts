/**
 * A scenario's events as a world knows them, and the order in which they may come.
 *
 * The driver decides about times. Without times an event may come at any moment, after the previous events in its lane. A node's
 * commands, crashes, restarts and reloads form one lane; each direction of a link is one, and so is a link between ports as a
 * whole. A lane keeps the order of time if its events have times, and the order of the list if they have none or the same.
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';

export type Pair = readonly [NodeId, NodeId];

export type ScriptedLinkEvent =
  | { readonly do: 'cut'; readonly link: Pair }
  | { readonly do: 'join'; readonly link: Pair; readonly weight?: number; readonly ports?: readonly [number, number] };

/** One direction of a link changes, and only the first node is notified. */
export interface ChannelEvent {
  readonly do: 'up' | 'down' | 'clog' | 'unclog';
  readonly channel: Pair;
}

/** From now on, every message on the channel takes longer by this number of ticks. */
export interface SlowEvent {
  readonly do: 'slow';
  readonly channel: Pair;
  readonly by: number;
}

/** An event for one message in flight, by its number in the trace. `hold` keeps it back until `deliver`. */
export interface MessageEvent {
  readonly do: 'drop' | 'duplicate' | 'hold' | 'deliver';
  readonly message: number;
}

export interface CorruptEvent {
  readonly do: 'corrupt';
  /** All nodes of the topology where the file names none. */
  readonly nodes: readonly NodeId[];
}

export interface NodeEvent {
  readonly do: 'crash' | 'restart' | 'reload' | 'pause' | 'resume';
  readonly node: NodeId;
}

/** A command of the protocol; `fields` are those that `Command.fields` asks for. */
export interface CommandEvent {
  readonly do: 'command';
  readonly name: string;
  readonly node: NodeId;
  readonly fields: Readonly<Record<string, number | NodeId>>;
}

/** An event of a scenario, without its time. */
export type Happening = ScriptedLinkEvent | ChannelEvent | SlowEvent | MessageEvent | CorruptEvent | NodeEvent | CommandEvent;

/** The kinds of events. */
export const happenings = [
  ...(['cut', 'join', 'up', 'down', 'clog', 'unclog', 'slow'] as const),
  ...(['drop', 'duplicate', 'hold', 'deliver', 'corrupt'] as const),
  ...(['crash', 'restart', 'reload', 'pause', 'resume', 'command'] as const),
] satisfies readonly Happening['do'][];

/** An event of a script, with its time if the world has times. */
export type Scripted = Happening & { readonly at?: number };

/** One entry of a lane, a list of events that must happen in order. `place` is the position of the event in the script. */
export type LaneEntry = { readonly place: number } & (
  | { readonly kind: 'command'; readonly event: CommandEvent }
  /** One direction of a link comes up or goes down; its sender is notified. */
  | { readonly kind: 'channel'; readonly from: NodeId; readonly to: NodeId; readonly up: boolean; readonly weight?: number }
  /** A link between ports changes as a whole, before either end is notified. */
  | { readonly kind: 'link'; readonly event: ScriptedLinkEvent }
  | { readonly kind: 'crash' | 'restart' | 'reload'; readonly node: NodeId }
  | { readonly kind: 'corrupt'; readonly nodes: readonly NodeId[] }
);

export class Script {
  readonly lanes: readonly (readonly LaneEntry[])[];
  /** By place: the lanes in which an event has an entry. */
  private readonly lanesOf = new Map<number, number[]>();

  constructor(
    readonly events: readonly Scripted[],
    private readonly protocol: Pick<Protocol, 'network' | 'commands'>,
  ) {
    const lanes = new Map<string, LaneEntry[]>();
    const inTime = events.map((event, place) => ({ event, place })).sort((a, b) => (a.event.at ?? 0) - (b.event.at ?? 0));
    for (const { event, place } of inTime) {
      for (const [lane, entry] of entriesOf(event, place, protocol.network.addressing === 'ports')) {
        if (!lanes.has(lane)) lanes.set(lane, []);
        lanes.get(lane)!.push(entry);
      }
    }
    this.lanes = [...lanes.values()];
    this.lanes.forEach((entries, lane) => {
      for (const { place } of entries) this.lanesOf.set(place, [...(this.lanesOf.get(place) ?? []), lane]);
    });
  }

  /** The lanes in which the event at a place of the script has an entry. */
  lanesAt(place: number): readonly number[] {
    return this.lanesOf.get(place) ?? [];
  }

  /** Nodes at which something may come while a command waits: they stop, or are given a command that does not wait. */
  get interrupted(): ReadonlySet<NodeId> {
    return new Set(
      this.lanes.flatMap((lane) => {
        const first = lane.findIndex((entry) => entry.kind === 'command' && this.waits(entry.event));
        const later = first === -1 ? undefined : lane.slice(first).find((entry) => this.interrupts(entry));
        return later?.kind === 'command' ? [later.event.node] : later?.kind === 'crash' ? [later.node] : [];
      }),
    );
  }

  private waits({ name }: CommandEvent): boolean {
    return this.protocol.commands[name]?.waits ?? false;
  }

  private interrupts(entry: LaneEntry): boolean {
    return entry.kind === 'crash' || (entry.kind === 'command' && !this.waits(entry.event));
  }

  /** True if some node may stop. */
  get hasCrashes(): boolean {
    return this.entries.some(({ kind }) => kind === 'crash');
  }

  /** Nodes that a fault may affect: they stop, one of their links changes, or they are corrupted (except at the very start). */
  get exposed(): ReadonlySet<NodeId> {
    return new Set(
      this.entries.flatMap((entry): readonly NodeId[] => {
        if (entry.kind === 'command') return [];
        if (entry.kind === 'channel') return [entry.from, entry.to];
        if (entry.kind === 'link') return entry.event.link;
        if (entry.kind === 'corrupt') return this.standsFirst(entry.place) ? [] : entry.nodes;
        return [entry.node];
      }),
    );
  }

  private get entries(): readonly LaneEntry[] {
    return this.lanes.flat();
  }

  /** True if nothing but corruption is before the event at this place. */
  standsFirst(place: number): boolean {
    return this.events.slice(0, place + 1).every((event) => event.do === 'corrupt');
  }
}

/**
 * The one reduction that worlds without time make: what the application does at once about a step is taken with that step.
 *
 * A reaction without delay affects only its own node, so only a fault there could distinguish it from a later one. A command
 * comes when the chart accepts it, unless another event may reach its node while it waits.
 */
export interface Fused {
  reactions(node: NodeId): boolean;
  turns(node: NodeId): boolean;
}

/** Decides whether the application's immediate reactions can be taken in the same step. They cannot if a fault may happen in between. */
export function fusible({ exposed, interrupted }: Script): Fused {
  return { reactions: (node) => !exposed.has(node), turns: (node) => !interrupted.has(node) };
}

export const NOT_FUSED: Fused = { reactions: () => false, turns: () => false };
export const ALL_FUSED: Fused = { reactions: () => true, turns: () => true };

function entriesOf(event: Scripted, place: number, isAnonymous: boolean): readonly (readonly [lane: string, entry: LaneEntry])[] {
  switch (event.do) {
    case 'command':
      return [[event.node, { place, kind: 'command', event }]];
    case 'crash':
    case 'restart':
    case 'reload':
      return [[event.node, { place, kind: event.do, node: event.node }]];
    case 'corrupt':
      return [['corrupt', { place, kind: 'corrupt', nodes: event.nodes }]];
    case 'cut':
    case 'join': {
      const [u, v] = event.link;
      if (isAnonymous) return [[[u, v].toSorted().join('\n'), { place, kind: 'link', event }]];
      const weight = event.do === 'join' && event.weight !== undefined ? { weight: event.weight } : {};
      const channel = (from: NodeId, to: NodeId) =>
        [`${from}\n${to}`, { place, kind: 'channel', from, to, up: event.do === 'join', ...weight }] as const;
      return [channel(u, v), channel(v, u)];
    }
    case 'up':
    case 'down': {
      const [from, to] = event.channel;
      return [[`${from}\n${to}`, { place, kind: 'channel', from, to, up: event.do === 'up' }]];
    }
    default:
      return [];
  }
}

export const cannotReload = ({ name }: Pick<Protocol, 'name'>): string =>
  `protocol ${name} defines no reload. Use restart: the node then continues with its old state.`;

/** Rejects events that have no meaning without times: those for numbered messages, and for one direction of a link between ports. */
export function refuseUntimed(
  events: readonly Scripted[],
  { name, network, reload }: Pick<Protocol, 'name' | 'network' | 'reload'>,
): void {
  for (const [place, { do: what }] of events.entries()) {
    if (what === 'reload' && !reload) throw new UsageError(`events[${place}]: ${cannotReload({ name })}`);
    const isOfLinks = what === 'up' || what === 'down' || what === 'cut' || what === 'join';
    if (isOfLinks && network.reach !== 'links')
      throw new UsageError(`events[${place}]: ${name} routes its messages, so links have no effect. Omit the event.`);
    const isHalf = network.addressing === 'ports' && (what === 'up' || what === 'down');
    if (isHalf || what === 'drop' || what === 'duplicate')
      throw new UsageError(
        `events[${place}]: the checker does not support "${what}" for ${name}. Omit it, or run the scenario instead.`,
      );
  }
}
