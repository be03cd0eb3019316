/**
 * The step kernel: repeats steps of XState from memory.
 *
 * Charts are pure. The result of a step depends only on the current state, the type of the event, the results of the guards in order, and
 * the types of the events that the chart raises. So XState takes the first step along every path, on a copy of the chart whose guards and
 * actions record that they were called. The records form a decision tree for each state and type of event. An inner point of the tree is a
 * guard or an action, and its result selects the next point; a leaf is the next state. A later step follows the tree: it evaluates the same
 * guards and performs the same actions in the same order, with the context and the event that XState would pass. At a new result, XState
 * takes the whole step instead.
 *
 * This is not a second implementation of the semantics. It never computes which transitions are enabled or taken, which states are exited
 * and entered, or which event comes next: all of this was recorded. Only the effects of `assign`, `raise`, `emit` and `enqueueActions` are
 * implemented again. `remembering.test.ts` compares both step by step, and `every-chart.test.ts` does so for every chart.
 *
 * XState takes every step while microsteps are observed (coverage, traces), and each step that throws, so that the error is XState's own.
 * It also takes steps that cannot be cached: children, delays, outputs, and actions of XState other than these four.
 */
import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, StateValue } from 'xstate';
import type { Effect, Message } from '../../machines/effects.js';
import type { RoleView } from '../../machines/protocol.js';
import { activeNodes, builtin } from './internals.js';
import { Effects, interpreter, isObserved, type Collector } from './kernel.js';
import {
  answerOf,
  asking,
  assigning,
  emitting,
  enqueuing,
  receiving,
  performing,
  raising,
  Run,
  type GuardAnswer,
  type Args,
  type Operation,
  type Params,
} from './operations.js';
import { fieldsOf } from '../../machines/checks.js';

export interface Stepped {
  readonly snapshot: AnyMachineSnapshot;
  readonly effects: Effect[];
}

/** The maximum number of points for one chart; XState takes the steps beyond it. */
const POINTS_MAX = 100_000;

// Trees.

/** A guard or an action, performed for one of the step's events; or a leaf, with what the path comes to. */
class Point<R> {
  private answer: GuardAnswer | undefined;
  private next: Point<R> | undefined;
  private others: Map<GuardAnswer, Point<R>> | undefined;

  constructor(
    readonly operation: Operation | null,
    readonly event: number,
    readonly result: R | undefined,
  ) {}

  after(answer: GuardAnswer): Point<R> | undefined {
    return answer === this.answer ? this.next : this.others?.get(answer);
  }

  grow(answer: GuardAnswer, point: Point<R>): void {
    if (this.next === undefined) {
      this.answer = answer;
      this.next = point;
    } else (this.others ??= new Map()).set(answer, point);
  }
}

interface Noted {
  readonly operation: Operation;
  readonly event: number;
  readonly answer: GuardAnswer;
}

/** Everything that is known of the steps of one state for one type of event. */
class Tree<R> {
  private readonly root = new Point<R>(null, 0, undefined);
  /** True if the steps turned out not to be cacheable. */
  isNotCacheable = false;

  /** The leaf that a step comes to, or nothing where it is XState's. */
  walk(run: Run): Point<R> | undefined {
    let point = this.isNotCacheable ? undefined : this.root.after('');
    while (point !== undefined && point.operation !== null) {
      run.turnTo(point.event);
      point = point.after(point.operation(run));
    }
    return point;
  }

  /** Adds the path that XState took; how many points are new. */
  learn(path: readonly Noted[], result: R): number {
    let grown = 0;
    let at = this.root;
    let answer: GuardAnswer = '';
    const goTo = (operation: Operation | null, event: number): void => {
      let next = at.after(answer);
      if (next === undefined) {
        next = new Point(operation, event, operation === null ? result : undefined);
        at.grow(answer, next);
        grown++;
      }
      // A chart whose functions are not deterministic follows another path after the same results.
      if (next.operation !== operation || next.event !== event) this.isNotCacheable = true;
      at = next;
    };
    for (const noted of path) {
      goTo(noted.operation, noted.event);
      answer = noted.answer;
    }
    goTo(null, 0);
    if (at.result !== result) this.isNotCacheable = true;
    return grown;
  }
}

// How XState's step is listened to.

/** The guards and actions of one step of XState, in order. */
class Notes {
  readonly path: Noted[] = [];
  /** True if the step can be taken from memory. */
  isWhole = true;
  private readonly events: Message[];
  /** The guards that were evaluated since the context last changed, by event: pure guards return the same result again. */
  private readonly asked = new Map<Operation, Set<number>>();

  constructor(event: Message) {
    this.events = [event];
  }

