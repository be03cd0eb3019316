/**
 * A machine under test: the real actor of XState in a controlled environment.
 *
 * A step lets a timer fire, lets a service finish, or sends an event; nothing else moves. The work of an invoked or spawned promise,
 * callback or observable is not done: the actor exists, and its result is a step, one of its samples. Child machines run for real, on the
 * same clock. The actions of the application are performed or only recorded, depending on the options.
 */
import type { AnyActor, AnyActorLogic, AnyMachineSnapshot, AnyStateNode } from 'xstate';
import type { Message } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import { ChartAlone } from './alone.js';
import { parentOf, relay } from '../../network/world/internals.js';
import { descriptorsOf, type TakenTransition } from '../../network/world/kernel.js';
import {
  createStaged,
  heldLogic,
  isRunning,
  settleService,
  standIn,
  type LogicKind,
  type PerformedAction,
  type Settling,
  type StageHooks,
  HELD,
  noneAlone,
  performedLogic,
} from './stage.js';
import type { Noted } from '../coverage/items.js';
import { ActionPromises } from './action-promises.js';
import type { Checkpoint, HeldLogic } from './checkpoint.js';
import { encode, keyOf, visibleContext, type Acted, type SeenState } from './encode.js';
import { actorsBelow, baseName, timersOf } from './names.js';
import type { SampleArgs, MachineStep, Start } from './options.js';
import { PathChance } from './path-chance.js';
import { eventsFor, wholeEvent } from './samples.js';
import { settlingOf, stepsOfService, type HeldService } from './service-steps.js';
import { isFromOutside, isJson, type Holds } from './steps.js';
import { Askers, dropped, type Remark } from './remarks.js';
import { Timers, type Timer } from './timers.js';
import type { Subject } from './subject.js';

export interface RigOptions {
  /** True if the application's actions are performed. */
  readonly performs: boolean;
  /** A stored state to start from. */
  readonly restored?: unknown;
  /** The rig whose clock continues after the restoration. */
  readonly after?: Rig;
  /** The `checkpoint` of another rig to continue from. */
  readonly from?: Checkpoint | undefined;
  /** True if the chart is stepped without live actors. Always true with `mode: 'pure'`. */
  readonly alone?: boolean;
  /** A deadline, in milliseconds, that begins with the start. */
  readonly deadlineMs?: number | undefined;
}

/** Events in one step; an ordinary machine needs few. */
const EVENTS_MAX = 1000;

export class Rig {
  timers!: Timers;
  root!: AnyActor;
  /** The runner of the root, if its chart is stepped without live actors. */
  private alone: ChartAlone | null = null;
  /** Suspicious observations in the present step. */
  remarks: Remark[] = [];
  readonly chance: PathChance;
  private askers = new Askers();
  /** The states whose transitions the present step has taken, by their ids. */
  private sources = new Set<string>();
  /** The items that the present step has covered, including the requested actions of the application. */
  items = new Set<Noted>();
  acted: Acted[] = [];
  last: MachineStep | null = null;
  /** The error that stopped the machine, if any. */
  error: { readonly thrown: unknown } | null = null;
  /** Set if the last step mutated the context object: the contexts before and after it. */
  mutated: { readonly before: string; readonly after: string } | null = null;
  /** True if the present step ends a service without a sample for its result. */
  isBare = false;
  /** The event that an actor was sent last. */
  latest: Message | null = null;
  /** Timers that ran before the present step and go on. */
  keeps: readonly string[] = [];
  readonly promises = new ActionPromises();
  /** Events in the present step. */
  private relayed = 0;
  /** Every actor ever created below the root, and those that the context has referred to. */
  made: AnyActor[] = [];
  referred = new Set<AnyActor>();
  private held = new Map<AnyActor, HeldLogic>();
  private readonly real = new Map<AnyActor, Promise<Settling>>();

  constructor(
    readonly subject: Subject,
    private readonly options: RigOptions,
  ) {
    const { restored, from, after, deadlineMs } = options;
    const { seed = 1 } = subject.tests;
    this.chance = new PathChance(
      seed,
      () => this.timers,
      () => this.standing(),
    );
    this.stage(restored === undefined ? subject.starts[0]! : { snapshot: restored }, from);
    if (after) this.chance.goOnFrom(after.chance.left);
    this.elapse(deadlineMs);
    this.subject.refuseFickle();
  }

