/**
 * Runs a chart without live actors: each step is XState's own `transition` of the machine's logic. Its requests (timers, actors, events for
 * others) are kept as data.
 *
 * XState makes the root and the actors that it invokes or spawns, but they are never started: only the steps taken here run. A state can
 * therefore be left and restored, where live actors would have to repeat the whole path. At the end of a step, the requests are performed
 * in the order of a live actor: delayed events are armed or canceled, events are sent, actors are stopped.
 */
import type { ActorOptions, AnyActor, AnyActorLogic, AnyActorRef, AnyActorScope, AnyMachineSnapshot } from 'xstate';
import type { AnyMessage, Message } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { createStaged, type LogicKind, type StageHooks } from './stage.js';

type Clock = NonNullable<ActorOptions<AnyActorLogic>['clock']>;

/** An actor of XState with what is written here from outside. */
interface Still extends Omit<AnyActor, 'logic' | 'system' | 'start'> {
  _snapshot: AnyMachineSnapshot;
  _processingStatus: number;
  readonly _syncSnapshot: boolean | undefined;
  readonly logic: AnyActorLogic;
  readonly _actorScope: AnyActorScope;
  readonly system: Names & { _relay(source: AnyActor | undefined, target: Still, event: Message): void };
  start: () => void;
  update(snapshot: unknown, event: Message): void;
  _stopProcedure(): void;
}

const stillOf = (actor: AnyActorRef): Still => actor as unknown as Still;
const actorOf = (actor: Still): AnyActor => actor as unknown as AnyActor;

/** Which actors of a system have a `systemId`. */
interface Names {
  getAll(): Readonly<Record<string, AnyActor>>;
  _set(systemId: string, actor: AnyActor): void;
  _unregister(actor: AnyActor): void;
}

/** An action of XState itself that a step requests. */
interface Asked {
  readonly type: string;
  readonly params: any;
}

/** As the chart names it, for a delayed event that can be canceled. */
type TimerId = string | symbol;

/** XState's number for this status. */
const NOT_STARTED = 0;
const RUNNING = 1;

const DEFERRED = 'deferred';

/** The state of a chart, to restore it later. */
export interface ChartStanding {
  readonly snapshot: AnyMachineSnapshot;
  readonly actors: ReadonlyMap<Still, readonly [snapshot: AnyMachineSnapshot, status: number]>;
  readonly timers: ReadonlyMap<TimerId, unknown>;
  /** The actors that the system finds by a `systemId`. */
  readonly named: Readonly<Record<string, AnyActor>>;
}

export class ChartAlone {
  readonly root: AnyActor;
  private readonly actors: Still[] = [];
  /** By id. XState forgets a timer whose id is used again, but the timer still fires. */
  private timers = new Map<TimerId, unknown>();
  private asked: Asked[] = [];
  private events: Message[] = [];
  private isStepping = false;

  constructor(
    logic: AnyActorLogic,
    start: object,
    private clock: Clock,
    private hooks: StageHooks,
  ) {
    const own: StageHooks = {
      created: (actor, kind) => this.created(stillOf(actor), kind),
      performs: (actor, action) => {
        this.hooks.performs(actor, action);
        return false;
      },
      perform: () => {},
      relays: () => {},
      taken: (transition) => this.hooks.taken(transition),
      schedules: () => {},
      broke: () => {},
    };
    this.root = createStaged(logic, { ...start, logger: () => {} }, own);
  }

  /** Performs the requests of the first state. */
  start(): void {
    this.isStepping = true;
    this.follow(() => this.performAsked());
    this.goOn();
  }

  stop(): void {
    this.clearTimers();
    for (const child of Object.values<AnyActorRef>(this.still._snapshot.children ?? {})) this.end(stillOf(child));
  }

  get standing(): ChartStanding {
    const actors = new Map(this.actors.map((actor) => [actor, [actor._snapshot, actor._processingStatus] as const]));
    return { snapshot: this.still._snapshot, actors, timers: new Map(this.timers), named: this.system.getAll() };
  }

  /** Restores a state. The caller restores the clock with its running timers. */
  comeBack({ snapshot, actors, timers, named }: ChartStanding, clock: Clock, hooks: StageHooks): void {
    this.clock = clock;
    this.hooks = hooks;
    this.still._snapshot = snapshot;
    this.timers = new Map(timers);
    this.actors.splice(0, Infinity, ...actors.keys());
    for (const [actor, [own, status]] of actors) Object.assign(actor, { _snapshot: own, _processingStatus: status });
    for (const actor of Object.values(this.system.getAll())) this.system._unregister(actor);
    for (const [systemId, actor] of Object.entries(named)) this.system._set(systemId, actor);
  }

