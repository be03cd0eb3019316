/**
 * End components: sets of states in which a run can stay and go around forever, whatever its draws.
 *
 * An end component is strongly connected by transitions whose outcomes all stay inside. Without draws these are the strongly connected
 * components (Tarjan 1972). With draws, a component that a draw can leave is searched again without that draw (de Alfaro 1997).
 */
import type { Graph } from './graph.js';
import { Ints } from './ints.js';

export class Components {
  /** For each state of a component found, the number of that component; with draws, of any set that was examined. */
  private readonly region: Int32Array;
  private regions = 0;
  private readonly visit: Visit;

  constructor(
    private readonly graph: Graph,
    /** True if there are draws. */
    private readonly branches: boolean,
  ) {
    this.region = new Int32Array(graph.size);
    this.visit = new Visit(graph, branches);
  }

  /** The maximal end components among `states`, without single states that have no transition to themselves. */
  *among(states: ArrayLike<number> & Iterable<number>): Generator<readonly number[]> {
    const waiting = [states];
    for (let set = waiting.pop(); set; set = waiting.pop()) {
      for (const component of this.visit.components(set)) {
        this.mark(component);
        if (!this.branches || component.length === set.length) yield component;
        else waiting.push(component);
      }
    }
  }

  private mark(states: readonly number[]): void {
    this.regions++;
    for (const state of states) this.region[state] = this.regions;
  }

  /** True if the transition of a state in the latest component stays in it, whatever is drawn. */
  stays(state: number, place: number): boolean {
    return staysIn(this.region, this.graph, state, place);
  }
}

/** True if every outcome of the draw behind a transition is in the region of the state that it leaves. */
export const staysIn = (region: Int32Array, graph: Graph, state: number, place: number): boolean =>
  everyOutcome(graph, state, place, (target) => region[target] === region[state]);

/** True if `holds` is true of every outcome of the draw behind a transition. */
function everyOutcome(graph: Graph, state: number, place: number, holds: (target: number) => boolean): boolean {
  const end = graph.groupEnd(place, graph.end(state));
  for (let i = graph.groupBegin(place); i < end; i++) if (!holds(graph.target(i))) return false;
  return true;
}

/** Not among the examined states, or already in a finished component. */
const OUTSIDE = -1;
const NOT_YET = 0;

/** Tarjan's algorithm without recursion, on the transitions that stay among some states. */
class Visit {
  /** The position at which each state was first visited. A state that is neither `OUTSIDE` nor `NOT_YET` is on the stack. */
  private readonly order: Int32Array;
  private readonly low: Int32Array;
  /** The path to the current state, and for each state of it the place of the next transition to follow. */
  private readonly path = new Ints();
  private readonly places = new Ints();
  private readonly stack = new Ints();
  private opened = 0;

  constructor(
    private readonly graph: Graph,
    private readonly branches: boolean,
  ) {
    this.order = new Int32Array(graph.size).fill(OUTSIDE);
    this.low = new Int32Array(graph.size);
  }

  /** The strongly connected components, without single states that have no transition to themselves. */
  *components(states: ArrayLike<number> & Iterable<number>): Generator<number[]> {
    const { order, low, path, places, stack } = this;
    for (const state of states) order[state] = NOT_YET;
    for (const root of states) {
      if (order[root] !== NOT_YET) continue;
      this.open(root);
      while (path.length > 0) {
        this.descend();
        const state = path.data[--path.length]!;
        places.length--;
        if (path.length > 0) this.lower(path.data[path.length - 1]!, low[state]!);
        if (low[state] !== order[state]) continue;
        // Most components are a single state without a transition to itself.
        if (stack.data[stack.length - 1] !== state || this.goesRound(state)) yield this.close(state);
        else order[stack.data[--stack.length]!] = OUTSIDE;
      }
    }
  }

  /** Continues the path until its last state has no unvisited successor. */
  private descend(): void {
    const { order, path, places, graph, branches } = this;
    for (;;) {
      const state = path.data[path.length - 1]!;
      const end = graph.end(state);
      let place = places.data[places.length - 1]!;
      let next = -1;
      for (; place < end && next === -1; place++) {
        const target = graph.target(place);
        const at = order[target]!;
        if (at === OUTSIDE) continue;
        if (branches && !everyOutcome(graph, state, place, (outcome) => order[outcome] !== OUTSIDE)) continue;
        if (at === NOT_YET) next = target;
        else this.lower(state, at);
      }
      if (next === -1) return;
      places.data[places.length - 1] = place;
      this.open(next);
    }
  }

  private goesRound(state: number): boolean {
    const { graph, branches } = this;
    for (let place = graph.begin(state); place < graph.end(state); place++) {
      if (graph.target(place) !== state) continue;
      if (!branches || everyOutcome(graph, state, place, (target) => target === state)) return true;
    }
    return false;
  }

  private open(state: number): void {
    this.order[state] = this.low[state] = ++this.opened;
    this.stack.push(state);
    this.path.push(state);
    this.places.push(this.graph.begin(state));
  }

  private lower(state: number, to: number): void {
    if (to < this.low[state]!) this.low[state] = to;
  }

  /** Removes the component whose first state is `root` from the stack. */
  private close(root: number): number[] {
    const component: number[] = [];
    for (;;) {
      const state = this.stack.data[--this.stack.length]!;
      this.order[state] = OUTSIDE;
      component.push(state);
      if (state === root) return component;
    }
  }
}