  /** Starts as one of the starts defines, or continues from another rig's checkpoint. */
  private stage(start: Start, from?: Checkpoint): void {
    const before = from && 'alone' in from ? from : null;
    this.askers = new Askers(before?.askers);
    this.timers = from?.timers.copy() ?? new Timers(this.options.after?.timers);
    this.made = [...(before?.made ?? [])];
    this.referred = new Set(before?.referred);
    this.held = new Map(before?.held);
    this.error = null;
    if (from) this.chance.goOnFrom(from.readings);
    this.chance.step(null, () => this.begin(start, from, before));
    // A restored machine has not passed its first states.
    if (!('snapshot' in start)) for (const item of this.subject.itemsAtStart) this.items.add(item);
    if (!before) this.noteAskers([], 0, new Set());
  }

  private begin(
    start: Start,
    from: Checkpoint | undefined,
    before: Extract<Checkpoint, { readonly alone: ChartAlone }> | null,
  ): void {
    const { clock } = this.timers;
    const { machine } = this.subject;
    this.alone = null;
    if (before) {
      this.alone = before.alone;
      this.alone.comeBack(before.standing, clock, this.hooks);
    } else if (this.isAlone) this.alone = new ChartAlone(machine, start, clock, this.hooks);
    const plain = from && 'snapshot' in from ? from.snapshot : undefined;
    this.root = this.alone?.root ?? createStaged(machine, { ...start, clock, logger: () => {} } as never, this.hooks, plain);
    if (!before) (this.alone ?? this.root).start();
  }

  private get isAlone(): boolean {
    return this.options.alone ?? this.subject.tests.mode === 'pure';
  }

  private get hooks(): StageHooks {
    return {
      created: (actor, kind) => this.created(actor, kind),
      performs: (actor, action) => this.performs(actor, action),
      perform: ({ type }, work) => this.promises.note(type, this.chance.performing(work)),
      relays: (event, target, source) => this.relays(event, target, source),
      taken: (transition) => this.taken(transition),
      schedules: this.timers.noted,
      broke: (thrown) => void (this.error = { thrown }),
    };
  }

  get snapshot(): AnyMachineSnapshot {
    return this.root.getSnapshot();
  }

  /** Everything that can happen next, in an order that is the same in every run. */
  choices(): readonly MachineStep[] {
    const here = this.ask('samples', () => this.choicesHere());
    return [...here, ...(this.isFirst ? this.subject.otherStarts : [])];
  }

  /** True if no step was taken yet: only then another start can be chosen. */
  private get isFirst(): boolean {
    return this.last === null && this.options.from === undefined && this.options.restored === undefined;
  }

  private choicesHere(): readonly MachineStep[] {
    if (this.error !== null || this.snapshot.status !== 'active') return [];
    const names = actorsBelow(this.root);
    const { tests } = this.subject;
    const events: MachineStep[] = eventsFor(descriptorsOf(this.snapshot), tests.events, this.snapshot, this.holds).filter(
      ({ event }) => !this.subject.within.has(event.type),
    );
    const actors = [...names].flatMap(([actor, name]) => [...this.choicesOf(actor, name)]);
    const timers = timersOf(this.timers, names).flatMap(([timer, name]) =>
      this.timers.due().includes(timer) ? [{ timer: name }] : [],
    );
    const all = [...events, ...actors, ...timers];
    return tests.filter ? all.filter((step) => tests.filter!(this.snapshot, step)) : all;
  }

  private *choicesOf(actor: AnyActor, name: string): Generator<MachineStep> {
    const snapshot: AnyMachineSnapshot & { readonly input?: unknown } = actor.getSnapshot();
    if (snapshot?.status !== 'active') return;
    if (this.real.has(actor)) {
      yield { settles: name };
      return;
    }
    const held = this.held.get(actor);
    if (held) {
      yield* stepsOfService(this.serviceOf(actor, name, held), this.holds);
      return;
    }
    const samples = this.subject.eventsOfChild(actor);
    if (!samples || !('machine' in snapshot)) return;
    for (const one of eventsFor(descriptorsOf(snapshot), samples, snapshot, this.holds)) yield { ...one, to: name };
  }

