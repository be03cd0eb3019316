/** The two partners of a world: the driver makes all open choices, such as a message's fate, and the witness is notified of each step. */
import type { Message, NodeId } from '../../machines/effects.js';
import type { Choose, Flight, Step } from '../../machines/protocol.js';
import type { Packet } from './flights.js';
import type { ChannelChange } from './links.js';
import type { TimerOrder } from './node.js';
import type { ArmedTimer } from './pending.js';
import type { Selected } from './selections.js';

/**
 * A step with additional data for the trace.
 *
 * @public
 */
export interface StepTaken extends Step {
  readonly timers: readonly TimerOrder[];
  readonly drawn: readonly number[];
  /** Present if the host's selections are watched. */
  readonly selected: Selected | undefined;
}

/** Cause of a step, with the number of its message if it has one. */
export type Cause = Pick<Step, 'kind' | 'node' | 'event'> & { readonly message?: number };

export type Refusal = { readonly node?: NodeId; readonly event: Message; readonly why: string };

/**
 * A message that will not arrive, and the reason: chance, a link or receiver that is down, or no route.
 *
 * @public
 */
export interface Lost {
  readonly flight: Flight;
  readonly why: 'loss' | 'link down' | 'no route' | 'node down';
}

/** The fate of a message that was sent: in flight, lost or duplicated. */
export type Fate = 'kept' | 'lost' | 'doubled';

/** Makes the choices that a world leaves open, and waits in time for later events. */
export interface WorldDriver {
  now(): number;
  draw(bound: number, node: NodeId): number;
  fate(): Fate;
  /** Draws of a corruption, and of the remaining way of a message that it puts in flight. */
  corrupt: Choose;
  launched(packet: Packet, placedOn?: 'its way'): void;
  /** Called when a message has arrived or was lost. */
  landed(packet: Packet): void;
  armed(node: NodeId, timer: ArmedTimer, delay: number): void;
  disarmed(node: NodeId, timer: ArmedTimer): void;
  /** Returns the ticks until an armed timer expires. */
  left(node: NodeId, timer: ArmedTimer): number;
  reactionPending(node: NodeId, reaction: number): void;
  /** Called when a waiting command may be the first one. */
  turn(node: NodeId): void;
  /** Called when a command of the workload is complete. */
  done(node: NodeId): void;
  /** Called when channels or nodes release delayed messages. */
  released(): void;
  /** Called when all messages in flight on a channel were lost. */
  emptied(channel: number): void;
  slow(channel: number, by: number): void;
  /** A process has restarted; its channels come up when their ends are notified. */
  returning(channels: readonly (readonly [from: NodeId, to: NodeId])[]): void;
}

/** Receives each step and each change of the network, in order. */
export interface Witness {
  started(selected: ReadonlyMap<NodeId, Selected>): void;
  step(step: StepTaken): void;
  lost(lost: Lost): void;
  duplicated(flight: Flight): void;
  /** Called for a message without a sender: a corruption or a given start put it in flight. */
  placed(flight: Flight): void;
  channel(change: ChannelChange): void;
  refused(refusal: Refusal): void;
}
