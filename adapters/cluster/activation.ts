/**
 * The user's machine while this member hosts it: a live XState actor whose actions and emitted events wait until the version that they
 * belong to is durable.
 *
 * An event is rolled back if the machine throws an error, or if the snapshot becomes something that cannot be stored. The actor is restored
 * to its last version, and the earlier events of the turn are applied again, so that only this event fails.
 */
import {
  createActor,
  type AnyActor,
  type AnyActorRef,
  type AnyMachineSnapshot,
  type EventObject,
  type InspectionEvent,
} from 'xstate';
import type { SchedulerLike } from 'rxjs';
import { isObject } from '../../machines/checks.js';
import type { NodeId } from '../../machines/effects.js';
import { thrownText } from '../../machines/errors.js';
import type { ActorCopy, Creation, Entry } from '../../machines/cluster/messages.js';
import type { Applied } from '../../machines/cluster/hosting.js';
import type { ActorStep } from '../../network/cluster-observation.js';
import { replaceRelay } from '../../network/world/internals.js';
import type { Microstep } from '../../network/world/selections.js';
import { deferredMachine, type DeferredMachine, type Execution } from './deferred.js';
import { delivering } from './delivery.js';
import { ActorError, type SentError } from './errors.js';
import { notJson, VALUES_MAX, valuesIn, type StoredAction, type StoredState } from './stored-state.js';
import { clockOn, Deadlines } from './timers.js';
import { migrated, type Kind } from './versions.js';

export interface ActivationHost {
  readonly clock: SchedulerLike;
  /** The maximum number of characters of a version's JSON. */
  readonly sizeMax: number;
  /** The actor has changed without an event of a sender. */
  changed(): void;
  isRemote(target: unknown): target is { readonly kind: string; readonly actorId: string };
  /** Sends an event to another cluster actor. Resolves when it is applied there, or cannot be. */
  send(to: { readonly kind: string; readonly id: string }, event: EventObject): Promise<void>;
  /** True while an observer needs steps. */
  isObserved(): boolean;
  /** A version is durable. */
  committed(snapshot: AnyMachineSnapshot, steps: readonly ActorStep[]): void;
  /** An action has thrown an error or was rejected, and its version is kept; or a change without an event was rolled back because it cannot be stored. */
  failed(error: unknown, what: string): void;
}

/** The work that waits until a version is durable: observers receive its steps, and its actions run. */
interface Due {
  readonly seq: number;
  readonly snapshot: AnyMachineSnapshot;
  readonly steps: readonly ActorStep[];
  readonly executions: readonly { readonly key: string; readonly execution: Execution }[];
}

export class Activation {
  private readonly deferred: DeferredMachine;
  private actor!: AnyActor;
  private deadlines!: Deadlines;
  /** The state of the last version. */
  private base: StoredState | null = null;
  private executions: Execution[] = [];
  /** By key, the actions whose promise has not settled: each version contains them. */
  private readonly unfinished = new Map<string, Execution>();
  private emitted: unknown[] = [];
  private readonly due: Due[] = [];
  private readonly log = new StepLog();
  /** The sender of the event that is being applied. */
  private sender: Entry['from'] = null;
  /** The last durable state. */
  snapshot: AnyMachineSnapshot | null = null;
  /** The error with which the actor stopped while it handled an event. */
  private thrown: { readonly error: unknown } | null = null;
  private isApplying = false;
  private isChanged = false;
  private isStopped = false;
  private seq = 0;
  /** How many children this activation has created. */
  private children = 0;

  constructor(
    readonly key: string,
    private readonly kind: Kind,
    readonly fence: number,
    private readonly host: ActivationHost,
  ) {
    const newKey = () => `${key}/${fence}/child/${++this.children}`;
    this.deferred = deferredMachine(kind.machine, (execution) => this.executions.push(execution), newKey);
  }

  get isAwake(): boolean {
    return isAwake(this.base!);
  }

  /** Creates the actor, or restores it, and answers the chart. */
  begin(copy: ActorCopy | null, creation: Creation | null): Applied {
    this.seq = (copy?.seq ?? 0) + 1;
    this.isApplying = true;
    try {
      if (copy === null) this.create(creation);
      else {
        const state = migrated(this.key, this.kind, copy.state);
        this.restore(state, state !== copy.state);
      }
      return this.applied({ failures: [], turn: 0 });
    } finally {
      this.isApplying = false;
    }
  }

  /** Applies events in order, and answers the chart. */
  apply(seq: number, entries: readonly Entry[]): Applied {
    this.seq = seq;
    this.isChanged = false;
    this.isApplying = true;
    try {
      return this.applied(this.take(entries, false));
    } finally {
      this.isApplying = false;
    }
  }

