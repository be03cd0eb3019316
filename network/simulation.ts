/**
 * Runs a scenario: network, virtual clock, application, faults, monitor and account in one, all from one seed.
 *
 * The same scenario gives the same steps, byte for byte, on every machine and on both hosts.
 */
import type { SchedulerLike } from 'rxjs';
import { asError, ProtocolError, thrownText, UsageError } from '../machines/errors.js';
import type { Configuration, Flight, Meter, Observer, Instance, Step } from '../machines/protocol.js';
import { VirtualClock, virtualTiming } from './clock.js';
import type { HostKind } from './world/hosts.js';
import type { Inspect } from './world/kernel.js';
import type { Medium } from './medium.js';
import { CannotCopy, copyOf } from './copy.js';
import { Monitor } from './monitor.js';
import { Network } from './network.js';
import { overallVerdict, type Report } from './report.js';
import type { Scenario, ScenarioEvent } from './scenario/types.js';
import { FIRST_IN_TICK, Untimed } from './timing.js';
import { linkChanges } from './topology/link-changes.js';
import type { Refuted } from './trace.js';
import type { Choice, StartState } from './world/choice.js';
import { faultBudget } from './world/environment.js';
import { fusible, NOT_FUSED, Script } from './world/script.js';
import { readFields } from './scenario/read.js';
import { requireScenario } from './scenario/required.js';
import { keysOf } from '../machines/checks.js';

/**
 * Options of a `Simulation` in addition to the scenario.
 *
 * @public
 */
export interface SimulationOptions {
  /** Host of the charts: live XState actors, or plain snapshots for size and speed. @defaultValue `actors` */
  readonly host?: HostKind;
  /** XState's `inspect` option: an observer of all live actors, each named by its node and role. */
  readonly inspect?: Inspect;
  /** `false` measures only: no property is checked or reported. @defaultValue `true` */
  readonly watch?: boolean;
  /** Operators on channels. @defaultValue the scenario's latency */
  readonly medium?: Medium;
  /** Choices to run instead of time: a counterexample of the checker, or a schedule that may grow during the run. */
  readonly choices?: readonly Choice[];
  /** Property that these choices violate, according to a checker. */
  readonly refutes?: Refuted;
  /** Initial state. @defaultValue the nodes' own */
  readonly start?: StartState;
}

const OPTIONS: readonly (keyof SimulationOptions)[] = ['host', 'inspect', 'watch', 'medium', 'choices', 'refutes', 'start'];

/** Maximum number of steps. A run beyond it, or with more messages in flight, is cut off, because it may never come to rest. */
export const STEPS_MAX = 50_000_000;
export const FLIGHTS_MAX = 1_000_000;

/**
 * Runs a scenario: network, virtual clock, application, faults, monitor and account in one, all from one seed.
 *
 * @throws UsageError if both `choices` and `medium` are given.
 * @example
 * ```ts
 * import { parseScenario, Simulation } from 'xstate-quiver/network';
 * import { protocols } from 'xstate-quiver/machines';
 *
 * const json = { protocol: 'directory', topology: { kind: 'ring', n: 8 }, workload: { concurrent: 4, requests: 100 } };
 * const simulation = new Simulation(parseScenario(json, protocols));
 * simulation.network.notifications$.subscribe(({ node, at, notification }) => console.log(at, node, notification.type));
 * console.log(simulation.run().verdict);
 * ```
 * @public
 */
export class Simulation {
  /** Virtual time of the run. */
  readonly clock = new VirtualClock();
  private readonly listening = new VirtualClock();
  /**
   * Scheduler for subscribers, as in `bufferTime(5, simulation.scheduler)`. Work that waits on it does not affect the run or keep it alive.
   * Work for a tick precedes the events of that tick. In a run of choices, each choice is a tick.
   */
  readonly scheduler: SchedulerLike = this.listening;
  private readonly untimed = new Untimed();
  /** Events of the run, as Observables. */
  readonly network: Network;
  /** The properties, and their violations. */
  readonly monitor: Monitor;
  /** The network's graph and the protocol's options. */
  readonly instance: Instance<any>;
  private observer: Observer;
  private readonly messages = new Map<string, number>();
  private steps = 0;
  private readonly choices: readonly Choice[] | null;
  private readonly refutes: Refuted | undefined;
  private readonly watch: boolean;
  private readonly beginning: StartState | null;
  /** Number of choices that the run has made. */
  choicesMade = 0;
  private readonly bySeed: Network['choose'];
  private pendingEvents: number;
  private isStopped = false;
  private failure: Error | null = null;

