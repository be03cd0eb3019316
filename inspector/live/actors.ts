/**
 * Every XState actor of this process as reports: each actor a node, its machine the chart, its parent at the other end of a link; of
 * each step the transitions that XState took, and what was sent in it.
 *
 * XState tells of an event when it is sent. The actor takes one after the other: what comes while it is busy, even with an answer
 * that it has asked for just now, waits. So each actor has a queue of what it was sent, the event that it is busy with at the front,
 * and what XState says of the actor later belongs to that one until its snapshot comes.
 *
 * A step is reported when it is over, and timed by when it began: what others do meanwhile, because of it, comes after it.
 *
 * An actor system is heard from where its root starts. What runs below the library's own nodes is not told: the nodes are.
 */
import { Actor, type AnyActorRef, type AnyMachineSnapshot, type AnyStateMachine, type InspectionEvent } from 'xstate';
import type { Message } from '../../machines/effects.js';
import type { RoleView } from '../../machines/protocol.js';
import { chartDefinition } from '../../network/chart-definition.js';
import { selectedIn } from '../../network/world/selected-in.js';
import type { Selected } from '../../network/world/selections.js';
import { stateIn } from '../model/values.js';
import { ActorNames, logicOf, ownNameOf } from './actor-names.js';
import { harmless } from './harmless.js';
import { AT_LENGTH, messageOf, plain, plainEvent } from './plain.js';
import { now, type Sent, type StepReport } from './report.js';

/** An actor as XState passes it on, with what it runs. */
type Ref = AnyActorRef & { readonly logic: unknown; readonly src: unknown; readonly _parent?: Ref };

/** An event that an actor was sent and takes in its turn. */
interface Step {
  /** The very object: what XState says of it later is known by it. */
  readonly event: Message;
  /** As it was when it was sent. */
  readonly message: Message;
  /** An actor, how many messages that one had sent to this one by then, and whether it did so in no step of its own. */
  readonly sender: { readonly name: string; readonly number: number; readonly isUnprompted: boolean } | null;
  /** Whether it is a delay of the actor's own that is over: by `after`, or of what it raised or sent itself. */
  readonly isDelayed: boolean;
  /** When the actor began with it. */
  at: number;
  readonly sent: Sent[];
  selected: Selected | null;
}

interface Known {
  readonly ref: Ref;
  readonly name: string;
  readonly chart: string;
  life: 'made' | 'runs' | 'ended';
  /** What it was sent and has not taken; once it runs, it is busy with the first one. */
  queue: Step[];
  /** How many messages it has sent to each other one. */
  readonly counts: WeakMap<Known, number>;
  /** How its machine stood last. */
  before: AnyMachineSnapshot | null;
  /** The names of its children. */
  readonly children: ActorNames;
  /** Ends that it can be reached. */
  leave: () => void;
}

/** What is needed of an actor to tell its end, which does not keep it. */
type Ended = Pick<Known, 'name' | 'chart' | 'leave'>;

const NOTHING: Selected = { taken: [], refused: [] };
const INIT = 'xstate.init';
const STOP = 'xstate.stop';
/** Milliseconds: what is known to come later is never told at the same time. */
const INSTANT = 0.001;

/** Who wants to reach an actor, from when it is met to when the returned function is called. */
type Reach = (name: string, ref: AnyActorRef, events: readonly string[]) => () => void;

