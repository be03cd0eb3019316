/** Prepares a machine for its tests: adds observers to its actions and guards, and reads its samples. */
import { and, or, type AnyActor, type AnyActorLogic, type AnyStateMachine, type AnyStateNode } from 'xstate';
import type { Message } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import { type TakenTransition } from '../../network/world/kernel.js';
import { kindOfLogic, actorSource, standIn, type LogicKind } from './stage.js';
import { chartOf, configOf, rulesOf, statesOf, type ChartConfig } from '../charts/config.js';
import { itemsAtStart, itemsOf, itemsTaken, type Item } from '../coverage/items.js';
import { observeGuards } from '../coverage/probe.js';
import { guardName } from '../mutants/render.js';
import { encode } from './encode.js';
import { baseName } from './names.js';
import type { EventSamples, MachineStep, MachineTests, ServiceSamples, Start } from './options.js';
import { implementationsOf, nameOfAction, referencesOf, refuseNoMachine, refuseUnwritten } from './references.js';
import { pathChance } from './path-chance.js';
import type { Noted } from '../coverage/items.js';
import { sentWithin } from './within.js';
import { fieldsOf } from '../../machines/checks.js';

/** The prefix of a function in the list of actions that reports the next action. */
const COVERS = 'quiver.covers ';

/** Limit of eventless transitions and raised events in one step, if the machine does not set one. XState has none. */
export const MICROSTEPS_MAX = 1000;

/** Waits for real work, and rejects if it takes too long. The caller implements it, because this module has no clock. */
export type Patience = <T>(what: string, promise: Promise<T>) => Promise<T>;

export class Subject {
  readonly name: string;
  readonly machine: AnyStateMachine;
  /** The charts of the machine and of every child machine found, with the items of their configs. */
  readonly charts = new Map<string, readonly Item[]>();
  /** The same charts as the application has them. */
  readonly originals = new Map<string, AnyStateMachine>();
  /** Event types that come from within, unless samples name them. */
  readonly within: ReadonlySet<string>;
  /** Named actions without an implementation, as coverage has them. */
  readonly unwritten = new Set<Noted>();
  /** Keys of the context that do not distinguish states, because they are never read; `null` before the search has determined them. */
  unread: ReadonlySet<string> | null = null;
  /** True if the chart turned out to need live actors. */
  needsActors = false;
  /** A guard that returned another result for the same arguments. */
  nondeterministic: string | undefined;
  /** Timers that ran where the machine was stored, and that XState did not arm again when it was restored. */
  readonly lostTimers = new Set<string>();
  /** The logic of all actors that there were, by source and by id. */
  readonly met = new Map<string, Set<AnyActorLogic>>();
  private readonly names = new Map<AnyStateMachine, string>();
  private readonly children = new Map<AnyActorLogic, AnyStateMachine>();
  private readonly taken = new Map<string, readonly Noted[]>();
  private readonly states = new Map<AnyStateNode, Noted>();
  private readonly failures = new Map<string, Error>();
  private noting: ((item: Noted) => void) | null = null;

  constructor(
    readonly original: AnyStateMachine,
    readonly tests: MachineTests,
    readonly patience: Patience = (_, promise) => promise,
  ) {
    refuseNoMachine(original);
    const { delays, provide } = tests;
    const own = delays || provide ? original.provide({ ...provide, ...(delays && { delays }) } as never) : original;
    refuseUnwritten(own, tests);
    this.name = original.id;
    this.within = sentWithin(original, tests);
    this.machine = this.observed(own, this.name);
  }

  /** The ways to start. The first one is the default. */
  get starts(): readonly Start[] {
    return this.tests.starts ?? [{ input: this.tests.input }];
  }

  /** The steps that begin in another way. */
  get otherStarts(): readonly MachineStep[] {
    const description = (start: Start) =>
      encode('input' in start ? start.input : fieldsOf(start.snapshot)['value'], () => undefined);
    return this.starts.map((start, i): MachineStep => ({ start: i, description: description(start) })).slice(1);
  }

  get itemsAtStart(): readonly Noted[] {
    return itemsAtStart(this.machine).map((item): Noted => `${this.name}: ${item}`);
  }

  /** The name of an observed chart; `undefined` for other logic. */
  chartName(logic: AnyActorLogic): string | undefined {
    return this.names.get(logic as AnyStateMachine);
  }