  guard(operation: Operation, event: Message, answer: boolean): void {
    const index = this.indexOf(event);
    let asked = this.asked.get(operation);
    if (!asked) this.asked.set(operation, (asked = new Set()));
    if (asked.has(index)) return;
    asked.add(index);
    this.path.push({ operation, event: index, answer });
  }

  action(operation: Operation | undefined, event: Message, hasAssigned: boolean, raised: readonly Message[]): void {
    if (operation === undefined) this.isWhole = false;
    else this.path.push({ operation, event: this.indexOf(event), answer: answerOf(hasAssigned, raised) });
    if (hasAssigned) this.asked.clear();
    this.events.push(...raised);
    if (raised.some(({ type }) => type.includes('\n'))) this.isWhole = false;
  }

  private indexOf(event: Message): number {
    const index = this.events.indexOf(event);
    if (index >= 0) return index;
    // Neither the event of the step nor a raised one: XState raises it for a state that is done.
    if (!event.type.startsWith('xstate.done.state.') || fieldsOf(event)['output'] !== undefined) this.isWhole = false;
    this.path.push({ operation: doneOf(event.type, event), event: 0, answer: '' });
    return this.events.push(event) - 1;
  }
}

const dones = new Map<string, Operation>();
function doneOf(type: string, event: Message): Operation {
  let operation = dones.get(type);
  if (!operation) dones.set(type, (operation = receiving(event)));
  return operation;
}

/** XState's form of an action that resolves to others. */
const resolvingTo = (resolve: (scope: unknown, snapshot: AnyMachineSnapshot, args: any, ...rest: any[]) => unknown) =>
  Object.assign(() => {}, { type: 'noted', resolve });

const paramsOf = (named: any): Params => {
  if (typeof named !== 'object' || !('params' in named)) return undefined;
  const { params } = named;
  return typeof params === 'function' ? params : () => params;
};
const nameOf = (named: unknown): string => (typeof named === 'string' ? named : String(fieldsOf(named)['type']));

/** A copy of a chart on which XState takes the steps that are to be remembered. */
class InstrumentedMachine {
  readonly machine: AnyStateMachine;
  notes: Notes | null = null;
  /** A guard that is at several transitions is one. */
  private readonly guards = new Map<unknown, Operation>();

  constructor(machine: AnyStateMachine) {
    this.machine = machine.provide({});
    this.listenTo(this.machine.root);
  }

  private listenTo(node: AnyStateNode): void {
    const transitions: any[] = [...node.transitions.values(), node.always ?? [], node.initial ?? []].flat();
    for (const transition of transitions) {
      transition.guard = this.guard(transition.guard);
      transition.actions = transition.actions.map(this.action);
    }
    node.entry = node.entry.map(this.action) as never;
    node.exit = node.exit.map(this.action) as never;
    for (const inner of Object.values(node.states)) this.listenTo(inner);
  }

  private readonly guard = (guard: unknown): unknown => {
    if (guard === undefined) return undefined;
    const given: any = typeof guard === 'function' ? guard : this.machine.implementations.guards[nameOf(guard)];
    if (typeof given !== 'function') return given === undefined ? guard : this.guard(given);
    // The guards within `and`, `or` and `not` are recorded separately; `stateIn` depends only on the state.
    if ('guards' in given) return Object.assign(() => false, given, { guards: given.guards.map(this.guard) });
    if ('check' in given) return guard;
    const params = paramsOf(guard);
    const key = params === undefined ? given : guard;
    let operation = this.guards.get(key);
    if (!operation) this.guards.set(key, (operation = asking(given, params)));
    return (args: Args) => {
      const answer = Boolean(given(args, params?.(args)));
      this.notes?.guard(operation, args.event, answer);
      return answer;
    };
  };

  private readonly action = (action: unknown): unknown => {
    const operation = this.operationOf(action);
    return resolvingTo((_, before, { event }, _params, _action, { internalQueue: queue }) => {
      const known = queue.length;
      const noting = resolvingTo((_, after) => {
        // Raised events are distinguished by identity, and a chart may raise the very event that it has got.
        for (let i = known; i < queue.length; i++) queue[i] = { ...queue[i] };
        this.notes?.action(operation, event, after !== before, queue.slice(known));
        return [after];
      });
      return [before, undefined, [action, noting]];
    });
  };

