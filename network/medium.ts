/**
 * Custom media: an RxJS operator on a channel, in place of the scenario's latency.
 *
 * What is sent on the channel is the operator's source, what it passes on arrives then: `delay`, `throttle`, `filter`, a bandwidth by
 * `concatMap`. The operator is given the run's clock as its scheduler, so that the run stays the same byte for byte. A message that it
 * does not pass on is in flight until nothing else is to come, and lost then. One that it passes on twice arrives once.
 */
import { Subject, type MonoTypeOperatorFunction, type SchedulerLike } from 'rxjs';
import type { NodeId } from '../machines/effects.js';
import type { Flight } from '../machines/protocol.js';
import type { Packet } from './world/flights.js';

/**
 * The medium of a channel: an RxJS operator from messages as they are sent to messages as they arrive, or nothing where the
 * scenario's latency is to stand.
 *
 * @example
 * ```ts
 * import { delay } from 'rxjs';
 * import { protocols } from 'xstate-quiver';
 * import { parseScenario, Simulation, type Medium } from 'xstate-quiver/network';
 *
 * const slowUplink: Medium = (from, to, clock) => (from === 'n0' ? delay(20, clock) : undefined);
 * const scenario = parseScenario({ protocol: 'directory', topology: { kind: 'ring', n: 4 }, workload: { concurrent: 1, requests: 4 } }, protocols);
 * console.log(new Simulation(scenario, { medium: slowUplink }).run().verdict);
 * ```
 * @public
 */
export type Medium = (from: NodeId, to: NodeId, clock: SchedulerLike) => MonoTypeOperatorFunction<Flight> | undefined;

export class Media {
  /** By channel; `null` where it has no medium of its own. */
  private readonly channels = new Map<number, Subject<Flight> | null>();

  constructor(
    private readonly medium: Medium,
    private readonly clock: SchedulerLike,
    private readonly arrive: (flight: Flight) => void,
  ) {}

  /** Hands a message to the medium of its channel; false where the channel has none. */
  takes(packet: Packet): boolean {
    const source = this.sourceOf(packet);
    source?.next(packet);
    return source !== null;
  }

  private sourceOf({ channel, from, to }: Packet): Subject<Flight> | null {
    const known = this.channels.get(channel);
    if (known !== undefined) return known;
    const operator = this.medium(from, to, this.clock);
    const source = operator ? new Subject<Flight>() : null;
    if (source && operator) source.pipe(operator).subscribe(this.arrive);
    this.channels.set(channel, source);
    return source;
  }
}
