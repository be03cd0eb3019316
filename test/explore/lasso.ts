/**
 * A lasso: the fair cycle of a liveness counterexample. The cycle takes each action that all states of an end component enable, and for
 * each other action passes a state that does not enable it. Repeated forever, it is a weakly fair run that violates the property.
 */
import { staysIn } from './components.js';
import type { Graph } from './graph.js';
import type { Model } from './model.js';
import type { States } from './store.js';
import { OPTIONAL } from './successors.js';

/** A transition: its source, and its position among the successors of that state. */
export interface Hop {
  readonly from: number;
  readonly successor: number;
}

export class Lasso {
  private readonly region: Int32Array;
  private readonly row: Int32Array;

  constructor(
    private readonly graph: Graph,
    private readonly store: States,
    private readonly model: Model,
    private readonly component: readonly number[],
  ) {
    this.region = new Int32Array(graph.size);
    for (const state of component) this.region[state] = 1;
    this.row = new Int32Array(store.longest);
  }

  /** The hops from `start` through everything that fairness requires, and back. */
  around(start: number): Hop[] {
    const hops: Hop[] = [];
    let at = start;
    const go = (to: number) => {
      hops.push(...this.path(at, to));
      at = to;
    };
    for (const { state, successor } of this.demands()) {
      go(state);
      if (successor === undefined) continue;
      hops.push({ from: at, successor });
      at = this.graph.target(this.graph.begin(at) + successor);
    }
    if (hops.length === 0) {
      const successor = this.kept(at)[0]!;
      hops.push({ from: at, successor });
      at = this.graph.target(this.graph.begin(at) + successor);
    }
    go(start);
    return hops;
  }

  /** For each action a state to pass and, if all states enable the action, a transition that takes it. */
  private demands(): { readonly state: number; readonly successor?: number }[] {
    const enabled = new Map<number, number>();
    const taken = new Map<number, { state: number; successor: number }>();
    const lacking = new Map<number, number>();
    const actionsOf = this.component.map((state) => this.actions(state, taken));
    for (const actions of actionsOf) for (const action of actions) enabled.set(action, (enabled.get(action) ?? 0) + 1);
    for (const [action, count] of enabled) {
      if (count < this.component.length) {
        lacking.set(action, this.component[actionsOf.findIndex((actions) => !actions.has(action))]!);
        taken.delete(action);
      }
    }
    return [...taken.values(), ...[...new Set(lacking.values())].map((state) => ({ state }))];
  }

  private actions(state: number, taken: Map<number, { state: number; successor: number }>): Set<number> {
    const { successors } = this.model;
    const kept = this.kept(state);
    successors.expand(this.row, this.store.load(state, this.row));
    for (const successor of kept) {
      const action = successors.actions[successor]!;
      if (action !== OPTIONAL && !taken.has(action)) taken.set(action, { state, successor });
    }
    return new Set(successors.actions.subarray(0, successors.count).filter((action) => action !== OPTIONAL));
  }

  private kept(state: number): number[] {
    const { graph, region } = this;
    const [begin, end] = [graph.begin(state), graph.end(state)];
    const kept: number[] = [];
    for (let place = begin; place < end; place++) if (staysIn(region, graph, state, place)) kept.push(place - begin);
    return kept;
  }

  /** A shortest path between two states of the component. */
  private path(from: number, to: number): Hop[] {
    const before = new Map<number, Hop | undefined>([[from, undefined]]);
    for (const state of before.keys()) {
      if (state === to) break;
      for (const successor of this.kept(state)) {
        const target = this.graph.target(this.graph.begin(state) + successor);
        if (!before.has(target)) before.set(target, { from: state, successor });
      }
    }
    const hops: Hop[] = [];
    for (let hop = before.get(to); hop; hop = before.get(hop.from)) hops.unshift(hop);
    return hops;
  }
}