  /** Notifies the listener of every guard when it is decided. */
  listen(noting: ((item: Noted) => void) | null): void {
    this.noting = noting;
  }

  itemsTaken({ machine, source, eventType, index }: TakenTransition): readonly Noted[] {
    const chart = this.names.get(machine);
    // The step into the first state has no transition of the config behind it.
    if (chart === undefined || index < 0) return [];
    const key = `${chart} ${source} ${eventType} ${index}`;
    let items = this.taken.get(key);
    if (!items)
      this.taken.set(key, (items = itemsTaken(machine, source, eventType, index).map((item): Noted => `${chart}: ${item}`)));
    return items;
  }

  /** A state that a chart is in; the root is none. */
  stateItem(node: AnyStateNode): Noted | undefined {
    const chart = this.names.get(node.machine);
    if (chart === undefined || node.path.length === 0) return undefined;
    let item = this.states.get(node);
    if (!item) this.states.set(node, (item = `${chart}: state ${node.path.join('.')}`));
    return item;
  }

  /** The item that a function in the list of actions covers. */
  coveredBy(type: string): Noted | undefined {
    return type.startsWith(COVERS) ? (type.slice(COVERS.length) as Noted) : undefined;
  }

  /** Throws if a guard has returned two results for the same arguments. */
  refuseFickle(): void {
    const { nondeterministic } = this;
    if (nondeterministic !== undefined)
      throw new ProtocolError(
        `${nondeterministic} returned two results for the same arguments: it reads a clock, chance or something outside of context and event. Move that into one of them, or replace it, provide: { guards: { … } }`,
      );
  }

  samplesOf(actor: AnyActor): ServiceSamples | 'real' | undefined {
    return this.lookUp(this.tests.services, actor);
  }

  eventsOfChild(actor: AnyActor): EventSamples | undefined {
    return this.lookUp(this.tests.children, actor);
  }

  private lookUp<T>(samples: Readonly<Record<string, T>> | undefined, actor: AnyActor): T | undefined {
    return samples?.[actorSource(actor) ?? ''] ?? samples?.[baseName(actor)];
  }

  /** The default results of a service without samples. */
  defaultsOf(kind: LogicKind, name: string): Readonly<Record<'done' | 'fails', readonly unknown[]>> {
    const failure = [this.failureOf(name)];
    if (kind === 'promise') return { done: [undefined], fails: failure };
    return { done: [], fails: kind === 'callback' ? [] : failure };
  }

  private failureOf(name: string): Error {
    const failure = this.failures.get(name) ?? new Error(`${name} failed`);
    this.failures.set(name, failure);
    return failure;
  }

  /** A child's logic, observed if it is a chart. */
  observedChild(actor: AnyActor, kind: LogicKind): AnyActorLogic {
    const logic: AnyActorLogic = actor.logic;
    if (kind !== 'machine') return logic;
    let child = this.children.get(logic);
    if (!child)
      this.children.set(logic, (child = this.observed(logic as AnyStateMachine, actorSource(actor) ?? baseName(actor))));
    return child;
  }

  private observed(machine: AnyStateMachine, chart: string): AnyStateMachine {
    const config = configOf(machine);
    const { actions } = implementationsOf(machine);
    const named = noteActions(config, chart, (name) => name in actions);
    for (const name of named) if (!(name in actions)) this.unwritten.add(`${chart}: action ${name}`);
    askGuardsAgain(config, (guard) => void (this.nondeterministic ??= `guard ${guard} of ${chart}`));
    observeGuards(config, (item) => this.noting?.(`${chart}: ${item}`));
    const observed = chartOf({ ...config, options: { maxIterations: MICROSTEPS_MAX, ...config.options } }, withStandIns(machine));
    this.names.set(observed, chart);
    this.originals.set(chart, machine);
    this.charts.set(chart, [
      ...itemsOf(machine),
      ...named.map((name): Item => `action ${name}`),
      ...outcomesOf(machine, this.tests.services),
    ]);
    return observed;
  }

  /** Records an action without an implementation that no config names: a function requested it. */
  lacks(actor: AnyActor, type: string): void {
    const chart = this.chartName(actor.logic);
    if (chart === undefined || this.unwritten.has(`${chart}: action ${type}`)) return;
    this.unwritten.add(`${chart}: action ${type}`);
    this.charts.set(chart, [...this.charts.get(chart)!, `action ${type}`]);
  }