  /** Runs the actions of the versions that are durable. */
  durable(seq: number): void {
    while (this.due.length > 0 && this.due[0]!.seq <= seq) {
      const { executions, snapshot, steps } = this.due.shift()!;
      this.snapshot = snapshot;
      this.host.committed(snapshot, steps);
      for (const { key, execution } of executions) this.run(key, execution);
      // The next version records that they have run.
      if (executions.some(({ key, execution }) => execution.name !== null && !this.unfinished.has(key))) this.change();
    }
  }

  stop(): void {
    this.isStopped = true;
    this.actor?.stop();
  }

  private create(creation: Creation | null): void {
    if (!creation?.isAllowed)
      throw new ActorError('unknown', `Actor "${this.key}" does not exist. Create it: leave out "create: false".`);
    this.start({ input: (creation.input ?? undefined) as never });
    if (this.thrown)
      throw new ActorError(
        'machine',
        `Actor "${this.key}" cannot be created, because its machine failed: ${thrownText(this.thrown.error)}. Fix the machine or its input.`,
      );
  }

  private restore(state: StoredState, isMigrated = false): void {
    this.start({ snapshot: state.snapshot });
    if (this.thrown) throw this.unrestorable(thrownText(this.thrown.error), isMigrated);
    this.base = isMigrated ? { ...state, timers: this.migratedTimers(state.timers) } : state;
    this.deadlines.restore(this.base.timers);
    // It is unknown whether they have run: they run again with this version, under their keys.
    for (const action of state.actions) this.repeat(action);
  }

  private unrestorable(why: string, isMigrated: boolean): ActorError {
    const { name, version } = this.kind;
    const remedy = isMigrated
      ? `Return a snapshot of version ${version} of "${name}" from versions.${name}.migrate`
      : `If the machine has changed, give it a version and a migration: versions: { ${name}: { version: ${version + 1}, migrate } }`;
    return new ActorError('version', `Actor "${this.key}" cannot be restored: ${sentence(why)} ${remedy}.`);
  }

  private migratedTimers(stored: StoredState['timers']): StoredState['timers'] {
    const { timers, lost } = this.deadlines.migrated(stored);
    for (const { event, dueAt } of lost) {
      const deadline = `the delayed event "${event.type}", due in ${Math.max(0, dueAt - this.host.clock.now())} ms`;
      const remedy = `To keep its deadline, return a state with the same delay from versions.${this.kind.name}.migrate.`;
      this.host.failed(new Error(`${deadline}, has no active state and was dropped. ${remedy}`), 'the migration');
    }
    return timers;
  }

  private start(options: { readonly input?: never; readonly snapshot?: StoredState['snapshot'] }): void {
    this.thrown = null;
    const actor: AnyActor = createActor(this.deferred.machine, {
      ...options,
      id: this.key,
      clock: clockOn(this.host.clock),
      // A child may move without its parent.
      inspect: (inspected) => {
        if (this.host.isObserved()) this.log.hear(inspected, this.actor, this.sender);
        if (inspected.type === '@xstate.snapshot') this.moved(actor);
      },
    });
    this.actor = actor;
    this.relaySends(actor);
    this.deadlines = new Deadlines(actor, () => this.host.clock.now());
    actor.on('*', (event: unknown) => this.emitted.push(event));
    // An actor that is restored with status `error` had it before.
    const isOver = actor.getSnapshot().status === 'error' && options.snapshot?.status !== 'error';
    if (isOver) this.thrown = { error: actor.getSnapshot().error };
    actor.subscribe({
      error: (error) => {
        if (this.isApplying && actor === this.actor && options.snapshot?.status !== 'error') this.thrown = { error };
      },
    });
    if (!isOver) actor.start();
    this.deadlines.note();
  }

  /** Events for other cluster actors wait as actions do. */
  private relaySends(actor: AnyActor): void {
    replaceRelay(actor, (relay) => (source, target: unknown, event) => {
      if (!this.host.isRemote(target)) relay(source, target as AnyActorRef, event);
      else {
        const { kind, actorId } = target;
        const params = { kind, id: actorId };
        this.executions.push({ name: SEND, context: null, event, params, run: () => this.host.send(params, event) });
      }
    });
  }

  /** The actor has changed by a delayed event or a child, unless an event is being applied. */
  private moved(actor: AnyActor): void {
    if (actor !== this.actor || this.isStopped) return;
    this.deadlines.note();
    if (!this.isApplying) this.change();
  }

  /** Makes a version of the change in the next turn. */
  private change(): void {
    if (this.isChanged) return;
    this.isChanged = true;
    this.host.changed();
  }

