/**
 * A network in time: drives a world by the clock.
 *
 * Messages arrive after their latency, timers fire and reactions occur when their delay is over, and scripted events occur at
 * their times. The world (`world/world.ts`) defines the effects of each. The network publishes all steps, so accounts, monitors
 * and traces are separate observers and never affect a run.
 */
import { concatMap, filter, from, map, Subject, type Observable, type SchedulerLike } from 'rxjs';
import type { Message, NodeId } from '../machines/effects.js';
import { UsageError } from '../machines/errors.js';
import type { Choose, Configuration, Flight, Instance, Protocol } from '../machines/protocol.js';
import { Arrivals } from './arrivals.js';
import type { Medium } from './medium.js';
import type { VirtualClock, Work } from './clock.js';
import { Random } from './random.js';
import type { ScenarioNetwork } from './scenario/types.js';
import { NetworkTimers } from './timers.js';
import { FIRST_IN_TICK, type Timing } from './timing.js';
import { createMetric } from './topology/metric.js';
import type { Budget, Workload } from './world/environment.js';
import { createHost, type HostKind } from './world/hosts.js';
import { createInspected, type Inspect } from './world/kernel.js';
import type { ChannelChange } from './world/links.js';
import { NOT_FUSED, Script, type Fused, type Happening, type Scripted } from './world/script.js';
import type { WorldDriver, Lost, Refusal, StepTaken, Witness } from './world/driver.js';
import { World } from './world/world.js';
import type { StartState } from './world/choice.js';
import { selectedIn } from './world/selected-in.js';
import type { Selected } from './world/selections.js';

export type { Refusal, StepTaken } from './world/driver.js';

export interface NetworkOptions {
  readonly protocol: Protocol;
  readonly instance: Instance;
  readonly conditions: ScenarioNetwork;
  readonly timing: Timing;
  readonly seed: number;
  readonly host: HostKind;
  /** XState's `inspect` option, for live actors. */
  readonly inspect?: Inspect | undefined;
  /** Operators on channels instead of the latency, with their scheduler. */
  readonly medium?: { readonly of: Medium; readonly clock: SchedulerLike } | undefined;
  /** Events that choices refer to by position. @defaultValue none */
  readonly script?: readonly Scripted[];
  readonly workload?: Workload | undefined;
  /** Maximum number of lost and duplicated messages among choices. In time, probabilities decide when a message is sent. */
  readonly budget?: Budget;
  /** Fused steps, without time only. */
  readonly fused?: Fused;
}

/**
 * A notification of a node to its application, with its time.
 *
 * @public
 */
export interface Notification {
  readonly node: NodeId;
  readonly at: number;
  readonly notification: Message;
}

/** A value with its time. */
type At<T> = T & { readonly at: number };

/**
 * A network in time: every node's charts, the messages between them and all events, published as Observables. `Simulation`
 * creates one. Subscribing never affects a run. All of them complete when the run ends.
 *
 * @public
 */
export class Network {
  /** Selected transitions into each node's first states, if they are watched. */
  readonly started$ = new Subject<ReadonlyMap<NodeId, Selected>>();
  /** Every step of every node. */
  readonly steps$ = new Subject<StepTaken>();
  /** Rejected commands, with the reason. */
  readonly refused$ = new Subject<At<Refusal>>();
  readonly lost$ = new Subject<At<Lost>>();
  readonly duplicated$ = new Subject<At<Flight>>();
  /** Messages without a sender: a corruption or a given start put them in flight. */
  readonly placed$ = new Subject<At<Flight>>();
  /** Changes of each direction of a link, up or down. */
  readonly channels$ = new Subject<At<ChannelChange>>();
  /** Messages when they are sent. */
  readonly sent$: Observable<At<Flight>> = this.steps$.pipe(
    concatMap(({ sent, at }) => from(sent).pipe(map((flight) => ({ ...flight, at })))),
  );
  /** Steps that deliver a message. */
  readonly delivered$: Observable<StepTaken> = this.steps$.pipe(filter(({ kind }) => kind === 'deliver'));
  /** Notifications of nodes to their applications. */
  readonly notifications$: Observable<Notification> = this.steps$.pipe(
    concatMap(({ node, at, emitted }) => from(emitted).pipe(map((notification) => ({ node, at, notification })))),
  );
  readonly world: World;
  /** Answers the next draw of a node: from the scenario's fixed draws, then from the seed, or from a schedule of choices. */
  choose: (bound: number, node: NodeId) => number;
  private readonly timing: Timing;
  private readonly arrivals: Arrivals;
  private readonly corruption: Random;
  private readonly workload: Random;
  private readonly timers: NetworkTimers;

