/**
 * Reports on every XState actor of this process. Each actor is a node, its machine is the chart, and a link connects it to its parent. The
 * report of a step contains the transitions that XState took and the messages sent in it.
 *
 * XState reports an event when it is sent. An actor takes its events one after the other, so an event that comes while it is busy waits.
 * This includes the answer to a question that the actor has just asked. Each actor therefore has a queue of its pending events, with the
 * event in progress at the front. All that XState reports of the actor belongs to that event until the actor's next snapshot.
 *
 * A step is reported at its end with the time of its beginning: the steps of others that it causes come after it.
 *
 * An actor system is observed from the start of its root. Actors below the library's own nodes are not reported, because the nodes are.
 */
import { Actor, type AnyActorRef, type AnyMachineSnapshot, type AnyStateMachine, type InspectionEvent } from 'xstate';
import type { Message } from '../../machines/effects.js';
import type { RoleView } from '../../machines/protocol.js';
import { HOSTED } from '../../network/cluster-observation.js';
import { chartDefinition } from '../../network/chart-definition.js';
import { selectedIn } from '../../network/world/selected-in.js';
import type { Selected } from '../../network/world/selections.js';
import { stateIn } from '../model/values.js';
import { ActorNames, logicOf, ownNameOf } from './actor-names.js';
import { harmless } from './harmless.js';
import { AT_LENGTH, thrownMessage, plain, plainEvent } from './plain.js';
import { sentByHand } from './reached.js';
import { now, type Sent, type StepReport } from './report.js';
import { fieldsOf, isObject } from '../../machines/checks.js';

/** An actor as XState passes it on, with its logic. */
type Ref = AnyActorRef & { readonly logic: unknown; readonly src: unknown; readonly _parent?: Ref };

/** An event that was sent to an actor. */
interface Step {
  /** The object that XState was given. Later inspection events refer to it by identity. */
  readonly event: Message;
  /** A copy from the time of sending. */
  readonly message: Message;
  /** The sender, the number of messages that it had sent to this actor by then, and whether it sent this one outside of a step. */
  readonly sender: { readonly name: string; readonly number: number; readonly isUnprompted: boolean } | null;
  /** The sender of an event that no actor sent, if it is known. */
  readonly by: string | undefined;
  /** True for the end of the actor's own delay: `after`, or a delayed `raise` or `sendTo` to itself. */
  readonly isDelayed: boolean;
  /** The time at which the actor began the step. */
  at: number;
  readonly sent: Sent[];
  selected: Selected | null;
}

interface Known {
  readonly ref: Ref;
  readonly name: string;
  readonly chart: string;
  life: 'made' | 'runs' | 'ended';
  /** Events that the actor has not finished. Once it runs, it is busy with the first one. */
  queue: Step[];
  /** The number of messages sent to each other actor. */
  readonly counts: WeakMap<Known, number>;
  before: AnyMachineSnapshot | null;
  /** The names of its children. */
  readonly children: ActorNames;
  /** Makes the actor unreachable for gestures. */
  leave: () => void;
}

/** The parts of an actor that the report of its end needs. It does not keep the actor itself alive. */
type Ended = Pick<Known, 'name' | 'chart' | 'leave'>;

const NOTHING: Selected = { taken: [], refused: [] };
const INIT = 'xstate.init';
const STOP = 'xstate.stop';
/** Milliseconds. An event that is known to come later never gets the same time. */
const INSTANT = 0.001;

/** Opens an actor to gestures when it is first seen. The returned function closes it again. */
export type Reach = (name: string, ref: AnyActorRef, events: readonly string[]) => () => void;

