/**
 * Custom media: an RxJS operator on a channel, instead of the scenario's latency.
 *
 * The source of the operator contains the messages that are sent on the channel. A message that the operator emits arrives in the
 * same tick, after the current step: the clock delivers it, never the operator itself. The operator receives the run's clock as
 * its scheduler, so the run stays deterministic; no other scheduler advances during a run, so others are refused. A message that
 * the operator does not emit stays in flight until nothing else happens, and is then lost. A message that it emits twice arrives
 * once. An operator that fails ends the run.
 */
import {
  animationFrameScheduler,
  asapScheduler,
  asyncScheduler,
  Subject,
  type MonoTypeOperatorFunction,
  type SchedulerAction,
  type SchedulerLike,
} from 'rxjs';
import type { NodeId } from '../machines/effects.js';
import { thrownText, UsageError } from '../machines/errors.js';
import type { Flight } from '../machines/protocol.js';
import { VirtualClock } from './clock.js';
import { shownValue } from './scenario/read.js';
import type { Packet } from './world/flights.js';
import { fieldsOf } from '../machines/checks.js';

/**
 * Medium of a channel: an RxJS operator from sent messages to arriving messages, or `undefined` to keep the scenario's latency.
 *
 * @example
 * ```ts
 * import { delay } from 'rxjs';
 * import { protocols } from 'xstate-quiver/machines';
 * import { parseScenario, Simulation, type Medium } from 'xstate-quiver/network';
 *
 * const slowUplink: Medium = (from, to, clock) => (from === 'n0' ? delay(20, clock) : undefined);
 * const scenario = parseScenario({ protocol: 'directory', topology: { kind: 'ring', n: 4 }, workload: { concurrent: 1, requests: 4 } }, protocols);
 * console.log(new Simulation(scenario, { medium: slowUplink }).run().verdict);
 * ```
 * @public
 */
export type Medium = (from: NodeId, to: NodeId, clock: SchedulerLike) => MonoTypeOperatorFunction<Flight> | undefined;

type Source = Subject<Flight>;

export class Media {
  /** Sources by channel; `null` for a channel without a medium. */
  private readonly channels = new Map<number, Source | null>();
  private readonly clock: SchedulerLike;
  private readonly isVirtual: boolean;

  /**
   * @param arrive receives the messages that a medium emits.
   * @param fail receives the error of a medium. RxJS would report a thrown error only after the run.
   */
  constructor(
    private readonly medium: Medium,
    clock: SchedulerLike,
    private readonly arrive: (id: number, channel: number) => void,
    private readonly fail: (error: Error) => void,
  ) {
    if (typeof medium !== 'function')
      throw new UsageError(`medium is ${shownValue(medium)}. Pass a function: (from, to, clock) => delay(1, clock)`);
    this.isVirtual = clock instanceof VirtualClock;
    this.clock = this.isVirtual ? onlyClock(clock) : clock;
  }

  /** Passes a message to the medium of its channel; false if the channel has none. */
  takes(packet: Packet): boolean {
    const source = this.sourceOf(packet);
    if (source) this.watched(packet, () => source.next(packet));
    return source !== null;
  }

  private sourceOf(packet: Packet): Source | null {
    const known = this.channels.get(packet.channel);
    if (known !== undefined) return known;
    const source = this.watched(packet, () => this.open(packet)) ?? null;
    this.channels.set(packet.channel, source);
    return source;
  }

  private open(packet: Packet): Source | null {
    const { channel, from, to } = packet;
    const operator = this.medium(from, to, this.clock);
    if (!operator) return null;
    if (typeof operator !== 'function')
      throw new UsageError(`It returned ${shownValue(operator)}. Return an RxJS operator, or undefined for the latency.`);
    const source = new Subject<Flight>();
    source.pipe(operator).subscribe({
      next: (flight: unknown) => {
        const { id } = fieldsOf(flight);
        if (typeof id === 'number') this.arrive(id, channel);
        else
          this.failed(packet, new UsageError(`The operator emitted ${String(flight)}. Emit only the messages that it receives.`));
      },
      error: (error: unknown) => this.failed(packet, error),
    });
    return source;
  }

  private watched<T>(packet: Packet, work: () => T): T | undefined {
    try {
      return this.isVirtual ? withoutOtherClocks(work) : work();
    } catch (error) {
      this.failed(packet, error);
      return undefined;
    }
  }

  private failed({ from, to }: Packet, cause: unknown): void {
    this.fail(new UsageError(`The medium of the channel from ${from} to ${to} failed: ${thrownText(cause)}`, { cause }));
  }
}

const OTHER_CLOCKS = [asyncScheduler, asapScheduler, animationFrameScheduler];

type Work<T> = (this: SchedulerAction<T>, state?: T) => void;

/** The clock, restricted to work that waits only on it. */
const onlyClock = (clock: SchedulerLike): SchedulerLike => ({
  now: () => clock.now(),
  schedule: <T>(work: Work<T>, delay?: number, state?: T) =>
    clock.schedule<T>(
      function (next) {
        withoutOtherClocks(() => work.call(this, next));
      },
      delay ?? 0,
      state,
    ),
});

/** Runs work of an operator. RxJS's default schedulers throw an error meanwhile, because they do not advance during a run. */
function withoutOtherClocks<T>(work: () => T): T {
  const own = OTHER_CLOCKS.map((clock) => Object.getOwnPropertyDescriptor(clock, 'schedule'));
  for (const clock of OTHER_CLOCKS) clock.schedule = refuse;
  try {
    return work();
  } finally {
    OTHER_CLOCKS.forEach((clock, i) => {
      if (own[i]) Object.defineProperty(clock, 'schedule', own[i]);
      else Reflect.deleteProperty(clock, 'schedule');
    });
  }
}

function refuse(): never {
  throw new UsageError(
    'The operator waits on a scheduler that does not advance during a run. Use the clock that `medium` receives: (from, to, clock) => delay(1, clock)',
  );
}
