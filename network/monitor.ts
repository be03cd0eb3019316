/**
 * Watches the properties of a protocol along one run.
 *
 * A small network is checked after every step, a large one at regular intervals. Two kinds of properties are checked after every
 * step in a network of any size: those that judge the surroundings of one node, and those on totals that a step changes
 * (`Folded`). At the end all properties are checked. A run can refute `always`, `closed`, `converges` and `eventually`, and
 * witness `sometimes`; otherwise the result is `null`.
 *
 * A state lasts from one step to the next, so a `converges` property that does not hold after a step has failed at the time of
 * the next step if its time is over then. Every fault restarts `closed` and `converges`. The caller reports faults that no node
 * takes a step for (a lost message, a link that is no longer clogged).
 */
import { Subject } from 'rxjs';
import type { NodeId } from '../machines/effects.js';
import { UsageError } from '../machines/errors.js';
import type { Folded } from '../machines/folded.js';
import type { Configuration, Property, PropertyResult, Step } from '../machines/protocol.js';
import { Sums, failed, truth } from './evaluation.js';
import type { Refuted } from './trace.js';

export interface Violation extends Refuted {
  readonly description: string;
  /** Index of the step after which it was detected, and its time. */
  readonly index: number;
  readonly at: number;
}

type Converges = Property & { readonly kind: 'converges' };

/**
 * Maximum number of nodes for checks at every step. In larger networks, one of (nodes / this)² steps is checked: checks take linear time.
 */
const NODES_EVERY_STEP = 200;

type Local = Property & Required<Pick<Property & { kind: 'always' }, 'holdsAround'>>;
const isLocal = (property: Property): property is Local => property.kind === 'always' && property.holdsAround !== undefined;

/** A property of states, or an `eventually` property of nodes. */
type Judged = Exclude<Property, { readonly kind: 'eventually' }>;

const foldOf = (property: Property): Folded | undefined => ('folded' in property ? property.folded : undefined);

/** True if the cost of a check depends on the changes, not on the size of the network. */
function isOfChanges(property: Property): boolean {
  const folded = foldOf(property);
  return folded !== undefined && !folded.hasLinearCost;
}

export class Monitor {
  readonly violations$ = new Subject<Violation>();
  private readonly violated = new Set<string>();
  private readonly witnessed = new Set<string>();
  /** `closed` properties that held at the last check. */
  private readonly reached = new Set<string>();
  /** `converges` properties that did not hold at the last check. */
  private readonly pending = new Set<Converges>();
  private lastFault = 0;
  private last: Pick<Step, 'index' | 'at'> = { index: -1, at: 0 };
  private readonly stride: number;
  /** Properties that are checked at every step of any network, only around the node that took it. */
  private local: readonly Local[];
  private global: readonly Property[];
  /** Properties that are checked at every step because their cost depends on its changes. */
  private summed: readonly Property[];
  private readonly sums: Sums;
  /** Cached results for the current state: `closed` and `converges` often share a predicate. */
  private readonly answers = new Map<Judged['holds'], boolean>();

  constructor(
    private readonly properties: readonly Property[],
    private readonly configuration: Configuration,
    from?: Monitor,
  ) {
    if (from) this.takeOver(from);
    const open = properties.filter(({ name }) => !this.violated.has(name));
    this.local = open.filter(isLocal);
    const isFollowed = configuration.follow !== undefined;
    this.global = open.filter((property) => !isLocal(property));
    this.summed = this.global.filter((property) => isFollowed && isOfChanges(property));
    this.sums = new Sums(isFollowed ? properties.flatMap((property) => foldOf(property)?.over ?? []) : [], configuration);
    this.stride = Math.max(1, Math.ceil((configuration.instance.topology.nodes.length / NODES_EVERY_STEP) ** 2));
  }

  /** Takes over the results of another monitor, and computes totals again. */
  private takeOver(from: Monitor): void {
    for (const set of ['violated', 'witnessed', 'reached'] as const) for (const name of from[set]) this[set].add(name);
    const isPending = ({ name }: Property): boolean => [...from.pending].some((property) => property.name === name);
    for (const property of this.properties) if (property.kind === 'converges' && isPending(property)) this.pending.add(property);
    this.lastFault = from.lastFault;
    this.last = from.last;
  }

  record(step: Step): void {
    this.last = step;
    if (['corrupt', 'crash', 'restart', 'reload', 'link'].includes(step.kind)) this.fault(step.at);
    // If every step is checked, a property that does not hold has not held until now.
    for (const property of this.pending) if (this.stride === 1 || this.summed.includes(property)) this.demand(property, step.at);
    const around = { nodes: [step.node] };
    for (const property of this.local) if (!this.holdsAround(property, step.node)) this.violate(property, around);
    this.look(step.index % this.stride === 0 ? this.global : this.summed, around);
  }