  /** Releases a name immediately, like XState: another actor may take the `systemId` in the same step. */
  private unname(actor: Still): void {
    for (const child of Object.values<AnyActorRef>(actor._snapshot.children ?? {})) this.unname(stillOf(child));
    this.system._unregister(actorOf(actor));
  }

  private get system(): Names {
    return this.still.system;
  }

  private get still(): Still {
    return stillOf(this.root);
  }

  private created(actor: Still, kind: LogicKind): AnyActorLogic {
    const scope = actor._actorScope;
    // Actors that `assign` spawns start at the end of the step.
    scope.defer = (work: () => void) => this.asked.push({ type: DEFERRED, params: work });
    scope.stopChild = (child) => this.end(stillOf(child));
    scope.actionExecutor = (action: Asked) => {
      if (action.type === 'xstate.stopChild' && action.params) this.unname(action.params);
      this.asked.push(action);
    };
    if (actor._parent === undefined) actor.system._relay = (source, target, event) => this.relay(source, target, event);
    else {
      actor.start = () => this.begin(actor);
      this.actors.push(actor);
    }
    return this.hooks.created(actorOf(actor), kind);
  }

  private relay(source: AnyActor | undefined, target: Still, event: AnyMessage): void {
    this.hooks.relays(event, actorOf(target), source);
    if (target !== this.still) return this.sendTo(target, event);
    this.events.push(event);
    if (!this.isStepping) this.goOn();
  }

  /** Performs the start of a live actor, except for its work. */
  private begin(child: Still): void {
    if (child._processingStatus !== NOT_STARTED) return;
    child._processingStatus = RUNNING;
    this.sendSnapshot(child);
  }

  /** Sends an event to a child, and passes the results to the chart. */
  private sendTo(child: Still, event: Message): void {
    if (child._processingStatus !== RUNNING) return;
    let next: AnyMachineSnapshot;
    try {
      next = child.logic.transition(child._snapshot, event, child._actorScope);
    } catch (error) {
      next = { ...child._snapshot, status: 'error', error };
    }
    child.update(next, event);
    this.sendSnapshot(child);
  }

  private sendSnapshot({ _syncSnapshot: isSubscribed, _snapshot: snapshot, id }: Still): void {
    if (isSubscribed && snapshot.status === 'active')
      this.relay(undefined, this.still, { type: `xstate.snapshot.${id}`, snapshot });
  }

  private end(child: Still): void {
    if (child._processingStatus !== RUNNING) return;
    this.sendTo(child, { type: 'xstate.stop' });
    child._stopProcedure();
  }

  /** Processes events in order, including those that arrive meanwhile. */
  private goOn(): void {
    this.isStepping = true;
    for (let event; (event = this.events.shift()) && this.still._snapshot.status === 'active';) this.step(event);
    this.events = [];
    this.isStepping = false;
  }

  private step(event: Message): void {
    const root = this.still;
    this.asked = [];
    this.follow(() => {
      root._snapshot = root.logic.transition(root._snapshot, event, root._actorScope);
      this.performAsked();
    });
  }

  /** Runs `work`. An error ends the chart. */
  private follow(work: () => void): void {
    const root = this.still;
    try {
      work();
    } catch (error) {
      root._snapshot = { ...root._snapshot, status: 'error', error };
    }
    const { status, error } = root._snapshot;
    if (status === 'active') return;
    this.clearTimers();
    if (error instanceof UsageError) throw error;
    if (status === 'error') this.hooks.broke(error);
  }

  private performAsked(): void {
    for (const { type, params } of this.asked) {
      if (type === 'xstate.cancel') this.disarm(params.sendId);
      else if (type === DEFERRED) params();
      else if (type === 'xstate.spawnChild') this.begin(params.actorRef);
      else if (type === 'xstate.stopChild' && params) this.end(params);
      else if (type === 'xstate.raise' && typeof params.delay === 'number') this.arm(this.still, params);
      else if (type === 'xstate.sendTo') this.send(params);
    }
  }

  private send(params: { to: Still; event: Message; id?: string; delay?: number }): void {
    if (typeof params.delay === 'number') this.arm(params.to, params);
    else this.relay(this.root, params.to, params.event);
  }

  private arm(target: Still, { event, id, delay }: { event: Message; id?: string; delay?: number }): void {
    const name: TimerId = id ?? Symbol('timer');
    this.hooks.schedules({ source: this.root, target: actorOf(target), event, id: String(name) });
    const timer: unknown = this.clock.setTimeout(() => {
      this.timers.delete(name);
      this.relay(this.root, target, event);
    }, delay!);
    this.timers.set(name, timer);
  }

  private disarm(id: TimerId): void {
    const timer = this.timers.get(id);
    this.timers.delete(id);
    if (timer !== undefined) this.clock.clearTimeout(timer);
  }

  private clearTimers(): void {
    for (const id of this.timers.keys()) this.disarm(id);
  }
}