/** Reports all actors of systems that start from now on, until the returned function is called. */
export function reportActors(report: (report: StepReport) => void, reach: Reach = () => () => {}): () => void {
  const heard = new WeakSet<object>();
  const actors = new Actors(report, reach, heard);
  const { start } = Actor.prototype;
  const listen = harmless((actor: InstanceType<typeof Actor>) => {
    const isRoot = (actor as unknown as { _parent?: unknown })._parent === undefined;
    if (!isRoot || heard.has(actor.system) || isOfLibrary(actor)) return;
    heard.add(actor.system);
    actor.system.inspect(harmless((event) => actors.hear(event)));
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

/** Reports the actors of every system whose inspection events `hear` is given, until `stop` is called. */
export function reporterOf(report: (report: StepReport) => void): {
  readonly hear: (event: InspectionEvent) => void;
  readonly stop: () => void;
} {
  const heard = new WeakSet<object>();
  const actors = new Actors(report, () => () => {}, heard);
  const hear = harmless((event: InspectionEvent) => {
    heard.add((event.actorRef as Ref).system);
    actors.hear(event);
  });
  return { hear, stop: () => void (actors.isOver = true) };
}

/** The library's nodes run below an empty machine. */
const isOfLibrary = ({ logic }: { readonly logic: unknown }): boolean => {
  const { config } = logic as { config?: object };
  return config !== undefined && Object.keys(config).length === 0;
};

class Actors {
  isOver = false;
  private readonly known = new WeakMap<Ref, Known>();
  private readonly roots = new ActorNames();
  /** Who can be sent nothing more has ended, whatever its state. */
  private readonly dropped =
    typeof FinalizationRegistry === 'undefined' ? null : new FinalizationRegistry<Ended>((known) => this.end(known));
  /** Root actors whose failures are reported. */
  private readonly fallible = new WeakSet<Ref>();
  private readonly charts = new Set<string>();
  private last = 0;

  constructor(
    private readonly report: (report: StepReport) => void,
    private readonly reach: Reach,
    /** The actor systems that tell of their actors. */
    private readonly heard: WeakSet<object>,
  ) {}

  hear(inspected: InspectionEvent): void {
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
    const { config } = ref.logic as { config?: { id?: string } };
    const isMachine = config !== undefined && typeof (ref.logic as { provide?: unknown }).provide === 'function';
    const chart = isMachine ? (config.id ?? '(machine)') : 'actor';
    const own = ownNameOf(ref, isMachine ? config.id : undefined);
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
  private hearFailure(ref: Ref): void {
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

  /** An actor starts, or starts again under its name: whatever it was sent before waits. */
  private begin(ref: Ref, event: Message): void {
    const before = this.known.get(ref);
    const actor = before?.life === 'ended' ? this.add(before) : this.meet(ref);
    this.hearFailure(ref);
    const { name, chart } = actor;
    actor.life = 'runs';
    actor.before = ref.getSnapshot() as AnyMachineSnapshot;
    actor.queue.unshift({ ...stepOf(event), at: this.instant() });
    const { events = [] } = ref.logic as { readonly events?: readonly string[] };
    actor.leave = this.reach(name, ref, events);
    this.dropped?.register(ref, { name, chart, leave: actor.leave }, actor);
  }

  private send(source: Ref | undefined, target: Known, event: Message): void {
    // What an actor sends itself in a step waits behind that step; what comes from itself at rest had a delay.
    const isDelayed = source === target.ref && target.queue.length === 0;
    const sender = source && !isDelayed ? this.known.get(source) : undefined;
    const message = plainEvent(event);
    const step = { ...stepOf(event, message, sender && this.post(sender, target, message)), isDelayed };
    // Before anybody hears that an actor has ended, it has.
    if (sender?.life === 'runs' && isLastWord(sender, event)) this.close(sender);
    if (target.life === 'runs' || (target.life === 'made' && this.heard.has(target.ref.system))) target.queue.push(step);
    if (target.life === 'runs' && target.queue.length === 1) step.at = this.instant();
  }

  /** Notes a message with the step that sends it. */
  private post(sender: Known, target: Known, message: Message): NonNullable<Step['sender']> {
    const number = (sender.counts.get(target) ?? 0) + 1;
    sender.counts.set(target, number);
    const busy = sender.life === 'runs' ? sender.queue[0] : undefined;
    busy?.sent.push({ to: target.name, message, number });
    return { name: sender.name, number, isUnprompted: !busy };
  }

  /** The step that an actor is at. What it was sent before anybody listened, and its end, nobody has told before. */
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
    this.say(actor, step, snapshot);
    const { status, error } = snapshot as { readonly status?: string; readonly error?: unknown };
    if (status === 'done' || status === 'error' || step.event.type === STOP) {
      actor.life = 'ended';
      actor.queue = [];
      this.dropped?.unregister(actor);
      const failed = { type: 'failed', error: plain(messageOf(error)) };
      this.end(actor, status === 'error' ? failed : undefined);
    } else if (actor.queue.length > 0) actor.queue[0]!.at = this.instant();
  }

  private end({ name, chart, leave }: Ended, event: Message = { type: 'ended' }): void {
    if (this.isOver) return;
    leave();
    const said = { kind: 'crash', event, sent: [], emitted: [], roles: {}, isOwn: true } as const;
    this.report({ at: this.instant(), node: name, role: chart, ...said });
  }

  private say(actor: Known, { at, event, message, sender, isDelayed, sent, selected }: Step, snapshot: unknown): void {
    const { name, chart } = actor;
    const isMachine = chart !== 'actor';
    this.report({
      at,
      node: name,
      role: chart,
      ...(event.type === INIT ? this.startOf(actor) : takenFrom(sender, message, isDelayed)),
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
      ...(isNew && { charts: { [chart]: chartOf(ref.logic as AnyStateMachine) } }),
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

const statusOf = ({ ref }: Known): string | undefined => (ref.getSnapshot() as { status?: string }).status;

const isLastWord = (sender: Known, { type }: Message): boolean =>
  statusOf(sender) !== 'active' && [`xstate.done.actor.${sender.ref.id}`, `xstate.error.actor.${sender.ref.id}`].includes(type);

/** What cannot be read of a config is shown as such; its functions keep their names. */
function chartOf(machine: AnyStateMachine): unknown {
  try {
    return plain(chartDefinition(machine), AT_LENGTH);
  } catch {
    const config = plain(machine.config, { ...AT_LENGTH, ofFunction: ({ name }) => name });
    return chartDefinition({ config } as AnyStateMachine);
  }
}

/** What logic of one's own calls its value may be anything. */
function viewOf(chart: string, snapshot: unknown): RoleView {
  const { value, status, context = {} } = (snapshot ?? {}) as Partial<Record<'value' | 'status' | 'context', unknown>>;
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