  /** A fault restarts `closed` and `converges`. */
  fault(at: number): void {
    this.lastFault = at;
    this.reached.clear();
  }

  /** Checks properties. `around`: the node whose step caused the check. */
  private look(properties: readonly Property[], around?: Omit<Refuted, 'property'>): void {
    if (properties.length === 0) return;
    this.sums.update();
    this.answers.clear();
    for (const property of properties) {
      // A witnessed property needs no further checks.
      if (property.kind === 'eventually' || this.witnessed.has(property.name)) continue;
      const holds = this.holds(property);
      if (property.kind === 'always' && !holds) this.violate(property, foldOf(property)?.isLocal && around);
      if (property.kind === 'sometimes' && holds) this.witnessed.add(property.name);
      if (property.kind === 'converges') this.lookAtConverges(property, holds);
      if (property.kind === 'closed') this.lookAtClosed(property, holds);
    }
  }

  private holds(property: Judged): boolean {
    const { configuration } = this;
    const folded = configuration.follow && foldOf(property);
    try {
      return truth(folded ? folded.holds(this.sums.of(folded.over), () => configuration) : this.itself(property), 'holds');
    } catch (error) {
      return failed(property, error);
    }
  }

  private holdsAround(property: Local, node: NodeId): boolean {
    try {
      return truth(property.holdsAround(this.configuration, node), 'holdsAround');
    } catch (error) {
      return failed(property, error);
    }
  }

  /** Instances of a class share their methods but have different results. */
  private itself(property: Judged): boolean {
    if (!Object.hasOwn(property, 'holds')) return property.holds(this.configuration);
    const answer = this.answers.get(property.holds) ?? property.holds(this.configuration);
    this.answers.set(property.holds, answer);
    return answer;
  }

  private lookAtClosed(property: Property, holds: boolean): void {
    if (holds) this.reached.add(property.name);
    else if (this.reached.delete(property.name)) this.violate(property);
  }

  private lookAtConverges(property: Converges, holds: boolean): void {
    if (holds) this.pending.delete(property);
    else {
      this.pending.add(property);
      this.demand(property, this.last.at);
    }
  }

  /** Reports a violation if the property does not hold at `at` and its time is over. */
  private demand(property: Converges, at: number): void {
    if (at > this.lastFault + property.within) this.violate(property);
  }

  private violate({ name, description }: Property, where: Omit<Refuted, 'property'> = {}): void {
    if (this.violated.has(name)) return;
    this.violated.add(name);
    // A refuted property stays refuted, and checks are most expensive in a broken network.
    this.local = this.local.filter((property) => property.name !== name);
    this.global = this.global.filter((property) => property.name !== name);
    this.summed = this.summed.filter((property) => property.name !== name);
    this.violations$.next({ property: name, description, ...where, index: this.last.index, at: this.last.at });
  }

  /**
   * Ends the run at its time.
   *
   * @param atRest true if nothing more will happen, so pending promises are broken.
   * @param refutes violations that the checker found and the run itself cannot show.
   */
  finish(atRest: boolean, at: number, refutes?: Refuted): readonly PropertyResult[] {
    if (refutes) this.refute(refutes);
    this.look(this.properties.filter(({ name }) => !this.violated.has(name)));
    for (const property of this.pending) {
      if (atRest) this.violate(property);
      else this.demand(property, at);
    }
    return this.properties.map((property) => ({
      name: property.name,
      kind: property.kind,
      holds: this.verdictOf(property, atRest),
    }));
  }

  private refute({ property: name, ...where }: Refuted): void {
    const property = this.properties.find((one) => one.name === name);
    if (!property) {
      const names = this.properties.map((one) => one.name).join(', ');
      throw new UsageError(`Unknown property "${name}" in \`refutes\`. The properties are ${names}.`);
    }
    this.violate(property, where);
  }

  private verdictOf(property: Property, atRest: boolean): boolean | null {
    if (this.violated.has(property.name)) return false;
    if (property.kind === 'sometimes') return this.witnessed.has(property.name) ? true : null;
    if (property.kind === 'converges') return this.pending.has(property) ? null : true;
    if (property.kind === 'closed') return this.reached.has(property.name) ? true : null;
    if (property.kind !== 'eventually') return true;
    const nodes = [...this.configuration.nodes.keys()].filter((node) => this.hasPending(property, node));
    if (nodes.length === 0) return true;
    if (atRest) this.violate(property, { nodes });
    return atRest ? false : null;
  }

  private hasPending(property: Property & { kind: 'eventually' }, node: NodeId): boolean {
    try {
      if (!truth(property.when(this.configuration, node), 'when')) return false;
      return !truth(property.holds(this.configuration, node), 'holds');
    } catch (error) {
      return failed(property, error);
    }
  }
}