  /** Another path has other moments in their place. */
  private readonly holds: Holds = (value) => {
    if (!isJson(value)) return false;
    const text = this.chance.isClocked ? JSON.stringify(value) : '';
    return this.chance.timeless(text) === text;
  };

  private serviceOf(actor: AnyActor, name: string, held: HeldLogic): HeldService {
    return { ...held, name, subject: this.subject, args: this.argsOf(actor) };
  }

  /** Controls chance and time while a part of the tests is evaluated. */
  ask<T>(what: string, work: () => T): T {
    return this.chance.during(what, work);
  }

  /** Takes a step, with which a deadline may begin; false when it cannot happen now, and then nothing has changed. */
  async take(step: MachineStep, deadlineMs?: number): Promise<boolean> {
    const act = this.actOf(step);
    if (!act) return false;
    this.items = new Set();
    this.sources = new Set();
    this.acted = [];
    this.last = step;
    this.relayed = 0;
    const { context } = this.snapshot;
    const before = this.contextText(context);
    const timers = new Set(this.timers.running);
    const outcome = this.outcomeOf(step);
    this.remarks = [];
    const nodes = this.snapshot._nodes;
    const made = this.made.length;
    const late = this.askers.late(this.settledBy(step), this.root, this.subject.name);
    if (outcome) this.items.add(outcome);
    const ended = 'done' in step ? this.held.get(this.find(step.done)!) : undefined;
    this.isBare = ended !== undefined && ended.samples.done === undefined;
    const waiting = this.chance.step(step, act);
    if (waiting) await waiting;
    const after = this.contextText(context);
    this.mutated = before === after ? null : { before, after };
    this.keeps = timers.size === 0 ? [] : this.timersNow().flatMap(([timer, name]) => (timers.has(timer) ? [name] : []));
    this.noteAskers(nodes, made, timers);
    if (late && [...this.items].some((item) => item.startsWith(`${late.chart}: transition `))) this.remarks.push(late);
    this.elapse(deadlineMs);
    this.subject.refuseFickle();
    return true;
  }

  private settledBy(step: MachineStep): AnyActor | Timer | undefined {
    if ('timer' in step) return this.timersNow().find(([, name]) => name === step.timer)?.[0];
    const name = 'done' in step ? step.done : 'fails' in step ? step.fails : undefined;
    return name === undefined ? undefined : this.find(name);
  }

  private noteAskers(before: readonly AnyStateNode[], made: number, running: ReadonlySet<Timer>): void {
    const spawned = this.made.slice(made).filter((actor) => this.held.get(actor)?.kind === 'promise');
    const armed = this.timers.running.filter((timer) => !running.has(timer));
    this.askers.note(this.root, before, [...spawned, ...armed], this.sources);
  }

  /** The coverage item of a service's result, in the chart that started it. */
  private outcomeOf(step: MachineStep): Noted | null {
    if ('timer' in step || isFromOutside(step)) return null;
    const [[how, name]] = Object.entries(step) as [[string, string]];
    const actor = this.find(name)!;
    const chart = this.subject.chartName(parentOf(actor)!.logic);
    const what = 'sends' in step ? `${how} ${step.event.type}` : how;
    return chart === undefined ? null : `${chart}: outcome ${baseName(actor)} ${what}`;
  }

  /** The context as text. With "distinguish", the rest of the context is the application's responsibility. */
  private contextText(context: unknown): string {
    return this.subject.tests.distinguish ? '' : encode(context, () => 'that is there');
  }

  private relays(event: Message, target: AnyActor, source: AnyActor | undefined): void {
    const { type } = event;
    this.latest = event;
    const chart = this.subject.chartName(target.logic);
    const sent = this.last && 'event' in this.last ? this.last.event.type : undefined;
    const remark = target === this.root ? null : dropped(event, target, source, chart, sent);
    if (remark) this.remarks.push(remark);
    if (++this.relayed <= EVENTS_MAX) return;
    throw new ProtocolError(
      `One step caused more than ${EVENTS_MAX} events, the last one ${type}. Actors send events to each other, or to themselves, in an infinite loop. Add a guard that ends it.`,
    );
  }

