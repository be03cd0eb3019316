/**
 * A scenario as the rest of the network sees it: checked, its defaults filled in, its topology built, its options read by the
 * protocol. The JSON that it came from is kept by whoever read it.
 */
import type { NodeId } from '../../machines/effects.js';
import type { NetworkGraph, Protocol } from '../../machines/protocol.js';
import type { LatencySpec } from '../latency.js';
import type { Contact } from '../topology/contacts.js';

export interface Scenario<O = any> {
  readonly protocol: Protocol<O>;
  /** As the protocol checked and completed them. */
  readonly options: O;
  readonly graph: NetworkGraph;
  /** For a topology that changes with time: who meets whom, and when. */
  readonly contacts: readonly Contact[];
  readonly network: NetworkOptions;
  /** In the order of the file; the place in this list is an event's name in traces. */
  readonly events: readonly ScenarioEvent[];
  readonly workload?: Workload;
  readonly seed: number;
  readonly until: Until;
}

export interface NetworkOptions {
  readonly latency: LatencySpec;
  readonly order: 'fifo' | 'unordered';
  /** Chances, 0 to 1, drawn for each message. */
  readonly loss: number;
  readonly duplicate: number;
  readonly reorder: number;
}

export type ScenarioEvent = { readonly at: number } & (
  | LinkEvent
  | ChannelEvent
  | SlowEvent
  | MessageEvent
  | CorruptEvent
  | NodeEvent
  | CommandEvent
);

export type LinkEvent =
  | { readonly do: 'cut'; readonly link: Pair }
  | { readonly do: 'join'; readonly link: Pair; readonly weight: number; readonly ports?: readonly [number, number] };

/** One direction of a link, told to the first node alone. */
export interface ChannelEvent {
  readonly do: 'up' | 'down' | 'clog' | 'unclog';
  readonly channel: Pair;
}

/** From now on every message of the channel takes so many ticks longer. */
export interface SlowEvent {
  readonly do: 'slow';
  readonly channel: Pair;
  readonly by: number;
}

/** What befalls one message that is in flight, by its number in the trace. `hold` keeps it back until `deliver`. */
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
  readonly do: 'crash' | 'restart' | 'pause' | 'resume';
  readonly node: NodeId;
}

/** A command of the protocol; `fields` are those that `Command.fields` asks for. */
export interface CommandEvent {
  readonly do: 'command';
  readonly name: string;
  readonly node: NodeId;
  readonly fields: Readonly<Record<string, number | NodeId>>;
}

export type Workload = {
  /** Which of the protocol's commands it issues. */
  readonly command: string;
} & (
  | { /** The next is issued when the last is done. */ readonly sequential: readonly NodeId[] }
  | { readonly concurrent: number; readonly requests: number }
);

export type Until = { readonly idle: true } | { readonly at: number };

export type Pair = readonly [NodeId, NodeId];