  /** Creates a run. With `from`, it continues from the state of that run (see `goOn`). */
  constructor(
    readonly scenario: Scenario,
    private readonly given: SimulationOptions = {},
    from?: Simulation,
  ) {
    requireScenario('Simulation', scenario);
    readFields(given, 'SimulationOptions', OPTIONS);
    const { host = 'actors', inspect, watch = true, medium, choices, refutes, start } = given;
    const { protocol, options, graph, network: conditions, seed, events, workload } = scenario;
    const instance: Instance = { ...graph, options };
    this.instance = instance;
    this.choices = choices ?? null;
    this.refutes = refutes;
    this.watch = watch;
    this.beginning = start ?? null;
    if (medium && choices) throw new UsageError('`choices` and `medium` both determine delivery. Pass only one of them.');
    const timing = choices ? this.untimed : virtualTiming(this.clock);
    // Without time, choices determine lost and duplicated messages too.
    const faults = choices ? { loss: 0, duplicate: 0, reorder: 0 } : {};
    const run = {
      protocol,
      instance,
      conditions: { ...conditions, ...faults },
      timing,
      seed,
      host,
      inspect,
      medium: medium && { of: medium, clock: this.clock },
      script: events,
      workload,
      budget: faultBudget(conditions),
      fused: choices ? fusible(new Script(events, protocol)) : NOT_FUSED,
    };
    this.network = new Network(run, from?.network);
    this.bySeed = this.network.choose;
    this.monitor = new Monitor(watch ? protocol.properties(instance) : [], this.network.configuration, from?.monitor);
    this.observer = protocol.observe(instance);
    this.network.steps$.subscribe(this.record);
    this.network.lost$.subscribe(({ flight }) => this.disturbed(flight));
    this.network.duplicated$.subscribe((flight) => this.disturbed(flight));
    const contacts = choices ? [] : linkChanges(scenario.contacts);
    const scripted = choices ? [] : events;
    this.pendingEvents = scripted.length + contacts.length;
    scripted.forEach(({ at }, place) => this.clock.at(at, FIRST_IN_TICK, this.performScripted, place));
    for (const event of contacts) this.clock.at(event.at, FIRST_IN_TICK, this.perform, event);
    if (from) this.takeOver(from);
  }

  /**
   * Returns a separate run that continues from the current state with the events of another scenario. The scenarios may differ
   * only in future events. The new run is byte for byte the run of that scenario from its start. This run does not change.
   *
   * @returns `null` for a run that cannot be continued: in the middle of a tick; one that is inspected, made of choices, or began
   * in a given state; one with a medium, contacts or a reload. Also `null` if the protocol's account cannot be copied (functions,
   * iterators), or if the protocol never falls silent and the other scenario has no more events, so that it may have become
   * quiescent before.
   */
  goOn(scenario: Scenario): Simulation | null {
    const { choices, inspect, medium, start, ...given } = this.given;
    const { events, contacts, protocol, until } = this.scenario;
    const mayRest = protocol.atRest !== undefined && 'idle' in until;
    const hasNext = scenario.events.some(({ at }) => at > this.clock.now());
    if (mayRest && this.pendingEvents > 0 && !hasNext) return null;
    const hasReload = events.some(({ do: what }) => what === 'reload');
    if (choices || inspect || medium || start || hasReload || contacts.length > 0 || !this.isBetweenTicks) return null;
    try {
      return new Simulation(scenario, { ...given, host: 'snapshots' }, this);
    } catch (error) {
      if (error instanceof CannotCopy) return null;
      throw error;
    }
  }

  /** True if all events of this tick have happened. */
  get isBetweenTicks(): boolean {
    return (this.clock.nextTime() ?? Infinity) > this.clock.now();
  }

  private takeOver(from: Simulation): void {
    const now = from.clock.now();
    this.listening.runUntil(now);
    this.network.takeOver(from.network, this.clock, from.clock);
    this.pendingEvents = this.scenario.events.filter(({ at }) => at > now).length;
    this.steps = from.steps;
    for (const [type, count] of from.messages) this.messages.set(type, count);
    this.isStopped = from.isStopped;
    const known = new Map<unknown, unknown>([
      [from.instance, this.instance],
      [from.configuration, this.configuration],
    ]);
    for (const key of keysOf(this.instance)) known.set(from.instance[key], this.instance[key]);
    // Chart snapshots are immutable, and an account may compare them by identity.
    for (const view of from.configuration.nodes.values())
      for (const { value, context } of Object.values(view)) known.set(value, value).set(context, context);
    this.observer = copyOf(from.observer, known);
  }

  private readonly record = (step: Step): void => {
    this.steps++;
    for (const { message } of step.sent) this.messages.set(message.type, (this.messages.get(message.type) ?? 0) + 1);
    try {
      // While a channel or a node is delayed, no bound on delays applies.
      if (this.network.world.traffic.holdsUp) this.disturbed(null);
      this.judge(step);
    } catch (error) {
      // RxJS would report an error of a subscriber only after the run.
      this.failure ??= asError(error);
    }
  };

