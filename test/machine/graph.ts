/**
 * The states that a machine reaches, and every step between them: its real actors, taken again for every step, from the start or from the last
 * state that can be come back to (rig.ts).
 *
 * What is a state and how the search goes on is as for the charts of a protocol (../paths/graph.ts), and so are the paths that are made
 * of it; but a step is anything that can happen to the machine: an event, a timer, a service that comes to something.
 */
import type { StateValue } from 'xstate';
import { ProtocolError } from '../../machines/errors.js';
import type { ChartGraph, Edge, Vertex } from '../paths/graph.js';
import { encode } from './encode.js';
import { brokenRules, saysMutated } from './judge.js';
import type { MachineStep } from './options.js';
import { Rig, type Checkpoint, type Noted, type SeenState } from './rig.js';
import { describeStep, nameOfStep } from './steps.js';
import type { Subject } from './subject.js';
import { marksOf, type Marks } from './temporal.js';

/** How the charts of the child machines that run stand, by the names of their actors. */
type ChildCharts = Readonly<Record<string, { readonly chart: string; readonly value: StateValue; readonly context: string }>>;

export interface MachineVertex extends Vertex {
  /** The first way that was found here, a shortest one as far as the search went in order. */
  readonly way: readonly MachineStep[];
  readonly key: string;
  readonly choices: readonly MachineStep[];
  readonly view: SeenState;
  readonly isTarget: boolean;
  readonly children: ChildCharts;
  /** How many services are at work. */
  readonly pending: number;
  /** What the predicates of the temporal properties say of this state. */
  readonly marks: Marks;
  edges: ReadonlyMap<string, MachineEdge> | null;
  /** Where another rig can go on from, without going the way. */
  readonly checkpoint: Checkpoint | null;
  /** The last such state before this one, absent where that is the start, and the steps from there. */
  readonly base: Base;
}

interface Base {
  readonly from?: Checkpoint;
  readonly steps: readonly MachineStep[];
}

export interface MachineEdge extends Edge {
  readonly step: MachineStep;
  readonly to: MachineVertex;
  readonly view: SeenState;
  /** Timers that ran before the step and go on. */
  readonly keeps: readonly string[];
}

export interface Failure {
  readonly steps: readonly MachineStep[];
  /** Which rule it breaks, the same for all that break alike. */
  readonly rule: string;
  readonly says: string;
  /** It came past every path: no steps are known that lead to it. */
  readonly isStray?: boolean;
}

export interface MachineGraph extends ChartGraph {
  readonly first: MachineVertex;
  readonly vertices: readonly MachineVertex[];
  /** The first of each rule that was broken. */
  readonly failures: readonly Failure[];
  /** How many steps were taken, those on the way to a state included. */
  readonly taken: number;
}

const LIMITS = { states: 2000, patience: 100, actors: 12, timers: 12 };

/** `untilFailure`: the search ends with the first state that breaks a rule. */
export const search = async (subject: Subject, { untilFailure = false } = {}): Promise<MachineGraph> =>
  new Search(subject, untilFailure).run();

class Search {
  private readonly vertices: MachineVertex[] = [];
  private readonly known = new Map<string, MachineVertex>();
  private readonly covered = new Set<Noted>();
  private readonly promising: MachineVertex[] = [];
  private readonly others: MachineVertex[] = [];
  private readonly failures = new Map<string, Failure>();
  private readonly limits: typeof LIMITS;
  private items = new Set<Noted>();
  private taken = 0;

  constructor(
    private readonly subject: Subject,
    private readonly untilFailure: boolean,
  ) {
    this.limits = { ...LIMITS, ...subject.tests.limits };
  }

  async run(): Promise<MachineGraph> {
    const { subject, vertices, limits } = this;
    const rig = this.start();
    const first = this.arrive(rig, [], { steps: [] });
    const items = this.items;
    rig.stop();
    let next: MachineVertex | undefined;
    let left = limits.patience;
    while (
      left > 0 &&
      !(this.untilFailure && this.failures.size > 0) &&
      vertices.length < limits.states &&
      (next = this.promising.shift() ?? this.mostPending(left) ?? this.others.shift())
    ) {
      left = (await this.expand(next)) ? limits.patience : left - 1;
    }
    subject.listen(null);
    const isComplete = vertices.every(({ edges }) => edges !== null);
    const failures = [...this.failures.values()];
    const { name, tests } = subject;
    return {
      chart: name,
      start: 0,
      input: tests.input,
      effects: [],
      items: items as never,
      first,
      vertices,
      isComplete,
      failures,
      taken: this.taken,
    };
  }

