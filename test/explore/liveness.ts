/**
 * Promises on endless runs, by fair cycles and not by hope.
 *
 * A promise is broken where it is owed forever on a weakly fair run: one that, of everything that stays possible from some point on
 * (a delivery, a timer, a reaction, a notice), keeps doing each. That is a state where the run may rest while something is owed, or
 * an end component in which every action that all states enable is taken inside: for `eventually` a component of states where it is
 * owed, for `converges` any that contains one. `eventually` is owed to a node from when `when` holds until it no longer does or
 * `holds` does: a use that begins and ends within one step is a promise kept, though no state shows it. Draws are fair too: what a draw
 * can leave is left with probability one. Applications are free never to ask again.
 */
import { Components } from './components.js';
import { keepEndless } from './endless.js';
import type { Graph } from './graph.js';
import { Ints } from './ints.js';
import type { Model } from './model.js';
import type { Resent } from './resent.js';
import { OPTIONAL } from './successors.js';
import type { States } from './store.js';
import type { Debt, SearchWatch } from './watch.js';

export interface BrokenPromise {
  /** The first state of the endless part, as near to the start as the search found one. */
  readonly state: number;
  /** The states that the run goes round in forever; none when it rests. */
  readonly component: readonly number[];
}

export class Liveness {
  private readonly row: Int32Array;
  /** For each plane the first state in which a run may rest and owe it, and those in which it may stay owed forever. */
  private readonly restings: (number | undefined)[] = [];
  private readonly lasting: readonly Ints[];
  private found: Components | undefined;

  constructor(
    private readonly graph: Graph,
    private readonly store: States,
    private readonly model: Model,
    private readonly watch: SearchWatch,
    resent: Resent | undefined,
  ) {
    this.row = new Int32Array(store.longest);
    const endless = watch.owed.with(watch.everywhere);
    keepEndless(endless, graph, store, 1 + model.system.nodes.length, resent?.packets());
    const { owed } = watch;
    this.lasting = watch.debts.map(() => new Ints());
    for (let state = 0; state < graph.size; state++) {
      if (graph.isResting(state)) for (const plane of owed.of(state)) this.restings[plane] ??= state;
      if (endless.hasAny(state)) for (const plane of endless.of(state)) this.lasting[plane]!.push(state);
    }
  }

  private get components(): Components {
    return (this.found ??= new Components(this.graph, this.model.steps.branches));
  }

  /** How a promise can be broken, `undefined` when it cannot. */
  broken({ plane }: Debt): BrokenPromise | undefined {
    const { watch } = this;
    const resting = this.restings[plane];
    if (resting !== undefined) return { state: resting, component: [] };
    const isOwed = (state: number) => watch.owed.has(state, plane);
    const states = this.lasting[plane]!;
    let nearest: BrokenPromise | undefined;
    if (states.length === 0) return nearest;
    for (const component of this.components.among(states.data.subarray(0, states.length))) {
      const state = component.reduce((least, other) => (isOwed(other) && !(other > least) ? other : least), Infinity);
      if (state < (nearest?.state ?? Infinity) && this.isFair(component)) nearest = { state, component };
    }
    return nearest;
  }

  /** True if a fair run can stay in the component forever. */
  private isFair(component: readonly number[]): boolean {
    if (component.length === 1 && !this.staysForced(component[0]!)) return this.graph.isResting(component[0]!);
    // What is enabled in all states that have been looked at, and taken within the component in none of them.
    let untaken: readonly number[] | undefined;
    for (const state of component) {
      untaken = this.untaken(state, untaken);
      if (untaken.length === 0) return true;
    }
    return false;
  }

  /** True if something that fairness asks for leaves the state as it is. */
  private staysForced(state: number): boolean {
    const { graph } = this;
    for (let place = graph.begin(state); place < graph.end(state); place++)
      if (graph.isForced(place) && this.components.stays(state, place)) return true;
    return false;
  }

  /** What fairness asks for in a state, and is not taken from it within the component; of `some` where they are given. */
  private untaken(state: number, some: readonly number[] | undefined): readonly number[] {
    const { graph, model, row, components } = this;
    const { successors } = model;
    successors.expand(row, this.store.load(state, row));
    const begin = graph.begin(state);
    const untaken: number[] = [];
    const taken: number[] = [];
    for (let i = 0; i < successors.count; i++) {
      const action = successors.actions[i]!;
      if (action === OPTIONAL || (some && !some.includes(action))) continue;
      if (components.stays(state, begin + i)) taken.push(action);
      else if (!untaken.includes(action)) untaken.push(action);
    }
    return taken.length === 0 ? untaken : untaken.filter((action) => !taken.includes(action));
  }
}