/** Reports all actors of systems that start from now on, until the returned function is called. */
export function reportActors(report: (report: StepReport) => void, reach: Reach = () => () => {}): () => void {
  const inspectedSystems = new WeakSet<object>();
  const actors = new Actors(report, reach, inspectedSystems);
  const { start } = Actor.prototype;
  const listen = harmless((actor: InstanceType<typeof Actor>) => {
    const isRoot = fieldsOf(actor)['_parent'] === undefined;
    if (!isRoot || inspectedSystems.has(actor.system) || isOfLibrary(actor)) return;
    inspectedSystems.add(actor.system);
    actor.system.inspect(harmless((event) => actors.receive(event)));
  });
  Actor.prototype.start = function (this: InstanceType<typeof Actor>) {
    listen(this);
    return start.call(this);
  };
  return () => {
    Actor.prototype.start = start;
    actors.isOver = true;
  };
}

/** Reports the actors of every system whose inspection events are passed to `receive`, until `stop` is called. */
export function reporterOf(
  report: (report: StepReport) => void,
  reach: Reach = () => () => {},
): { readonly receive: (event: InspectionEvent) => void; readonly stop: () => void } {
  const inspectedSystems = new WeakSet<object>();
  const actors = new Actors(report, reach, inspectedSystems);
  const receive = harmless((event: InspectionEvent) => {
    inspectedSystems.add((event.actorRef as Ref).system);
    actors.receive(event);
  });
  return { receive, stop: () => void (actors.isOver = true) };
}

/** The library's nodes run below an empty machine, and a cluster reports the actors that it hosts. */
const isOfLibrary = ({ logic }: { readonly logic: unknown }): boolean => {
  const fields = fieldsOf(logic);
  return HOSTED in fields || (fields['config'] !== undefined && Object.keys(fieldsOf(fields['config'])).length === 0);
};

class Actors {
  isOver = false;
  private readonly known = new WeakMap<Ref, Known>();
  private readonly roots = new ActorNames();
  /** An actor that cannot receive events has ended, whatever its state. */
  private readonly dropped =
    typeof FinalizationRegistry === 'undefined' ? null : new FinalizationRegistry<Ended>((known) => this.end(known));
  /** Root actors whose failures are reported. */
  private readonly fallible = new WeakSet<Ref>();
  private readonly charts = new Set<string>();
  private last = 0;

  constructor(
    private readonly report: (report: StepReport) => void,
    private readonly reach: Reach,
    /** The actor systems that are inspected. */
    private readonly inspectedSystems: WeakSet<object>,
  ) {}

  receive(inspected: InspectionEvent): void {
    if (this.isOver) return;
    const ref = inspected.actorRef as Ref;
    if (inspected.type === '@xstate.event') {
      const { event, sourceRef } = inspected;
      if (event.type === INIT) this.begin(ref, event);
      else this.send(sourceRef as Ref | undefined, this.meet(ref), event);
      return;
    }
    const actor = this.known.get(ref);
    // The steps into a first state come before the actor runs.
    if (actor?.life !== 'runs') return;
    if (inspected.type === '@xstate.microstep') {
      const step = this.current(actor, inspected.event, true);
      const { taken, refused } = selectedIn(inspected, actor.chart, actor.before);
      const { taken: before, refused: no } = step.selected ?? NOTHING;
      step.selected = { taken: [...before, ...taken], refused: [...no, ...refused] };
      actor.before = inspected.snapshot as AnyMachineSnapshot;
    } else if (inspected.type === '@xstate.snapshot') {
      this.current(actor, inspected.event, false);
      this.close(actor);
    }
  }

  private meet(ref: Ref): Known {
    const met = this.known.get(ref);
    if (met) return met;
    const { config, provide } = fieldsOf(ref.logic);
    const isMachine = isObject(config) && typeof provide === 'function';
    const id = isMachine && typeof config['id'] === 'string' ? config['id'] : undefined;
    const chart = isMachine ? (id ?? '(machine)') : 'actor';
    const own = ownNameOf(ref, id);
    const parent = ref._parent && this.meet(ref._parent);
    const name = parent ? `${parent.name}/${parent.children.take(own)}` : this.roots.take(own);
    return this.add({ ref, name, chart });
  }