  /** How an action is performed from memory; nothing where it is for XState. */
  private readonly operationOf = (action: any): Operation | undefined => {
    const isInline = typeof action === 'function';
    const params = isInline ? undefined : paramsOf(action);
    const does = builtin(isInline ? action : this.machine.implementations.actions[nameOf(action)]);
    if (!does) return performing(isInline ? action.name || '(anonymous)' : nameOf(action), params);
    switch (does.type) {
      case 'xstate.assign':
        return assigning(does.assignment, params);
      case 'xstate.emit':
        return emitting(does.event, params);
      case 'xstate.raise':
        return does.delay === undefined ? raising(does.event, params) : undefined;
      case 'xstate.enqueueActions':
        return enqueuing(does.collect!, params, this.operationOf);
      default:
        return undefined;
    }
  };
}

// Snapshots.

/** The shared data of all snapshots of a chart in one state. */
export class BranchPlace {
  readonly steps = new Map<string, Tree<BranchPlace | 'same'>>();
  readonly acceptance = new Map<string, Tree<boolean>>();

  constructor(
    readonly memory: Memory,
    readonly real: AnyMachineSnapshot,
    readonly rehearsed: AnyMachineSnapshot,
  ) {}
}

/**
 * A chart's state in the form of XState's snapshot, but with only two fields, because a search keeps many. `real()` returns XState's own.
 */
export class Snapshot {
  constructor(
    readonly place: BranchPlace,
    readonly context: unknown,
  ) {}

  get machine() {
    return this.place.memory.machine;
  }
  get value() {
    return this.place.real.value;
  }
  get status() {
    return this.place.real.status;
  }
  get tags() {
    return this.place.real.tags;
  }
  get children() {
    return this.place.real.children;
  }
  get historyValue() {
    return this.place.real.historyValue;
  }
  get _nodes() {
    return activeNodes(this.place.real);
  }

  matches(value: StateValue): boolean {
    return this.place.real.matches(value);
  }

  hasTag(tag: string): boolean {
    return this.tags.has(tag);
  }

  can(event: Message): boolean {
    return this.real().can(event);
  }

  toJSON(): unknown {
    return this.real().toJSON();
  }

  /** The snapshot with all fields of XState. */
  real(): AnyMachineSnapshot {
    return { ...this.place.real, context: this.context } as AnyMachineSnapshot;
  }
}

interface Identified {
  readonly idMap: ReadonlyMap<string, AnyStateNode>;
}

interface Advanced<C> {
  readonly snapshot: Snapshot;
  readonly asked: C;
}

/** All that is remembered of one chart. */
class Memory {
  private readonly rehearsal: InstrumentedMachine;
  private readonly places = new Map<string, BranchPlace>();
  private readonly byName = new Map<string, BranchPlace>();
  private readonly byValue = new WeakMap<object, BranchPlace>();
  private points = 0;

  constructor(readonly machine: AnyStateMachine) {
    this.rehearsal = new InstrumentedMachine(machine);
  }

  /** Where a snapshot of XState's stands; nothing for one that is more than value, history and context. */
  placeOf({ value, status, output, children, historyValue }: AnyMachineSnapshot): BranchPlace | undefined {
    if ((status !== 'active' && status !== 'done') || output !== undefined || Object.keys(children).length > 0) return undefined;
    const history = Object.entries(historyValue).map(([id, nodes]) => [id, nodes.map((node) => node.id)] as const);
    const key = JSON.stringify([value, status, history]);
    let place = this.places.get(key);
    if (!place) {
      const of = (machine: AnyStateMachine): AnyMachineSnapshot => {
        const { idMap } = machine as unknown as Identified;
        const nodes = history.map(([id, ids]) => [id, ids.map((one) => idMap.get(one)!)]);
        const historyValue: AnyMachineSnapshot['historyValue'] = Object.fromEntries(nodes);
        return { ...interpreter.restore(machine, value, {}), status, historyValue } as AnyMachineSnapshot;
      };
      this.places.set(key, (place = new BranchPlace(this, of(this.machine), of(this.rehearsal.machine))));
    }
    return place;
  }

  restore(value: StateValue, context: unknown): Snapshot | undefined {
    const known = typeof value === 'string' ? this.byName : this.byValue;
    let place = known.get(value as never);
    if (!place) {
      place = this.placeOf(interpreter.restore(this.machine, value, context));
      if (!place) return undefined;
      known.set(value as never, place);
    }
    return new Snapshot(place, context);
  }

  /** Takes a step; nothing where it is for XState on the chart itself. */
  step<C extends Collector>(snapshot: Snapshot, event: Message, collector: () => C): Advanced<C> | undefined {
    const tree = treeIn(snapshot.place.steps, event.type);
    try {
      const asked = collector();
      const run = new Run(snapshot.context, event, asked);
      const leaf = tree.walk(run);
      if (leaf) {
        const { result } = leaf;
        return { snapshot: result === 'same' ? snapshot : new Snapshot(result!, run.args.context), asked };
      }
    } catch {
      // XState takes the step from its beginning, and fails in its own words.
    }
    return this.learnStep(snapshot, event, tree, collector());
  }

