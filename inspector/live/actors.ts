/**
 * Every XState actor of this process as reports: each actor a node, its machine the chart, its parent at the other end of a link; of
 * each step the transitions that XState took.
 *
 * An actor system is heard from where its root starts. What runs below the library's own nodes is not told: the nodes are.
 */
import { Actor, type AnyActorRef, type AnyMachineSnapshot, type AnyStateMachine, type InspectionEvent } from 'xstate';
import type { Message } from '../../machines/effects.js';
import type { RoleView } from '../../machines/protocol.js';
import { chartDefinition } from '../../network/chart-definition.js';
import { selectedIn, type Selected } from '../../network/world/selections.js';
import { stateIn } from '../model/values.js';
import { FreeNames } from './free-names.js';
import { harmless } from './harmless.js';
import { messageOf, plain, plainEvent } from './plain.js';
import { now, type StepReport } from './report.js';

/** An actor as XState passes it on, with what it runs. */
type Ref = AnyActorRef & { readonly logic: unknown; readonly _parent?: Ref };

interface Known {
  readonly name: string;
  readonly chart: string;
  /** How it stood last, and what it has selected since. */
  before: AnyMachineSnapshot | null;
  selected: Selected;
  /** The event that it takes, and who sent it. */
  cause: { readonly event: Message; readonly from: string | undefined } | null;
  /** It is reached no more, and another may have its name. */
  readonly leave: () => void;
  hasEnded: boolean;
}

const NOTHING: Selected = { taken: [], refused: [] };
const INIT = 'xstate.init';

/** Who wants to reach an actor, from when it is met to when the returned function is called. */
type Reach = (name: string, ref: AnyActorRef, events: readonly string[]) => () => void;

/** Reports all actors of systems that start from now on, until the returned function is called. */
export function reportActors(report: (report: StepReport) => void, reach: Reach = () => () => {}): () => void {
  const actors = new Actors(report, reach);
  const { start } = Actor.prototype;
  const fallible = Actor.prototype as unknown as { _error(error: unknown): void };
  const { _error: fail } = fallible;
  const heard = new WeakSet<object>();
  const listen = harmless((actor: InstanceType<typeof Actor>) => {
    const isRoot = (actor as unknown as { _parent?: unknown })._parent === undefined;
    if (!isRoot || heard.has(actor.system) || isOfLibrary(actor)) return;
    heard.add(actor.system);
    actor.system.inspect(harmless((event) => actors.hear(event)));
    actors.meet(actor as unknown as Ref);
  });
  const failed = harmless((actor: unknown, error: unknown) => actors.failed(actor as Ref, error));
  Actor.prototype.start = function (this: InstanceType<typeof Actor>) {
    listen(this);
    return start.call(this);
  };
  // XState inspects no event that fails, and an observer of errors would change what becomes of them.
  fallible._error = function (this: unknown, error) {
    failed(this, error);
    fail.call(this, error);
  };
  return () => {
    Actor.prototype.start = start;
    fallible._error = fail;
    actors.isOver = true;
  };
}

/** The library's nodes run below an empty machine. */
const isOfLibrary = ({ logic }: { readonly logic: unknown }): boolean => {
  const { config } = logic as { config?: object };
  return config !== undefined && Object.keys(config).length === 0;
};

class Actors {
  isOver = false;
  private readonly known = new WeakMap<Ref, Known>();
  private readonly names = new FreeNames();
  /** Who can be sent nothing more has ended, whatever its state. */
  private readonly dropped = new FinalizationRegistry<Pick<Known, 'name' | 'chart' | 'leave'>>((known) => this.end(known));
  private readonly charts = new Set<string>();

  constructor(
    private readonly report: (report: StepReport) => void,
    private readonly reach: Reach,
  ) {}

  hear(inspected: InspectionEvent): void {
    if (this.isOver) return;
    const ref = inspected.actorRef as Ref;
    if (inspected.type === '@xstate.actor') return void this.meet(ref);
    const actor = this.meet(ref);
    if (inspected.type === '@xstate.event') {
      const source = inspected.sourceRef as Ref | undefined;
      const from = source && this.known.has(source) ? this.known.get(source)!.name : undefined;
      actor.cause = { event: inspected.event, from };
    } else if (inspected.type === '@xstate.microstep') {
      const { taken, refused } = selectedIn(inspected, actor.chart, actor.before);
      actor.selected = { taken: [...actor.selected.taken, ...taken], refused: [...actor.selected.refused, ...refused] };
      actor.before = inspected.snapshot as AnyMachineSnapshot;
    } else if (inspected.type === '@xstate.snapshot') this.step(actor, inspected.event, inspected.snapshot);
  }

