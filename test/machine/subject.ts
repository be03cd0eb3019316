/** A machine made ready for its tests: under observation, with its samples at hand. */
import type { AnyActor, AnyActorLogic, AnyStateMachine, AnyStateNode } from 'xstate';
import type { Message } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { kindOfLogic, actorSource, standIn, type LogicKind, type TakenTransition } from '../../network/world/kernel.js';
import { chartOf, configOf, rulesOf, statesOf, type ChartConfig } from '../charts/config.js';
import { itemsAtStart, itemsOf, itemsTaken, type Item } from '../coverage/items.js';
import { observeGuards } from '../coverage/probe.js';
import { baseName } from './names.js';
import type { EventSamples, MachineTests, ServiceSamples } from './options.js';
import type { Noted } from './rig.js';

/** The name of a function in the list of actions that only tells which one is performed next. */
const COVERS = 'quiver.covers ';

export class Subject {
  readonly name: string;
  readonly machine: AnyStateMachine;
  /** Of the machine itself and of every child machine that was met: what its config tells is there. */
  readonly charts = new Map<string, readonly Item[]>();
  /** Event types that come from within, unless samples name them. */
  readonly within: ReadonlySet<string>;
  private readonly names = new Map<AnyStateMachine, string>();
  private readonly children = new Map<AnyActorLogic, AnyStateMachine>();
  private readonly taken = new Map<string, readonly Noted[]>();
  private readonly states = new Map<AnyStateNode, Noted>();
  private noting: ((item: Noted) => void) | null = null;

  constructor(
    readonly original: AnyStateMachine,
    readonly tests: MachineTests,
  ) {
    if (!isMachine(original))
      throw new UsageError(
        `this is ${original === null ? 'null' : typeof original}, no machine; give what createMachine returns`,
      );
    const { delays, provide } = tests;
    const own = delays || provide ? original.provide({ ...provide, ...(delays && { delays }) } as never) : original;
    const actors = standInsFor(own);
    const provided = Object.keys(actors).length === 0 ? own : own.provide({ actors });
    this.name = original.id;
    this.within = sentWithin(original, tests);
    this.machine = this.observed(provided, this.name);
  }

  get itemsAtStart(): readonly Noted[] {
    return itemsAtStart(this.machine).map((item): Noted => `${this.name}: ${item}`);
  }

  /** Whoever listens hears of guards as they are decided. */
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

  /** What a function that stands among the actions covers. */
  coveredBy(type: string): Noted | undefined {
    return type.startsWith(COVERS) ? (type.slice(COVERS.length) as Noted) : undefined;
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

  /** What a service may come to when no sample says. */
  defaultsOf(kind: LogicKind, name: string): Readonly<Record<'done' | 'fails', readonly unknown[]>> {
    const failure = [new Error(`${name} failed`)];
    if (kind === 'promise') return { done: [undefined], fails: failure };
    return { done: [], fails: kind === 'callback' ? [] : failure };
  }

  /** A child's logic, under observation where it is a chart. */
  observedChild(actor: AnyActor, kind: LogicKind): AnyActorLogic {
    const logic = actor.logic as AnyActorLogic;
    if (kind !== 'machine') return logic;
    let child = this.children.get(logic);
    if (!child)
      this.children.set(logic, (child = this.observed(logic as AnyStateMachine, actorSource(actor) ?? baseName(actor))));
    return child;
  }

  private observed(machine: AnyStateMachine, chart: string): AnyStateMachine {
    const config = configOf(machine);
    const actions = noteActions(config, chart);
    observeGuards(config, (item) => this.noting?.(`${chart}: ${item}`));
    const observed = chartOf({ ...config, options: { maxIterations: 1000, ...config.options } }, machine);
    this.names.set(observed, chart);
    const outcomes = chart === this.name ? outcomesOf(machine) : [];
    this.charts.set(chart, [...itemsOf(machine), ...actions, ...outcomes]);
    return observed;
  }
}

export const isMachine = (value: unknown): value is AnyStateMachine =>
  typeof value === 'object' && value !== null && kindOfLogic(value as AnyActorLogic) === 'machine';

/** For services that the machine invokes by name and whose implementation comes later: they come to what their samples say. */
function standInsFor(machine: AnyStateMachine): Readonly<Record<string, AnyActorLogic>> {
  const invoked = [...statesOf(configOf(machine))].flatMap(([, { invoke }]) => invoke ?? []);
  const missing = invoked.flatMap(({ src }) => (typeof src === 'string' && !machine.implementations.actors[src] ? [src] : []));
  return Object.fromEntries(missing.map((src) => [src, standIn]));
}

/** Puts before each named action a function that tells of it, and gives all there are. */
function noteActions(config: ChartConfig, chart: string): readonly Item[] {
  const names = new Set<string>();
  const noted = (actions: readonly unknown[]): unknown[] =>
    actions.flatMap((action) => {
      const name =
        typeof action === 'string' ? action : typeof action === 'object' ? (action as { type: string }).type : undefined;
      if (name === undefined) return [action];
      names.add(name);
      const covers = () => {};
      Object.defineProperty(covers, 'name', { value: `${COVERS}${chart}: action ${name}` });
      return [covers, action];
    });
  for (const { choice } of rulesOf(config)) if (choice.actions) choice.actions = noted(choice.actions);
  for (const [, state] of statesOf(config)) {
    if (state.entry) state.entry = noted(state.entry);
    if (state.exit) state.exit = noted(state.exit);
  }
  return [...names].map((name) => `action ${name}` as Item);
}

/** Event types that the chart, its child machines or its services send by themselves: the world outside does not. */
function sentWithin(machine: AnyStateMachine, { services, events }: MachineTests): ReadonlySet<string> {
  const types = new Set<string>();
  const visit = (chart: AnyStateMachine, seen: ReadonlySet<AnyStateMachine>): void => {
    const config = configOf(chart);
    const lists = [...rulesOf(config)].map(({ choice }) => choice.actions ?? []);
    for (const [, { entry, exit }] of statesOf(config)) lists.push(entry ?? [], exit ?? []);
    for (const action of [...lists.flat(), ...Object.values(chart.implementations.actions)]) {
      const { type, event } = (action ?? {}) as { readonly type?: string; readonly event?: { readonly type?: string } };
      if ((type === 'xstate.raise' || type === 'xstate.sendTo') && typeof event?.type === 'string') types.add(event.type);
    }
    for (const child of Object.values(chart.implementations.actors))
      if (isMachine(child) && !seen.has(child)) visit(child, new Set([...seen, child]));
  };
  visit(machine, new Set([machine]));
  for (const samples of Object.values(services ?? {}))
    if (typeof samples === 'object' && Array.isArray(samples.sends))
      for (const { type } of samples.sends as Message[]) types.add(type);
  for (const named of Object.keys(events ?? {})) types.delete(named);
  return types;
}

/** How the promises that the states invoke can end. */
function outcomesOf(machine: AnyStateMachine): readonly Item[] {
  const actors = machine.implementations.actors as Readonly<Record<string, AnyActorLogic | undefined>>;
  const invoked = [...statesOf(configOf(machine))].flatMap(([, { invoke }]) => invoke ?? []);
  const names = new Set<string>();
  for (const { id, src } of invoked) {
    const logic = typeof src === 'string' ? actors[src] : (src as AnyActorLogic);
    const name = id ?? (typeof src === 'string' ? src : undefined);
    if (logic && name !== undefined && kindOfLogic(logic) === 'promise') names.add(name);
  }
  return [...names].flatMap((name) => [`outcome ${name} done` as Item, `outcome ${name} fails` as Item]);
}