  private readonly draws: Random;
  /** Remaining fixed draws of the scenario, by node. */
  private readonly fixed: Map<NodeId, readonly number[]>;

  /** Creates the network. With `from`, it continues from the state of that network, whose scenario differs only in future events. */
  constructor(
    private readonly options: NetworkOptions,
    from?: Network,
  ) {
    const {
      protocol,
      instance,
      conditions,
      timing,
      seed,
      host,
      inspect,
      script = [],
      workload,
      medium,
      fused = NOT_FUSED,
      budget = {},
    } = options;
    this.timing = timing;
    this.draws = new Random(seed, 'draws');
    this.corruption = new Random(seed, 'corruption');
    this.workload = new Random(seed, 'workload');
    this.fixed = new Map(from?.fixed ?? Object.entries(protocol.draws?.(instance.options) ?? {}));
    this.choose = (bound, node) => this.nextFixed(node) ?? this.draws.below(bound);
    this.timers = new NetworkTimers(timing, (node, { role, timer }) => void this.world.make({ timer: [node, role, timer] }));
    this.arrivals = new Arrivals(conditions, timing, () => this.world, seed, medium);
    const frame = {
      protocol,
      instance,
      script: new Script(script, protocol),
      workload,
      budget,
      order: conditions.reorder > 0 ? ('unordered' as const) : conditions.order,
      fused,
      measure: createMetric,
    };
    if (inspect && host === 'snapshots') {
      throw new UsageError('inspect watches live actors. Set host to "actors", or omit it.');
    }
    const running = createHost(host, protocol, inspect && createInspected(protocol.name, inspect));
    const witness: Witness = {
      started: (selected) => this.started$.next(selected),
      step: (step) => this.steps$.next(step),
      lost: (lost) => this.lost$.next({ ...lost, at: this.now }),
      duplicated: (flight) => this.duplicated$.next({ ...flight, at: this.now }),
      placed: (flight) => this.placed$.next({ ...flight, at: this.now }),
      channel: (change) => this.channels$.next({ ...change, at: this.now }),
      refused: (refusal) => this.refused$.next({ ...refusal, at: this.now }),
    };
    this.world = new World(frame, running, this.driver(), witness, from?.world);
  }

  private nextFixed(node: NodeId): number | undefined {
    const [next, ...left] = this.fixed.get(node) ?? [];
    if (next !== undefined) this.fixed.set(node, left);
    return next;
  }

  /** Takes over the waiting entries of the network that this one continues from. */
  takeOver(from: Network, clock: VirtualClock, other: VirtualClock): void {
    this.timers.takeOver(from.timers);
    const own: readonly Work['run'][] = [this.issueNext, this.react, this.takeTurn, this.comeUp];
    const others: readonly Work['run'][] = [from.issueNext, from.react, from.takeTurn, from.comeUp];
    const entries = clock.takeOver(other, (entry) => {
      const known = this.timers.translate(from.timers, entry) ?? this.arrivals.translate(from.arrivals, entry);
      const run = own[others.indexOf(entry.run)];
      return known ?? (run && { run, arg: entry.arg });
    });
    this.timers.fit(from.timers, entries);
    this.arrivals.takeOver(from.arrivals, entries);
    for (const stream of ['draws', 'corruption', 'workload'] as const) this[stream].takeOver(from[stream]);
    this.world.environment.standAt(clock.now());
  }

  /** The nodes by name. */
  get nodes() {
    return this.world.nodes;
  }

  /** The current links. */
  get links() {
    return this.world.links;
  }

  /** The current configuration, the argument of properties. */
  get configuration(): Configuration {
    return this.world.configuration;
  }

  /** Ticks since the start. */
  get now(): number {
    return this.timing.now();
  }