  /**
   * Applies the events. Each event is checked separately if the result of the whole turn cannot be stored. The turn then ends before an
   * event whose effects have no room next to those of earlier events.
   */
  private take(entries: readonly Entry[], isEachChecked: boolean): Taken {
    const failures: Failed[] = [];
    const good: Entry[] = [];
    for (const [turn, entry] of entries.entries()) {
      if (entry.from === null) continue;
      const hasEffects = this.executions.length > 0 || this.emitted.length > 0;
      this.send(entry);
      const error = this.thrown ? this.threw(this.thrown.error) : isEachChecked ? this.check().refused : null;
      if (error === null) {
        good.push(entry);
        continue;
      }
      this.takeBack(good);
      if (hasEffects && error.isLarge) return { failures, turn };
      failures.push({ sender: entry.sender, number: entry.number, error: { name: error.name, message: error.message! } });
    }
    if (isEachChecked) return { failures, turn: entries.length };
    const { refused, state } = this.check();
    if (refused === null) return { failures, turn: entries.length, state };
    this.takeBack([]);
    return this.take(entries, true);
  }

  /** Sends an event. Like XState, an actor that has ended ignores it. */
  private send({ event, from }: Entry): void {
    this.sender = from;
    if (this.actor.getSnapshot().status === 'active') this.actor.send(event as EventObject);
    this.sender = null;
  }

  /** Restores the last version, and applies the good events again. */
  private takeBack(good: readonly Entry[]): void {
    this.actor.stop();
    this.executions = [];
    this.emitted = [];
    this.restore({ ...this.base!, actions: [] });
    this.log.take();
    for (const entry of good) this.send(entry);
  }

  private threw(error: unknown): Refusal {
    return { name: 'machine', message: `Actor "${this.key}" threw an error: ${thrownText(error)}` };
  }

  /** The present state, or the reason why it cannot be stored. */
  private check():
    | { readonly state: StoredState; readonly refused: null }
    | { readonly state?: never; readonly refused: Refusal } {
    try {
      const state = this.state();
      const refused = this.refusal(state);
      return refused ? { refused } : { state, refused };
    } catch (error) {
      const remedy = error instanceof RangeError ? 'Its context may contain itself: keep plain data there' : SPAWN_BY_NAME;
      const message = `Actor "${this.key}" has a snapshot that cannot be persisted: ${sentence(thrownText(error))} ${remedy}.`;
      return { refused: { name: 'snapshot', message } };
    }
  }

  private refusal(state: StoredState): Refusal | null {
    const version = { snapshot: state.snapshot, emitted: this.emitted, timers: state.timers, actions: state.actions };
    const why = notJson(version, '', DEPTH_MAX);
    if (why !== null)
      return {
        name: 'snapshot',
        message: `Actor "${this.key}" would have a snapshot that is not JSON: ${why}. ${INLINE.test(why) ? SPAWN_BY_NAME : 'Keep plain data in the context'}.`,
      };
    const large = (amount: string, limit: number): Refusal => ({
      name: 'snapshot',
      message: `Actor "${this.key}" would have a snapshot, actions and emitted events of ${amount}. The limit is ${limit}. Keep less in the context${this.unfinished.size > 0 ? ', or have fewer asynchronous actions running' : ''}.`,
      isLarge: true,
    });
    const size = JSON.stringify(version).length;
    if (size > this.host.sizeMax) return large(`${size} characters`, this.host.sizeMax);
    const values = size < VALUES_MAX ? size : valuesIn(version);
    return values > VALUES_MAX ? large(`${values} keys and values`, VALUES_MAX) : null;
  }

  private state(): StoredState {
    const { context }: { context?: unknown } = this.actor.getSnapshot();
    return {
      version: this.kind.version,
      snapshot: plainErrors(this.actor.getPersistedSnapshot()),
      timers: this.deadlines.stored(),
      actions: [...this.unfinished, ...this.executions.map((one, place) => [this.keyOf(place), one] as const)].flatMap(
        ([key, { name, event, params, context: own }]): StoredAction[] =>
          name === null ? [] : [{ key, name, event, params, ...(own !== context && { context: own }) }],
      ),
    };
  }

  private keyOf(place: number): string {
    return this.executions[place]!.key ?? `${this.key}/${this.fence}/${this.seq}/${place}`;
  }

  /** The version for the copies. Its actions and emitted events wait until the copies are kept. */
  private applied({ failures, turn, state: checked }: Taken): Applied {
    const state = checked ?? this.storable();
    this.base = state;
    this.due.push({
      seq: this.seq,
      snapshot: this.actor.getSnapshot(),
      steps: this.log.take(),
      executions: this.executions.map((execution, place) => ({ key: this.keyOf(place), execution })),
    });
    const emitted = this.emitted.length > 0 ? this.emitted : null;
    this.executions = [];
    this.emitted = [];
    return { type: 'applied', state, isAwake: isAwake(state), emitted, failures, turn };
  }