  private elapse(deadlineMs: number | undefined): void {
    if (deadlineMs !== undefined) this.timers.startDeadline(deadlineMs);
    this.timers.elapse();
  }

  private actOf(step: MachineStep): (() => void | Promise<void>) | null {
    if ('start' in step) {
      const start = this.subject.starts[step.start];
      return start
        ? () => {
            this.stop();
            this.promises.isOver = false;
            this.stage(start);
          }
        : null;
    }
    if (this.error !== null || this.snapshot.status !== 'active') return null;
    if ('timer' in step) {
      const timer = this.timersNow().find(([, name]) => name === step.timer)?.[0];
      return timer && this.timers.due().includes(timer) ? () => this.timers.fire(timer) : null;
    }
    if ('event' in step && !('sends' in step)) {
      const target = step.to === undefined ? this.root : this.find(step.to);
      return target ? () => relay(undefined, target, this.eventTo(target, step)) : null;
    }
    const [how, name] = Object.entries(step)[0] as [Settling['how'] | 'settles', string];
    const actor = this.find(name);
    if (!actor || actor.getSnapshot()?.status !== 'active') return null;
    if (how === 'settles') return this.settleReal(actor);
    const held = this.held.get(actor);
    if (!held) return null;
    const settling = () => settlingOf(step, how, this.serviceOf(actor, name, held));
    return () => settleService(actor, held.kind, this.ask('samples', settling));
  }

  private find(name: string): AnyActor | undefined {
    return [...actorsBelow(this.root)].find(([, one]) => one === name)?.[0];
  }

  private eventTo(target: AnyActor, step: Extract<MachineStep, { readonly event: Message }>): Message {
    const samples = target === this.root ? this.subject.tests.events : this.subject.eventsOfChild(target);
    return this.ask('samples', () => wholeEvent(step, samples, target.getSnapshot()));
  }

  /** The step as the application would see it: its event with all that it carries. */
  whole(step: MachineStep): MachineStep {
    if (!('event' in step) || 'sends' in step || step.sample === undefined) return step;
    const target = step.to === undefined ? this.root : this.find(step.to);
    return target ? { ...step, event: this.eventTo(target, step) } : step;
  }

  private settleReal(actor: AnyActor): (() => Promise<void>) | null {
    const promise = this.real.get(actor);
    const name = actorsBelow(this.root).get(actor)!;
    return promise
      ? async () => settleService(actor, 'promise', await this.subject.patience(`service ${name}, which runs for real`, promise))
      : null;
  }

  private readonly argsOf = (actor: AnyActor) => (): SampleArgs => ({
    context: this.snapshot.context,
    snapshot: this.snapshot,
    input: actor.getSnapshot()?.input,
  });

  private timersNow(): ReturnType<typeof timersOf> {
    return timersOf(this.timers, actorsBelow(this.root));
  }

  private created(actor: AnyActor, kind: LogicKind): AnyActorLogic {
    const logic: AnyActorLogic = actor.logic;
    // The first of all is the machine itself, observed already.
    if (logic === this.subject.machine) return logic;
    this.made.push(actor);
    this.subject.meet(actor);
    const samples = this.subject.samplesOf(actor);
    if (samples === 'real' && kind === 'promise') return performedLogic(logic, (end) => this.real.set(actor, end));
    if (samples === 'real' || (samples === undefined && !HELD.has(kind))) {
      if (this.isAlone && kind !== 'transition') throw noneAlone(baseName(actor), kind);
      return this.subject.observedChild(actor, kind);
    }
    const isHeld = HELD.has(kind);
    this.held.set(
      actor,
      isHeld ? { kind, samples: samples ?? {} } : { kind: 'promise', samples: { done: [], fails: [], ...samples } },
    );
    return heldLogic(isHeld ? logic : standIn, () => {});
  }

  private performs(actor: AnyActor, { type, params, info, exec }: PerformedAction): boolean {
    const covered = this.subject.coveredBy(type);
    if (covered) {
      this.items.add(covered);
      return false;
    }
    if (exec === undefined) this.subject.lacks(actor, type);
    const context = this.chance.timeless(encode(this.visibleContext(actor, info.context), () => undefined));
    this.acted.push(params === undefined ? { type, context } : { type, params: this.chance.timelessValue(params), context });
    return this.options.performs;
  }

