/**
 * Promises on endless runs, by fair cycles and not by hope.
 *
 * A promise is broken where it is owed for ever on a weakly fair run: one that, of everything that stays possible from some point on
 * (a delivery, a timer, a reaction, a notice), keeps doing each. That is a state where the run may rest while something is owed, or
 * an end component in which every action that all states enable is taken inside: for `eventually` a component of states where it is
 * owed, for `converges` any that contains one. `eventually` is owed to a node from when `when` holds until it no longer does or
 * `holds` does: a use that begins and ends within one step is a promise kept, though no state shows it. Draws are fair too: what a draw
 * can leave is left with probability one. Applications are free never to ask again.
 */
import { Components, inside } from './components.js';
import type { Graph } from './graph.js';
import type { Model } from './model.js';
import type { Planes } from './planes.js';
import { OPTIONAL } from './successors.js';
import type { StateStore } from './store.js';
import type { Debt } from './watch.js';

export interface BrokenPromise {
  /** The first state of the endless part, as near to the start as the search found one. */
  readonly state: number;
  /** The states that the run goes round in for ever; none when it rests. */
  readonly component: readonly number[];
}

export class Liveness {
  private readonly components: Components;
  private readonly row: Int32Array;

  constructor(
    private readonly graph: Graph,
    private readonly store: StateStore,
    private readonly model: Model,
  ) {
    this.components = new Components(graph, model.steps.branches);
    this.row = new Int32Array(store.longest);
  }

  /** How a promise can be broken, `undefined` when it cannot. */
  broken(owed: Planes, { plane, property }: Debt): BrokenPromise | undefined {
    const { graph } = this;
    const isOwed = (state: number) => owed.has(state, plane);
    const states: number[] = [];
    for (let state = 0; state < graph.size; state++) {
      if (isOwed(state) && graph.isResting(state)) return { state, component: [] };
      if (isOwed(state) || property.kind === 'converges') states.push(state);
    }
    let nearest: BrokenPromise | undefined;
    for (const component of this.components.among(states)) {
      const state = component.reduce((least, other) => (isOwed(other) && !(other > least) ? other : least), Infinity);
      if (state < (nearest?.state ?? Infinity) && this.isFair(component)) nearest = { state, component };
    }
    return nearest;
  }

  /** Whether a fair run can stay in the component for ever. */
  private isFair(component: readonly number[]): boolean {
    let always: Set<number> | undefined;
    const taken = new Set<number>();
    for (const state of component) {
      const enabled = this.actions(state, taken);
      if (!always) always = enabled;
      else for (const action of always) if (!enabled.has(action)) always.delete(action);
      if (always.size === 0) return true;
    }
    return [...always!].every((action) => taken.has(action));
  }

  /** What fairness asks for in a state; those taken within the component are added to `taken`. */
  private actions(state: number, taken: Set<number>): Set<number> {
    const { graph, model, row } = this;
    model.successors.expand(row, this.store.load(state, row));
    const enabled = new Set<number>();
    const begin = graph.begin(state);
    const kept = new Set(inside(state, graph, this.components.region));
    for (let i = 0; i < model.successors.count; i++) {
      const action = model.successors.actions[i]!;
      if (action === OPTIONAL) continue;
      enabled.add(action);
      if (kept.has(begin + i)) taken.add(action);
    }
    return enabled;
  }
}