  private judge(step: Step): void {
    try {
      this.observer.record(step, this.network.configuration);
    } catch (error) {
      const { name } = this.scenario.protocol;
      throw new ProtocolError(`observe of protocol ${name} failed in record: ${thrownText(error)}`, { cause: error });
    }
    this.monitor.record(step);
  }

  /** Throws the first error of a property or of the account. */
  private rethrow(): void {
    const { failure } = this;
    this.failure = null;
    if (failure) throw failure;
  }

  private disturbed(flight: Flight | null): void {
    const { now } = this.network;
    this.monitor.fault(now);
    this.observer.disturbed?.(now, flight);
  }

  private readonly performScripted = (place: number): void => {
    this.pendingEvents--;
    this.network.world.make({ event: place });
    if (this.scenario.events[place]!.do !== 'command') this.monitor.fault(this.network.now);
  };

  private readonly perform = (event: ScenarioEvent): void => {
    this.pendingEvents--;
    this.network.perform(event);
    this.monitor.fault(this.network.now);
  };

  /** The current configuration, the argument of properties. */
  get configuration(): Configuration {
    return this.network.configuration;
  }

  /** Meters of the run so far. */
  get meters(): readonly Meter[] {
    return this.observer.meters(this.configuration);
  }

  /** Opens the nodes and issues the first commands of the workload. */
  start(): void {
    if (this.beginning) this.network.startFrom(this.beginning);
    else this.network.start();
    this.rethrow();
    if (!this.choices) this.network.startWorkload();
  }

  /** Performs the next event. Returns false at the end. */
  advance(): boolean {
    if (this.choices) return this.chooseNext(this.choices);
    if (this.isCutOff) return false;
    const { until } = this.scenario;
    const next = this.clock.nextTime();
    if (next === undefined || ('at' in until && next > until.at) || this.isAtRest(next)) return false;
    this.listening.runUntil(next);
    const isRunning = this.clock.runNext();
    this.rethrow();
    return isRunning;
  }

  /** Ends the run here, like a limit. Results that depend on a complete run stay unknown. */
  stop(): void {
    this.isStopped = true;
  }

  private get isCutOff(): boolean {
    return this.isStopped || this.steps >= STEPS_MAX || this.network.world.flights.size >= FLIGHTS_MAX;
  }

  private chooseNext(choices: readonly Choice[]): boolean {
    const choice = choices[this.choicesMade++];
    if (!choice) return false;
    const drawn = [...(choice.drawn ?? [])];
    this.network.choose = (bound, node) => drawn.shift() ?? this.bySeed(bound, node);
    this.untimed.made++;
    this.listening.runUntil(this.untimed.made);
    if (!this.network.world.make(choice))
      throw new UsageError(`Choice ${JSON.stringify(choice)} is not possible here. Pass a schedule of this scenario.`);
    this.rethrow();
    return true;
  }

  /** Runs to the end that the scenario defines. Calls `onProgress` at regular numbers of steps. */
  run(onProgress?: (steps: number, at: number) => void): Report {
    this.start();
    let reported = 0;
    while (this.advance()) {
      if (onProgress && this.steps >= reported + 10_000) onProgress((reported = this.steps), this.network.now);
    }
    return this.finish();
  }

  finish(): Report {
    const { until, seed } = this.scenario;
    const cutOff = this.isCutOff;
    if ('at' in until && !cutOff && !this.choices) {
      this.clock.runUntil(until.at);
      this.listening.runUntil(until.at);
      this.rethrow();
    }
    const atRest = !cutOff && !this.choices && ('idle' in until || this.clock.isIdle);
    // A protocol that is at rest by its own rule may have messages on their way.
    if (atRest && this.clock.isIdle) this.network.loseStranded();
    const watched = this.monitor.finish(atRest, this.clock.now(), this.refutes);
    const properties = this.watch ? [...watched, ...(this.observer.properties?.() ?? [])] : [];
    const byType = Object.fromEntries([...this.messages].sort(([a], [b]) => (a < b ? -1 : 1)));
    const report: Report = {
      verdict: overallVerdict(properties, cutOff),
      seed,
      at: this.network.now,
      messages: { total: [...this.messages.values()].reduce((sum, count) => sum + count, 0), byType },
      properties,
      meters: this.meters,
      summary: this.observer.summary(this.configuration),
    };
    this.network.stop();
    this.monitor.violations$.complete();
    return report;
  }

  /** True at rest. A protocol that always has messages in flight defines itself when a run may end. */
  private isAtRest(next: number): boolean {
    const { protocol, until } = this.scenario;
    const isOver = next > this.clock.now() && this.pendingEvents === 0 && !this.network.world.environment.hasWaiting;
    if (!protocol.atRest || 'at' in until || !isOver || this.network.world.hasPendingReactions) return false;
    return protocol.atRest(this.configuration) && !this.network.giveUpLost();
  }
}
