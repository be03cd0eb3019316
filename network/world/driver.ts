/**
 * Who stands around a world: the driver, who decides what the world leaves open and waits in time for what comes later, and the witness,
 * who hears what happens.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import type { Choose, Flight, Step } from '../../machines/protocol.js';
import type { Packet } from './flights.js';
import type { ChannelChange } from './links.js';
import type { TimerOrder } from './node.js';
import type { ArmedTimer } from './pending.js';
import type { Selected } from './selections.js';

/**
 * A step with what only the trace wants to know.
 *
 * @public
 */
export interface StepTaken extends Step {
  readonly timers: readonly TimerOrder[];
  readonly drawn: readonly number[];
  /** Where somebody watches the host's selections. */
  readonly selected: Selected | undefined;
}

export type Refusal = { readonly node?: NodeId; readonly event: Message; readonly why: string };

/**
 * A message that will not arrive, and why: by chance, because its link or its receiver is down, or because there is no way.
 *
 * @public
 */
export interface Lost {
  readonly flight: Flight;
  readonly why: 'loss' | 'link down' | 'no route' | 'node down';
}

/** What becomes of a message as it is sent. */
export type Fate = 'kept' | 'lost' | 'doubled';

/** Who decides what a world leaves open, and waits in time for what comes later. */
export interface WorldDriver {
  now(): number;
  draw(bound: number, node: NodeId): number;
  fate(): Fate;
  /** Draws of a corruption, and of the way that a message it puts in flight has left. */
  corrupt: Choose;
  launched(packet: Packet, placedOn?: 'its way'): void;
  /** It has arrived or was lost. */
  landed(packet: Packet): void;
  armed(node: NodeId, timer: ArmedTimer, delay: number): void;
  disarmed(node: NodeId, timer: ArmedTimer): void;
  /** The ticks left on an armed timer. */
  left(node: NodeId, timer: ArmedTimer): number;
  reactionPending(node: NodeId, reaction: number): void;
  /** The turn of a waiting command may have come. */
  turn(node: NodeId): void;
  /** A command of the workload is done. */
  done(node: NodeId): void;
  /** Channels or nodes let their messages go again. */
  released(): void;
  /** Everything in flight on a channel was lost. */
  emptied(channel: number): void;
  slow(channel: number, by: number): void;
  /** A process has begun again; its channels come up when their ends are told. */
  returning(channels: readonly (readonly [from: NodeId, to: NodeId])[]): void;
}

/** Who hears what happens, in the order in which it does. */
export interface Witness {
  started(selected: ReadonlyMap<NodeId, Selected>): void;
  step(step: StepTaken): void;
  lost(lost: Lost): void;
  duplicated(flight: Flight): void;
  /** A message that no node sent: a corruption or a given start put it in flight. */
  placed(flight: Flight): void;
  channel(change: ChannelChange): void;
  refused(refusal: Refusal): void;
}