  private add({ ref, name, chart }: Pick<Known, 'ref' | 'name' | 'chart'>): Known {
    const actor: Known = {
      ref,
      name,
      chart,
      life: 'made',
      queue: [],
      counts: new WeakMap(),
      before: null,
      children: new ActorNames(),
      leave: () => {},
    };
    this.known.set(ref, actor);
    return actor;
  }

  /**
   * A child that fails sends an event to its parent, which is the end of its step. A root sends none: XState inspects no event that
   * fails, and an observer of errors would change what becomes of them.
   */
  private watchFailure(ref: Ref): void {
    if (ref._parent || this.fallible.has(ref)) return;
    this.fallible.add(ref);
    const root = ref as unknown as { _error(error: unknown): void };
    const fail = root._error;
    const failed = harmless(() => {
      const actor = this.known.get(ref);
      if (!this.isOver && actor?.life === 'runs' && actor.queue.length > 0) this.close(actor);
    });
    root._error = (error) => {
      failed();
      fail.call(root, error);
    };
  }

  /** Begins an actor, or begins it again under its name. The events sent before wait. */
  private begin(ref: Ref, event: Message): void {
    const before = this.known.get(ref);
    const actor = before?.life === 'ended' ? this.add(before) : this.meet(ref);
    this.watchFailure(ref);
    const { name, chart } = actor;
    actor.life = 'runs';
    actor.before = ref.getSnapshot() as AnyMachineSnapshot;
    actor.queue.unshift({ ...stepOf(event), at: this.instant() });
    const { events = [] } = ref.logic as { readonly events?: readonly string[] };
    actor.leave = this.reach(name, ref, events);
    this.dropped?.register(ref, { name, chart, leave: actor.leave }, actor);
  }

  private send(source: Ref | undefined, target: Known, event: Message): void {
    // An event that an actor sends to itself during a step waits behind that step. An event from itself between steps had a delay.
    const isDelayed = source === target.ref && target.queue.length === 0;
    const sender = source && !isDelayed ? this.known.get(source) : undefined;
    const message = plainEvent(event);
    const by = sentByHand.has(event) ? 'inspector' : undefined;
    const step = { ...stepOf(event, message, sender && this.post(sender, target, message)), isDelayed, by };
    // The end of an actor is recorded before any other actor receives it.
    if (sender?.life === 'runs' && isLastWord(sender, event)) this.close(sender);
    if (target.life === 'runs' || (target.life === 'made' && this.inspectedSystems.has(target.ref.system)))
      target.queue.push(step);
    if (target.life === 'runs' && target.queue.length === 1) step.at = this.instant();
  }

  /** Notes a message in the step that sends it. */
  private post(sender: Known, target: Known, message: Message): NonNullable<Step['sender']> {
    const number = (sender.counts.get(target) ?? 0) + 1;
    sender.counts.set(target, number);
    const busy = sender.life === 'runs' ? sender.queue[0] : undefined;
    busy?.sent.push({ to: target.name, message, number });
    return { name: sender.name, number, isUnprompted: !busy };
  }

  /** The current step of an actor. An event from before the observation, and the actor's end, have had no report yet. */
  private current(actor: Known, event: Message, isMicrostep: boolean): Step {
    const [first] = actor.queue;
    // Microsteps that follow the first one may be for events that the machine has raised.
    if (first && (first.event === event || (isMicrostep && first.selected))) return first;
    const step = { ...stepOf(event), at: this.instant() };
    actor.queue.unshift(step);
    return step;
  }

  private close(actor: Known): void {
    const step = actor.queue.shift()!;
    const snapshot: unknown = actor.ref.getSnapshot();
    actor.before = snapshot as AnyMachineSnapshot;
    this.reportStep(actor, step, snapshot);
    const { status, error } = fieldsOf(snapshot);
    if (status === 'done' || status === 'error' || step.event.type === STOP) {
      actor.life = 'ended';
      actor.queue = [];
      this.dropped?.unregister(actor);
      const failed = { type: 'failed', error: plain(thrownMessage(error)) };
      this.end(actor, status === 'error' ? failed : undefined);
    } else if (actor.queue.length > 0) actor.queue[0]!.at = this.instant();
  }