  private learnStep<C extends Collector>(snapshot: Snapshot, event: Message, tree: Tree<BranchPlace | 'same'>, asked: C) {
    const { place, context } = snapshot;
    const from: AnyMachineSnapshot = { ...place.rehearsed, context };
    let to = from;
    const result = this.rehearse(event, tree, (machine) => {
      to = interpreter.step(machine, from, event, asked);
      return to === from ? ('same' as const) : this.placeOf(to);
    });
    if (result === undefined) return undefined;
    return { snapshot: result === 'same' ? snapshot : new Snapshot(result, to.context), asked };
  }

  accepts({ place, context }: Snapshot, event: Message): boolean | undefined {
    const tree = treeIn(place.acceptance, event.type);
    try {
      const leaf = tree.walk(new Run(context, event, null));
      if (leaf) return leaf.result;
    } catch {
      // As in a step.
    }
    const from: AnyMachineSnapshot = { ...place.rehearsed, context };
    return this.rehearse(event, tree, (machine) => interpreter.accepts(machine, from, event));
  }

  /** Has XState act on the copy of the chart, and remembers what came of it. */
  private rehearse<R>(event: Message, tree: Tree<R>, act: (machine: AnyStateMachine) => R | undefined): R | undefined {
    if (tree.isNotCacheable || this.points > POINTS_MAX) return undefined;
    const { rehearsal } = this;
    const notes = (rehearsal.notes = new Notes(event));
    let result: R | undefined;
    try {
      result = act(rehearsal.machine);
    } catch {
      return undefined;
    } finally {
      rehearsal.notes = null;
    }
    if (notes.isWhole && result !== undefined) this.points += tree.learn(notes.path, result);
    else tree.isNotCacheable = true;
    return result;
  }
}

function treeIn<R>(trees: Map<string, Tree<R>>, type: string): Tree<R> {
  let tree = trees.get(type);
  if (!tree) trees.set(type, (tree = new Tree()));
  return tree;
}

const memories = new WeakMap<AnyStateMachine, Memory>();

export function memoryOf(machine: AnyStateMachine): Memory {
  let memory = memories.get(machine);
  if (!memory) memories.set(machine, (memory = new Memory(machine)));
  return memory;
}

// The kernel.

/** The short form of a snapshot, unless it is observed or cannot be cached. */
function inShort(snapshot: AnyMachineSnapshot): Snapshot | undefined {
  if (isObserved()) return undefined;
  if (snapshot instanceof Snapshot) return snapshot;
  const place = memoryOf(snapshot.machine).placeOf(snapshot);
  return place && new Snapshot(place, snapshot.context);
}

const kept = (snapshot: AnyMachineSnapshot) => (inShort(snapshot) ?? snapshot) as AnyMachineSnapshot;
const real = (snapshot: AnyMachineSnapshot) => (snapshot instanceof Snapshot ? snapshot.real() : snapshot);
const newEffects = (): Effects => new Effects();

/** The initial state of a chart, and the effects of its entry actions. */
export function begin(machine: AnyStateMachine, input: unknown): Stepped {
  const asked = newEffects();
  return { snapshot: kept(interpreter.begin(machine, input, asked)), effects: asked.all() };
}

/** Takes one macrostep. An event without a transition, or after the final state, returns the same snapshot and no effects. */
export function macrostep(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: Message): Stepped {
  const short = inShort(snapshot);
  const advanced = short?.place.memory.step(short, event, newEffects);
  if (advanced) {
    const next = advanced.snapshot === short ? snapshot : advanced.snapshot;
    return { snapshot: next as AnyMachineSnapshot, effects: advanced.asked.all() };
  }
  const asked = newEffects();
  const from = real(snapshot);
  const to = interpreter.step(machine, from, event, asked);
  return { snapshot: to === from ? snapshot : kept(to), effects: asked.all() };
}

/** True if the chart has an enabled transition for this event now. */
export function takesEvent(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: Message): boolean {
  const short = inShort(snapshot);
  return short?.place.memory.accepts(short, event) ?? interpreter.accepts(machine, real(snapshot), event);
}

/** The snapshot of a chart in a given state: for restarts, corruption and the checker's interned states. */
export function restore(machine: AnyStateMachine, { value, context }: Pick<RoleView, 'value' | 'context'>): AnyMachineSnapshot {
  const short = isObserved() ? undefined : memoryOf(machine).restore(value, context);
  return (short ?? interpreter.restore(machine, value, context)) as AnyMachineSnapshot;
}