  meet(actor: AnyActor): void {
    for (const name of [actorSource(actor), baseName(actor)]) {
      if (name === undefined) continue;
      const of = this.met.get(name) ?? new Set();
      this.met.set(name, of.add(actor.logic));
    }
  }
}

/** Adds implementations for services that are named but not implemented: their samples define the results. */
function withStandIns(machine: AnyStateMachine): AnyStateMachine {
  const missing = [...referencesOf(machine).actors].filter((src) => !(src in implementationsOf(machine).actors));
  return missing.length === 0 ? machine : machine.provide({ actors: Object.fromEntries(missing.map((src) => [src, standIn])) });
}

/** Puts a reporting function before each named action with an implementation. Returns the names of all. */
function noteActions(config: ChartConfig, chart: string, isWritten: (name: string) => boolean): readonly string[] {
  const names = new Set<string>();
  const noted = (actions: readonly unknown[]): unknown[] =>
    actions.flatMap((action) => {
      const name = nameOfAction(action);
      if (name === undefined) return [action];
      names.add(name);
      if (!isWritten(name)) return [action];
      const covers = () => {};
      Object.defineProperty(covers, 'name', { value: `${COVERS}${chart}: action ${name}` });
      return [covers, action];
    });
  for (const { choice } of rulesOf(config)) if (choice.actions) choice.actions = noted(choice.actions);
  for (const [, state] of statesOf(config)) {
    if (state.entry) state.entry = noted(state.entry);
    if (state.exit) state.exit = noted(state.exit);
  }
  return [...names];
}

/**
 * Evaluates each guard twice more, with the same chance: a guard that reads something outside of its arguments is detected by another
 * result.
 */
function askGuardsAgain(config: ChartConfig, isFickle: (guard: string) => void): void {
  for (const { id, choice } of rulesOf(config)) {
    if (choice.guard === undefined) continue;
    const guard = choice.guard as never;
    const name = `${guardName(guard)} (${id})`;
    const reporting = (answer: boolean) => () => {
      isFickle(name);
      return answer;
    };
    const twice = [again, guard, again, guard];
    choice.guard = or([
      and([first, guard, or([and(twice as never), reporting(true)])]),
      and([again, or([guard, and([again, guard])]), reporting(false)]),
    ]);
  }
}

const first = (): boolean => {
  pathChance()?.mark();
  return true;
};
const again = (): boolean => {
  pathChance()?.rewind();
  return true;
};

/** The items for the results and events of invoked services, as far as lists of samples define them. */
function outcomesOf(machine: AnyStateMachine, services: MachineTests['services'] = {}): readonly Item[] {
  const { actors } = implementationsOf(machine);
  const invoked = [...statesOf(configOf(machine))].flatMap(([, { invoke }]) => invoke ?? []);
  const outcomes = invoked.flatMap(({ id, src }) => {
    const source = typeof src === 'string' ? src : undefined;
    const logic = (source === undefined ? src : actors[source]) as AnyActorLogic | undefined;
    const name = id ?? source;
    if (name === undefined || !logic) return [];
    const samples = services[source ?? name] ?? services[name];
    const given = typeof samples === 'object' ? samples : {};
    const sent = Array.isArray(given.sends) ? (given.sends as readonly Message[]) : [];
    const ends = (OUTCOMES[kindOfLogic(logic)] ?? []).filter((end) => !isLeftOut(given[end]));
    return [...ends, ...sent.map(({ type }) => `sends ${type}`)].map((end): Item => `outcome ${name} ${end}`);
  });
  return [...new Set(outcomes)];
}

/** `fails: []`, `completes: false`: the service never has this result. */
const isLeftOut = (samples: ServiceSamples[keyof ServiceSamples]): boolean =>
  samples === false || (Array.isArray(samples) && samples.length === 0);

type End = 'done' | 'fails' | 'next' | 'completes';
const OUTCOMES: Readonly<Partial<Record<LogicKind, readonly End[]>>> = {
  promise: ['done', 'fails'],
  observable: ['next', 'completes', 'fails'],
  events: ['completes', 'fails'],
};
