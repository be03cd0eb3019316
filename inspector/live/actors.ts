/**
 * Every XState actor of this process as reports: each actor a node, its machine the chart, its parent at the other end of a link; of
 * each step the transitions that XState took.
 *
 * An actor system is heard from where its root starts. What runs below the library's own nodes is not told: the nodes are.
 */
import { Actor, type AnyActorRef, type AnyMachineSnapshot, type InspectionEvent } from 'xstate';
import type { Message } from '../../machines/effects.js';
import type { RoleView } from '../../machines/protocol.js';
import { chartDefinition } from '../../network/chart-definition.js';
import { selectedIn, type Selected } from '../../network/world/selections.js';
import { stateIn } from '../model/values.js';
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
  /** It is reached no more. */
  readonly leave: () => void;
}

const NOTHING: Selected = { taken: [], refused: [] };
const INIT = 'xstate.init';

/** Who wants to reach an actor, from when it is met to when the returned function is called. */
type Reach = (name: string, ref: AnyActorRef, events: readonly string[]) => () => void;

/** Reports all actors of systems that start from now on, until the returned function is called. */
export function reportActors(report: (report: StepReport) => void, reach: Reach = () => () => {}): () => void {
  const actors = new Actors(report, reach);
  const start = Actor.prototype.start;
  const heard = new WeakSet<object>();
  Actor.prototype.start = function (this: InstanceType<typeof Actor>) {
    const isRoot = (this as unknown as { _parent?: unknown })._parent === undefined;
    if (isRoot && !heard.has(this.system) && !isOfLibrary(this)) {
      heard.add(this.system);
      actors.meet(this as unknown as Ref);
      this.system.inspect((event) => actors.hear(event));
    }
    return start.call(this);
  };
  return () => {
    Actor.prototype.start = start;
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
  private readonly names = new Set<string>();
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

  meet(ref: Ref): Known {
    const met = this.known.get(ref);
    if (met) return met;
    const { config } = ref.logic as { config?: { id?: string } };
    const isMachine = config !== undefined && typeof (ref.logic as { provide?: unknown }).provide === 'function';
    const chart = isMachine ? (config.id ?? '(machine)') : 'actor';
    const name = this.nameOf(ref, isMachine ? config.id : undefined);
    const { events = [] } = ref.logic as { readonly events?: readonly string[] };
    const actor: Known = {
      name,
      chart,
      leave: this.reach(name, ref, events),
      before: null,
      selected: NOTHING,
      cause: null,
    };
    this.known.set(ref, actor);
    const parent = ref._parent && this.known.get(ref._parent);
    const isNew = isMachine && !this.charts.has(chart);
    this.charts.add(chart);
    this.say(actor, {
      kind: 'start',
      event: { type: 'start' },
      roles: { [chart]: viewOf(chart, ref.getSnapshot()) },
      links: parent ? [parent.name] : [],
      ...(isNew && { charts: { [chart]: chartDefinition(ref.logic as never) } }),
    });
    return actor;
  }

  private step(actor: Known, { type }: Message, snapshot: unknown): void {
    const { chart, cause, selected } = actor;
    actor.cause = null;
    actor.selected = NOTHING;
    actor.before = snapshot as AnyMachineSnapshot;
    const event = cause?.event ?? { type };
    if (event.type === INIT) return;
    const isFrom = cause?.from !== undefined && cause.from !== actor.name;
    this.say(actor, {
      kind: isFrom ? 'deliver' : 'command',
      event: plain(event),
      ...(isFrom && { from: cause.from, message: plain(event) }),
      roles: { [chart]: viewOf(chart, snapshot) },
      ...(chart === 'actor' ? {} : { selected }),
    });
    const { status } = snapshot as { status?: string };
    if (status === undefined || status === 'active') return;
    actor.leave();
    this.say(actor, { kind: 'crash', event: { type: 'ended' }, roles: {} });
  }

  private say({ name, chart }: Known, report: Omit<StepReport, 'at' | 'node' | 'role' | 'sent' | 'emitted'>): void {
    this.report({ at: now(), node: name, role: chart, sent: [], emitted: [], isOwn: true, ...report });
  }

  /** XState numbers what has no name of its own. */
  private nameOf({ id }: Ref, chart: string | undefined): string {
    const name = /^x:\d+$/.test(id) ? (chart ?? 'actor') : id;
    let free = name;
    for (let other = 2; this.names.has(free); other++) free = `${name} (${other})`;
    this.names.add(free);
    return free;
  }
}

/** What is no JSON is left out. */
function viewOf(chart: string, snapshot: unknown): RoleView {
  const { value, status, context } = (snapshot ?? {}) as Partial<Record<'value' | 'status' | 'context', unknown>>;
  return { chart, value: stateIn(value, status), context: plain(context ?? {}) };
}

function plain<T>(value: T): T {
  const seen = new WeakSet<object>();
  const replaced = (_key: string, inner: unknown): unknown => {
    if (typeof inner === 'function' || typeof inner === 'symbol' || typeof inner === 'bigint') return String(inner);
    if (typeof inner !== 'object' || inner === null) return inner;
    if ('sessionId' in inner && 'getSnapshot' in inner) return { actor: (inner as AnyActorRef).id };
    if (seen.has(inner)) return '…';
    seen.add(inner);
    return inner;
  };
  return JSON.parse(JSON.stringify(value, replaced) ?? 'null') as T;
}