  private end({ name, chart, leave }: Ended, event: Message = { type: 'ended' }): void {
    if (this.isOver) return;
    leave();
    const crash = { kind: 'crash', event, sent: [], emitted: [], roles: {}, isOwn: true } as const;
    this.report({ at: this.instant(), node: name, role: chart, ...crash });
  }

  private reportStep(actor: Known, { at, event, message, sender, isDelayed, by, sent, selected }: Step, snapshot: unknown): void {
    const { name, chart } = actor;
    const isMachine = chart !== 'actor';
    this.report({
      at,
      node: name,
      role: chart,
      ...(event.type === INIT ? this.startOf(actor) : takenFrom(sender, message, isDelayed)),
      ...(by !== undefined && { by }),
      sent,
      emitted: [],
      roles: { [chart]: viewOf(chart, snapshot) },
      ...(isMachine && event.type !== INIT && { selected: selected ?? NOTHING }),
      isOwn: true,
    });
  }

  private startOf({ ref, chart }: Known): Pick<StepReport, 'kind' | 'event' | 'links' | 'parent' | 'logic' | 'charts'> {
    const parent = ref._parent && this.known.get(ref._parent);
    const isNew = chart !== 'actor' && !this.charts.has(chart);
    this.charts.add(chart);
    return {
      kind: 'start',
      event: { type: 'start' },
      links: parent ? [parent.name] : [],
      ...(parent && { parent: parent.name }),
      logic: chart === 'actor' ? logicOf(ref.logic) : 'machine',
      ...(isNew && { charts: { [chart]: plainChart(ref.logic as AnyStateMachine) } }),
    };
  }

  private instant(): number {
    return (this.last = Math.max(now(), this.last + INSTANT));
  }
}

const stepOf = (event: Message, message: Message = plainEvent(event), sender: Step['sender'] = null): Step => ({
  event,
  message,
  sender,
  isDelayed: false,
  by: undefined,
  at: 0,
  sent: [],
  selected: null,
});

const takenFrom = (
  sender: Step['sender'],
  message: Message,
  isDelayed: boolean,
): Pick<StepReport, 'kind' | 'event' | 'from' | 'message' | 'number'> =>
  sender
    ? {
        kind: 'deliver',
        event: message,
        from: sender.name,
        message,
        number: sender.number,
        ...(sender.isUnprompted && { isUnprompted: true }),
      }
    : { kind: isDelayed ? 'timer' : 'command', event: message };

const statusOf = ({ ref }: Known): unknown => fieldsOf(ref.getSnapshot())['status'];

const isLastWord = (sender: Known, { type }: Message): boolean =>
  statusOf(sender) !== 'active' && [`xstate.done.actor.${sender.ref.id}`, `xstate.error.actor.${sender.ref.id}`].includes(type);

/** Converts a machine's config to JSON. Unreadable parts are marked, and functions keep their names. */
export function plainChart(machine: AnyStateMachine): unknown {
  try {
    return plain(chartDefinition(machine), AT_LENGTH);
  } catch {
    const config = plain(machine.config, { ...AT_LENGTH, ofFunction: ({ name }) => name });
    return chartDefinition({ config } as AnyStateMachine);
  }
}

/** Converts a snapshot to JSON. The value of custom logic may have any type. */
export function viewOf(chart: string, snapshot: unknown): RoleView {
  const { value, status, context = {} } = fieldsOf(snapshot);
  const held = plain(context);
  const isRecord = typeof held === 'object' && held !== null && !Array.isArray(held);
  return { chart, value: stateOf(value, status), context: (isRecord ? held : { context: held }) as RoleView['context'] };
}

function stateOf(value: unknown, status: unknown): RoleView['value'] {
  try {
    return plain(stateIn(value, status)) as RoleView['value'];
  } catch {
    return 'active';
  }
}