  /** The present state, or the one before a change that cannot be stored. */
  private storable(): StoredState {
    const { state, refused } = this.check();
    if (state) return state;
    const error = new ActorError('snapshot', refused.message!);
    if (this.base === null) throw error;
    this.takeBack([]);
    this.host.failed(error, 'a change without an event');
    return this.state();
  }

  /** Repeats an action that an earlier activation left unfinished, if the machine still has it. */
  private repeat({ key, name, event, params, context }: StoredAction): void {
    const action = this.deferred.actions.get(name);
    if (name === SEND) {
      const run = () => this.host.send(params as { kind: string; id: string }, event);
      this.executions.push({ key, name, event, params, context: null, run });
    }
    if (!action) return;
    const args = { context: context ?? this.actor.getSnapshot().context, event, self: this.actor, system: this.actor.system };
    const execution: Execution = { key, name, event, params, context: args.context, run: () => action(args, params) };
    this.executions.push(execution);
  }

  /** Runs an action. One that returns a promise is finished when the promise has settled. */
  private run(key: string, execution: Execution): void {
    const { name } = execution;
    const failed = (error: unknown) => this.host.failed(error, `action "${name ?? 'start of a child'}"`);
    try {
      const result = delivering({ key, fence: this.fence }, () => execution.run());
      if (!isThenable(result)) return;
      if (name !== null) this.unfinished.set(key, execution);
      void Promise.resolve(result)
        .catch(failed)
        .then(() => this.finish(key));
    } catch (error) {
      failed(error);
    }
  }

  /** The next version no longer contains the action. */
  private finish(key: string): void {
    if (this.unfinished.delete(key) && !this.isStopped) this.change();
  }
}

/** The path of a child's logic: XState persists the logic itself if the child was spawned without a name. */
const INLINE = /^snapshot\.children\..*\.src(\.| is )/;
const SPAWN_BY_NAME = 'Name the logic of the child in setup({ actors }), and spawn it by that name';

/** The name under which an event to another cluster actor is stored. */
const SEND = '@send';

type Persisted = StoredState['snapshot'] & { readonly children?: Readonly<Record<string, { readonly snapshot: Persisted }>> };

/** The persisted snapshot, with its errors and those of its children as their readable parts. */
function plainErrors({ error, children, ...snapshot }: Persisted): StoredState['snapshot'] {
  return {
    ...snapshot,
    error: error instanceof Error ? { name: error.name, message: error.message } : error,
    ...(children && {
      children: Object.fromEntries(
        Object.entries(children).map(([id, child]) => [id, { ...child, snapshot: plainErrors(child.snapshot) }]),
      ),
    }),
  } as StoredState['snapshot'];
}

type Failed = Applied['failures'][number];
/** The failed events of a turn, the number of entries that the turn has, and the state after it, if it is checked. */
type Taken = Pick<Applied, 'failures' | 'turn'> & { readonly state?: StoredState };
/** The reason why an event has no effect. `isLarge`: its version would be too large. */
type Refusal = SentError & { readonly isLarge?: boolean };

/** The nesting depth of a version: an action contains an event, three levels deeper. */
const DEPTH_MAX = 56;
/** The text of an error, which may end with a full stop. */
const sentence = (text: string): string => text.replace(/\.?$/, '.');
const isThenable = (value: unknown): value is PromiseLike<unknown> => isObject(value) && typeof value['then'] === 'function';

/** True if the actor has work without an event of a sender. */
function isAwake({ snapshot, timers, actions }: StoredState): boolean {
  if (snapshot.status !== 'active') return actions.length > 0;
  const { children = {} } = snapshot as { children?: Readonly<Record<string, { snapshot: { status: string } }>> };
  return timers.length > 0 || actions.length > 0 || Object.values(children).some((child) => child.snapshot.status === 'active');
}

/** The steps of a hosted actor between two versions, for observers such as the inspector. */
class StepLog {
  private steps: ActorStep[] = [];
  private microsteps: Microstep[] = [];

  hear(inspected: InspectionEvent, actor: AnyActor, from: NodeId | null): void {
    if (inspected.actorRef !== actor) return;
    if (inspected.type === '@xstate.microstep') this.microsteps.push(inspected);
    if (inspected.type !== '@xstate.snapshot') return;
    const { event, snapshot } = inspected;
    this.steps.push({ event, from, microsteps: this.microsteps, snapshot: snapshot as AnyMachineSnapshot });
    this.microsteps = [];
  }

  take(): readonly ActorStep[] {
    const { steps } = this;
    this.steps = [];
    this.microsteps = [];
    return steps;
  }
}