  private start(from?: Checkpoint): Rig {
    this.items = new Set();
    this.subject.listen((item) => this.items.add(item));
    const rig = new Rig(this.subject, { performs: this.subject.tests.performActions ?? false, from });
    rig.noteStates();
    for (const item of rig.items) this.items.add(item);
    return rig;
  }

  /** Every second time a state where most services are at work: the order in which they end is where programs break. */
  private mostPending(left: number): MachineVertex | undefined {
    const most = Math.max(...this.others.map(({ pending }) => pending));
    if (left % 2 === 0 || most < 2) return undefined;
    const at = this.others.findIndex(({ pending }) => pending === most);
    return this.others.splice(at, 1)[0];
  }

  private async expand(vertex: MachineVertex): Promise<boolean> {
    const before = this.covered.size;
    const edges = new Map<string, MachineEdge>();
    const { checkpoint, base } = vertex;
    for (const step of vertex.choices) {
      const rig = edges.size > 0 && checkpoint ? this.start(checkpoint) : await this.at(vertex);
      this.items = new Set();
      await rig.take(step);
      rig.noteStates();
      this.taken++;
      const steps = [...vertex.way, step];
      // The states that were found share their contexts: no search goes on from one that is not what it was.
      if (rig.mutated) throw new ProtocolError(`after ${steps.map(describeStep).join(', ')} ${saysMutated(rig.mutated)}`);
      for (const item of rig.items) this.items.add(item);
      const to = this.arrive(
        rig,
        steps,
        checkpoint ? { from: checkpoint, steps: [step] } : { ...base, steps: [...base.steps, step] },
      );
      const event = { type: nameOfStep(step), step };
      const { items } = this;
      const { keeps } = rig;
      edges.set(JSON.stringify(step), { event, effects: [], step, to, items: items as never, view: rig.view(), keeps });
      for (const item of items) this.covered.add(item);
      rig.stop();
    }
    vertex.edges = edges;
    return this.covered.size > before;
  }

  /** A rig in this state, by way of the last steps at least: two runs of a step that differ are noticed. */
  private async at({ base, key: before, way }: MachineVertex): Promise<Rig> {
    const rig = this.start(base.from);
    for (const step of base.steps) await rig.take(step);
    this.taken += base.steps.length;
    const key = rig.key();
    if (key !== before) throw new ProtocolError(differs(way, before, key));
    return rig;
  }

  private arrive(rig: Rig, way: readonly MachineStep[], base: Base): MachineVertex {
    const key = rig.key();
    const known = this.known.get(key);
    if (known) return known;
    const { value } = rig.snapshot;
    const isTarget = rig.subject.tests.toState?.(rig.snapshot) ?? false;
    const rest = {
      way,
      base,
      checkpoint: rig.checkpoint(),
      pending: rig.pending(),
      key,
      choices: isTarget ? [] : rig.choices(),
      view: rig.view(),
      isTarget,
      children: childrenOf(rig),
      marks: marksOf(rig.subject.tests.temporal, rig.snapshot),
    };
    const { actors } = rest.view;
    const vertex: MachineVertex = { index: this.vertices.length, value, context: rest.view.context, edges: null, ...rest };
    this.known.set(key, vertex);
    this.vertices.push(vertex);
    for (const broken of brokenRules(rig))
      if (!this.failures.has(broken.rule)) this.failures.set(broken.rule, { steps: way, ...broken });
    if (actors.length > this.limits.actors || rig.timers.running.length > this.limits.timers) return vertex;
    const isNew = [...this.items].some((item) => !this.covered.has(item));
    (isNew ? this.promising : this.others).push(vertex);
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
    `The chart reads a clock, chance or something outside its context; give it by "provide", or say by "distinguish" what tells states apart`
  );
}