  /** Adds the transitions to each published step, until the returned function is called. */
  watchSelections(): () => void {
    return this.world.host.selections?.watch(selectedIn) ?? (() => {});
  }

  /** Opens every node's first roles. */
  start(): void {
    this.world.start();
  }

  /** Starts in this state instead of the nodes' initial one. */
  startFrom(state: StartState): void {
    this.world.startFrom(state);
  }

  /** Performs an event of the network now: a cut, a crash, a command. */
  perform(happening: Happening): void {
    this.world.perform(happening);
  }

  /** Ends the run: every Observable completes, and every live actor stops. */
  stop(): void {
    const { started$, steps$, refused$, lost$, duplicated$, placed$, channels$ } = this;
    for (const each of [started$, steps$, refused$, lost$, duplicated$, placed$, channels$]) each.complete();
    this.world.end();
  }

  /** Issues the first commands of the workload. */
  startWorkload(): void {
    const { workload } = this.options;
    if (!workload) return;
    const atOnce = 'sequential' in workload ? 1 : workload.concurrent;
    for (let i = 0; i < atOnce; i++) this.issueSoon();
  }

  /** Gives up pending commands of the workload at rest: they were lost, and the workload continues. False without any. */
  giveUpLost(): boolean {
    const { underWay } = this.world.environment;
    const lost = underWay.size;
    underWay.clear();
    for (let i = 0; i < lost; i++) this.issueSoon();
    return lost > 0;
  }

  /** At the end, messages that a medium has not emitted are lost. */
  loseStranded(): void {
    if (this.options.medium) for (const { id } of this.world.flights.all) this.world.make({ drop: id });
  }

  private issueSoon(): void {
    this.timing.after(0, FIRST_IN_TICK, this.issueNext, undefined);
  }

  /** Draws the next requester, so that `concurrent` requests are pending. */
  private readonly issueNext = (): void => {
    const { environment } = this.world;
    const { workload, instance } = this.options;
    if (!workload || environment.issued === environment.total) return;
    const node = 'sequential' in workload ? workload.sequential[environment.issued]! : this.anyFreeNode(instance.topology.nodes);
    if (node !== undefined) this.world.issue(node);
  };

  private anyFreeNode(nodes: readonly NodeId[]): NodeId | undefined {
    const { underWay } = this.world.environment;
    if (underWay.size >= nodes.length) return undefined;
    for (;;) {
      const node = this.workload.pick(nodes);
      if (!underWay.has(node)) return node;
    }
  }

  private driver(): WorldDriver {
    const { arrivals, timers, timing } = this;
    const { protocol, instance } = this.options;
    const reactions = protocol.reactions(instance.options);
    const corrupt: Choose = (bound) => this.corruption.below(bound);
    return {
      now: () => timing.now(),
      draw: (bound, node) => this.choose(bound, node),
      fate: () => arrivals.fate(),
      corrupt,
      launched: (packet, placedOn) => arrivals.launched(packet, placedOn),
      landed: (packet) => arrivals.landed(packet),
      emptied: (channel) => arrivals.emptied(channel),
      armed: (node, timer, delay) => timers.arm(node, timer, delay),
      disarmed: (node, timer) => timers.disarm(node, timer),
      left: (node, timer) => timers.left(node, timer),
      reactionPending: (node, reaction) =>
        void timing.after(reactions[reaction]!.after, FIRST_IN_TICK, this.react, { node, reaction }),
      turn: (node) => void timing.after(0, FIRST_IN_TICK, this.takeTurn, node),
      done: () => this.issueSoon(),
      released: () => arrivals.release(),
      slow: (channel, by) => arrivals.slow(channel, by),
      returning: (channels) => {
        for (const notification of channels) timing.after(0, FIRST_IN_TICK, this.comeUp, notification);
      },
    };
  }

  private readonly react = ({ node, reaction }: { readonly node: NodeId; readonly reaction: number }): void =>
    void this.world.react(node, reaction);

  private readonly comeUp = (notification: readonly [NodeId, NodeId]): void => void this.world.noteProcess(...notification);

  private readonly takeTurn = (node: NodeId): void => void this.world.takeTurn(node);
}
