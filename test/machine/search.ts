/** Searches the states that a machine can reach. It runs the real actors for each step, from the start or from a saved state (rig.ts). */
import type { AnyActorLogic } from 'xstate';
import { isRunning, kindOfLogic, HELD, NeedsActors } from './stage.js';
import { ProtocolError, UsageError } from '../../machines/errors.js';
import { isObject } from '../../machines/checks.js';
import { configOf, rulesOf } from '../charts/config.js';
import { guardItem } from '../coverage/items.js';
import { encode } from './encode.js';
import { MachineFrontier } from './frontier.js';
import type { Base, ChildCharts, Cut, Failure, MachineEdge, MachineGraph, MachineVertex, SearchLimit } from './graph.js';
import { brokenRules, describesMutant } from './judge.js';
import { Extent, measuresOf } from './measures.js';
import { actorsBelow } from './names.js';
import { constantsIn, isReadIn, readsOfGuard } from './reads.js';
import { implementationsOf, referencesOf } from './references.js';
import type { Checkpoint } from './checkpoint.js';
import { holdingChance, OTHERS_MAX } from './path-chance.js';
import type { Noted } from '../coverage/items.js';
import { Rig } from './rig.js';
import type { MachineStep } from './options.js';
import { describeStep, nameOfStep } from './steps.js';
import type { Subject } from './subject.js';
import { marksOf } from './temporal.js';

const LIMITS: Readonly<Record<SearchLimit, number>> = { states: 2000, searchSteps: 30_000, actors: 12, timers: 12 };

/** How many steps are taken with another chance. */
const CHANGES_MAX = 400;

/** The number of states from which on the search determines whether parts of the context make no difference. */
const MANY = 200;

/**
 * Searches the states of a machine. If its chart needs no live actors, states are restored instead of repeating their paths.
 *
 * @param options.untilFailure Ends the search at the first state that breaks a rule.
 */
export async function search(subject: Subject, { untilFailure = false } = {}): Promise<MachineGraph> {
  const isAlone = subject.tests.mode === 'pure' || canBeAlone(subject);
  // Failures of a search are kept if it starts again.
  const failures = new Map<string, Failure>();
  const once = () => holdingChance(() => new Search(subject, untilFailure, isAlone, failures).run());
  try {
    const graph = await once();
    return graph === 'again' ? ((await once()) as MachineGraph) : graph;
  } catch (error) {
    if (!(error instanceof NeedsActors) || subject.tests.mode === 'pure') throw error;
    subject.needsActors = true;
    return search(subject, { untilFailure });
  }
}

function canBeAlone({ needsActors, original, tests: { performActions, services = {}, children } }: Subject): boolean {
  if (needsActors || performActions || children || Object.values(services).includes('real')) return false;
  const logics = [...Object.values(implementationsOf(original).actors), ...referencesOf(original).inline];
  return logics.every((logic) => HELD.has(kindOfLogic(logic as AnyActorLogic)));
}

class Search {
  private readonly vertices: MachineVertex[] = [];
  private readonly known = new Map<string, MachineVertex>();
  private readonly covered = new Set<Noted>();
  private readonly frontier: MachineFrontier;
  private readonly limits: Readonly<Record<SearchLimit, number>>;
  private readonly extent = new Extent();
  private readonly keys = new Set<string>();
  /** Guard outcomes that were not seen, with what of the context the guard reads. */
  private readonly open = new Map<string, ReadonlySet<string>>();
  /** The limit because of which a state was left out. */
  private leftOut: SearchLimit | null = null;
  private items = new Set<Noted>();
  private taken = 0;
  /** Steps that another chance, or a later time, can change. */
  private readonly changeable: { readonly vertex: MachineVertex; readonly step: MachineStep }[] = [];

  constructor(
    private readonly subject: Subject,
    private readonly untilFailure: boolean,
    private readonly isAlone: boolean,
    private readonly failures: Map<string, Failure>,
  ) {
    this.limits = { ...LIMITS, ...subject.tests.limits };
    const { guards } = implementationsOf(subject.original);
    const rules = [...rulesOf(configOf(subject.original))].filter(({ choice }) => choice.guard !== undefined);
    this.frontier = new MachineFrontier(constantsIn([...rules.map(({ choice }) => choice.guard), ...Object.values(guards)]));
    for (const { id, choice } of rules)
      for (const outcome of [true, false])
        this.open.set(`${subject.name}: ${guardItem(id, outcome)}`, readsOfGuard(choice.guard, guards));
  }