  /** The event that an actor takes has failed, and with it the actor. */
  failed(ref: Ref, error: unknown): void {
    const actor = this.known.get(ref);
    if (this.isOver || !actor || actor.hasEnded) return;
    const { cause } = actor;
    if (cause) this.step(actor, cause.event, ref.getSnapshot(), error);
    else this.end(actor, error);
  }

  meet(ref: Ref): Known {
    const met = this.known.get(ref);
    if (met) return met;
    const { config } = ref.logic as { config?: { id?: string } };
    const isMachine = config !== undefined && typeof (ref.logic as { provide?: unknown }).provide === 'function';
    const chart = isMachine ? (config.id ?? '(machine)') : 'actor';
    // XState numbers what has no name of its own.
    const own = /^x:\d+$/.test(ref.id) ? ((isMachine ? config.id : undefined) ?? 'actor') : ref.id;
    const { name, giveBack } = this.names.take(own);
    const { events = [] } = ref.logic as { readonly events?: readonly string[] };
    const unreach = this.reach(name, ref, events);
    const leave = () => {
      unreach();
      giveBack();
    };
    const actor: Known = { name, chart, leave, hasEnded: false, before: null, selected: NOTHING, cause: null };
    this.known.set(ref, actor);
    this.dropped.register(ref, { name, chart, leave }, actor);
    const parent = ref._parent && this.known.get(ref._parent);
    const isNew = isMachine && !this.charts.has(chart);
    this.charts.add(chart);
    this.say(actor, {
      kind: 'start',
      event: { type: 'start' },
      roles: { [chart]: viewOf(chart, ref.getSnapshot()) },
      links: parent ? [parent.name] : [],
      ...(isNew && { charts: { [chart]: chartOf(ref.logic as AnyStateMachine) } }),
    });
    return actor;
  }

  private step(actor: Known, { type }: Message, snapshot: unknown, error?: unknown): void {
    if (actor.hasEnded) return;
    const { chart, cause, selected } = actor;
    actor.cause = null;
    actor.selected = NOTHING;
    actor.before = snapshot as AnyMachineSnapshot;
    const event = cause?.event ?? { type };
    const { status = 'active' } = snapshot as { status?: string };
    if (event.type !== INIT) {
      const isFrom = cause?.from !== undefined && cause.from !== actor.name;
      const said = plainEvent(event);
      this.say(actor, {
        kind: isFrom ? 'deliver' : 'command',
        event: said,
        ...(isFrom && { from: cause.from, message: said }),
        roles: { [chart]: viewOf(chart, snapshot) },
        ...(chart === 'actor' ? {} : { selected }),
      });
    }
    if (status === 'active') return;
    actor.hasEnded = true;
    this.dropped.unregister(actor);
    this.end(actor, status === 'error' ? (error ?? (snapshot as { error?: unknown }).error) : undefined);
  }

  private end(actor: Pick<Known, 'name' | 'chart' | 'leave'>, error?: unknown): void {
    if (this.isOver) return;
    actor.leave();
    const event = error === undefined ? { type: 'ended' } : { type: 'failed', error: plain(messageOf(error)) };
    this.say(actor, { kind: 'crash', event, roles: {} });
  }

  private say(
    { name, chart }: Pick<Known, 'name' | 'chart'>,
    report: Omit<StepReport, 'at' | 'node' | 'role' | 'sent' | 'emitted'>,
  ): void {
    this.report({ at: now(), node: name, role: chart, sent: [], emitted: [], isOwn: true, ...report });
  }
}

/** What cannot be read of a config is shown as such; its functions keep their names. */
function chartOf(machine: AnyStateMachine): unknown {
  try {
    return plain(chartDefinition(machine));
  } catch {
    const config = plain(machine.config, { ofFunction: ({ name }) => name });
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