  private taken(transition: TakenTransition): void {
    if (transition.machine === this.subject.machine) this.sources.add(transition.source);
    for (const item of this.subject.itemsTaken(transition)) this.items.add(item);
  }

  /** The charts that run, the machine itself first, with their names. */
  charts(): readonly (readonly [name: string, snapshot: AnyMachineSnapshot])[] {
    const all = [[this.root, ''] as const, ...actorsBelow(this.root)];
    return all.flatMap(([actor, name]) => {
      const snapshot: AnyMachineSnapshot | undefined = actor.getSnapshot();
      return snapshot?._nodes === undefined ? [] : [[name, snapshot] as const];
    });
  }

  /** Covers every present state of a chart, including states that its history restored. */
  noteStates(): void {
    for (const [, { _nodes: nodes }] of this.charts()) {
      for (const node of nodes) {
        const item = this.subject.stateItem(node);
        if (item) this.items.add(item);
      }
    }
  }

  /**
   * A checkpoint for another rig. Always possible for a chart without live actors; for live actors only if there are no other actors and no
   * timers.
   */
  checkpoint(): Checkpoint | null {
    if (this.error !== null || this.snapshot.status !== 'active') return null;
    const { alone, made, held, referred } = this;
    const clocked = { timers: this.timers.copy(), readings: this.chance.left };
    if (alone)
      return {
        ...clocked,
        alone,
        standing: alone.standing,
        made: [...made],
        held: new Map(held),
        referred: new Set(referred),
        askers: new Askers(this.askers),
      };
    const isAlone = made.every((actor) => !isRunning(actor)) && actorsBelow(this.root).size === 0 && referred.size === 0;
    return isAlone && this.timers.running.length === 0 ? { ...clocked, snapshot: this.snapshot } : null;
  }

  /** The identity of this state: everything that can make a difference later. */
  key(): string {
    const identity = this.ask('distinguish', () => this.subject.tests.distinguish?.(this.snapshot));
    const names = actorsBelow(this.root);
    const named = timersOf(this.timers, names);
    const timers = named.map(([{ delay }, name]) => `${name} ${delay}`);
    const late = [...names, ...named].flatMap(([one, name]) => (this.askers.isLate(one) ? [`late ${String(name)}`] : []));
    const first = this.isFirst && this.subject.starts.length > 1 ? ['at the start'] : [];
    return [this.chance.timeless(this.actorsText(names, identity)), ...timers, ...late, this.timers.key, ...first].join('\n');
  }

  /** The state of all actors, which chance is drawn by. */
  private standing(): string {
    return this.actorsText(actorsBelow(this.root));
  }

  private actorsText(names: ReadonlyMap<AnyActor, string>, identity?: unknown): string {
    const nameOf = (value: object) => (value === this.root ? '(root)' : names.get(value as AnyActor));
    const one = (actor: AnyActor) =>
      keyOf(actor, nameOf, (context) =>
        actor === this.root && identity !== undefined ? identity : this.visibleContext(actor, context),
      );
    return [[this.root, ''] as const, ...names].map(([actor, name]) => `${name}=${one(actor)}`).join('\n');
  }

  private visibleContext(actor: AnyActor, context: unknown): unknown {
    return actor === this.root ? visibleContext(context, this.subject.unread) : context;
  }

  view(): SeenState {
    const names: ReadonlyMap<unknown, string> = actorsBelow(this.root);
    const nameOf = (value: object) => (value === this.root ? '(root)' : names.get(value));
    const { value, context, status } = this.snapshot;
    return {
      value,
      status,
      context: this.chance.timeless(encode(this.visibleContext(this.root, context), nameOf)),
      actors: [...names.values()],
      acted: this.acted,
    };
  }

  /** The number of services that have not ended. */
  pending(): number {
    return [...this.held.keys(), ...this.real.keys()].filter(isRunning).length;
  }

  stop(): void {
    this.promises.isOver = true;
    (this.alone ?? this.root).stop();
  }
}