  /** Returns `again` if states have to be distinguished by less. */
  async run(): Promise<MachineGraph | 'again'> {
    const { subject, vertices } = this;
    const rig = this.start();
    const first = this.arrive(rig, [], { steps: [] });
    const items = this.items;
    for (const item of items) this.cover(item);
    rig.stop();
    let next: MachineVertex | undefined;
    while (!this.isOver && (next = this.frontier.next())) {
      await this.expand(next);
      if (vertices.length > MANY && subject.unread === null && this.ignoresUnread()) return 'again';
    }
    if (!this.isOver) await this.changeChance();
    subject.listen(null);
    const isComplete = vertices.every(({ edges }) => edges !== null);
    const { name, tests } = subject;
    return {
      chart: name,
      start: 0,
      input: tests.input,
      effects: [],
      items,
      first,
      vertices,
      isComplete,
      failures: [...this.failures.values()],
      taken: this.taken,
      cut: isComplete ? null : this.cut(),
      unread: [...(subject.unread ?? [])],
    };
  }

  private get isOver(): boolean {
    const { limits, vertices, taken } = this;
    const isBroken = this.untilFailure && this.failures.size > 0;
    return isBroken || vertices.length >= limits.states || taken >= limits.searchSteps;
  }

  /** Takes steps with another chance, or later, as long as a guard was never decided one of both ways. */
  private async changeChance(): Promise<void> {
    const statesMax = Math.min(this.limits.states, 2 * this.vertices.length + MANY);
    let tries = 0;
    for (const { vertex, step } of this.changeable)
      for (let chance = 1; chance <= OTHERS_MAX; chance++) {
        if (!this.isGuardOpen() || tries++ >= CHANGES_MAX) return;
        await this.take(vertex, { ...step, chance });
        let next: MachineVertex | undefined;
        while ((next = this.frontier.next())) {
          if (this.vertices.length < statesMax) await this.expand(next);
          // States that only other random numbers reach have no target.
          else Object.assign(next, { edges: new Map(), choices: [], isTarget: true });
        }
      }
  }

  private isGuardOpen(): boolean {
    return [...this.subject.charts].some(([chart, items]) =>
      items.some((item) => item.startsWith('guard ') && !this.covered.has(`${chart}: ${item}`)),
    );
  }

  private cut(): Cut {
    const { limits, vertices, taken } = this;
    const reached = vertices.length >= limits.states ? 'states' : taken >= limits.searchSteps ? 'searchSteps' : null;
    const limit = reached ?? this.leftOut ?? 'states';
    return { limit, value: limits[limit], growing: this.extent.growing() };
  }

  /** Returns true if there are context values that are never read. From then on they do not distinguish states. */
  private ignoresUnread(): boolean {
    const { subject } = this;
    const isRead = isReadIn(subject.original, subject.tests);
    const unread = subject.tests.distinguish ? [] : [...this.keys].filter((key) => !isRead(key));
    subject.unread = new Set(unread);
    return unread.length > 0;
  }

  private start(from?: Checkpoint): Rig {
    this.items = new Set();
    this.subject.listen((item) => this.items.add(item));
    const rig = new Rig(this.subject, { performs: this.subject.tests.performActions ?? false, from, alone: this.isAlone });
    rig.noteStates();
    for (const item of rig.items) this.items.add(item);
    return rig;
  }

  private async expand(vertex: MachineVertex): Promise<void> {
    vertex.edges = new Map<string, MachineEdge>();
    for (const step of vertex.choices) if (await this.take(vertex, step)) this.changeable.push({ vertex, step });
  }

  /** Takes one step from a state. Returns true if other random numbers or a later time can change the result. */
  private async take(vertex: MachineVertex, step: MachineStep): Promise<boolean> {
    const { checkpoint, base } = vertex;
    const edges = vertex.edges as Map<string, MachineEdge>;
    const rig = edges.size > 0 && checkpoint ? this.start(checkpoint) : await this.at(vertex);
    this.items = new Set();
    await rig.take(step);
    rig.noteStates();
    this.taken++;
    const steps = [...vertex.way, step];
    // The states share their contexts: the search cannot continue from a mutated one.
    if (rig.mutated)
      throw new ProtocolError(
        `The search for states has stopped: after ${steps.map(describeStep).join(', ')}, ${describesMutant(rig.mutated)}`,
      );
    for (const item of rig.items) this.items.add(item);
    const to = this.arrive(
      rig,
      steps,
      checkpoint ? { from: checkpoint, steps: [step] } : { ...base, steps: [...base.steps, step] },
    );
    const event = { type: nameOfStep(step), step };
    const { items } = this;
    const { keeps, remarks } = rig;
    edges.set(JSON.stringify(step), { event, effects: [], step, to, items, view: rig.view(), keeps, remarks });
    for (const item of items) this.cover(item);
    rig.stop();
    return rig.chance.hasDrawn || rig.chance.hasReadClock;
  }

  private cover(item: Noted): void {
    this.covered.add(item);
    if (!this.open.delete(item)) return;
    this.frontier.wanted = new Set([...this.open.values()].flatMap((keys) => [...keys]));
  }

  /** A rig in this state, by way of the last steps at least: two runs of a step that differ are noticed. */
  private async at({ base, key: before, way }: MachineVertex): Promise<Rig> {
    const rig = this.start(base.from);
    for (const step of base.steps) await rig.take(step);
    this.taken += base.steps.length;
    const key = rig.key();
    if (key !== before) throw new UsageError(differs(way, before, key));
    return rig;
  }

  private arrive(rig: Rig, way: MachineVertex['way'], base: Base): MachineVertex {
    const key = rig.key();
    const known = this.known.get(key);
    if (known) return known;
    const { value, context } = rig.snapshot;
    const { toState, temporal } = rig.subject.tests;
    const isTarget = rig.ask('toState', () => toState?.(rig.snapshot) ?? false);
    const rest = {
      way,
      base,
      checkpoint: rig.checkpoint(),
      pending: rig.pending(),
      running: [...actorsBelow(rig.root).keys()].filter(isRunning).length,
      measures: measuresOf(context),
      key,
      choices: isTarget ? [] : rig.choices(),
      view: rig.view(),
      isTarget,
      children: childrenOf(rig),
      marks: rig.ask('temporal', () => marksOf(temporal, rig.snapshot)),
    };
    const { actors } = rest.view;
    const vertex: MachineVertex = { index: this.vertices.length, value, context: rest.view.context, edges: null, ...rest };
    this.known.set(key, vertex);
    this.vertices.push(vertex);
    this.extent.add(rest.measures);
    if (isObject(context)) for (const one of Object.keys(context)) this.keys.add(one);
    for (const broken of brokenRules(rig))
      if (!this.failures.has(broken.rule)) this.failures.set(broken.rule, { steps: way, ...broken });
    const limit =
      actors.length > this.limits.actors ? 'actors' : rig.timers.running.length > this.limits.timers ? 'timers' : null;
    if (limit) this.leftOut = limit;
    else
      this.frontier.add(
        vertex,
        context,
        [...this.items].some((item) => !this.covered.has(item)),
      );
    return vertex;
  }
}

function childrenOf(rig: Rig): ChildCharts {
  const [, ...children] = rig.charts();
  return Object.fromEntries(
    children.map(([name, { machine, value, context }]) => [
      name,
      { chart: rig.subject.chartName(machine) ?? machine.id, value, context: encode(context, () => undefined) },
    ]),
  );
}

/** The first place at which two keys part. */
function differs(way: readonly MachineStep[], key: string, other: string): string {
  const [before, after] = [key.split('\n'), other.split('\n')];
  const at = before.findIndex((line, i) => line !== after[i]);
  const steps = way.length === 0 ? 'the start' : way.map(describeStep).join(', ');
  return (
    `the same steps led to another state: after ${steps} the first time ${before[at]}, then ${after[at]}. ` +
    `The machine reads something outside its context and its events, for instance a variable of its module. Move that into the context, replace it with "provide", or define with "distinguish" how states differ`
  );
}
