/**
 * End components: sets of states that a run can stay in for ever and go round in, whatever its draws.
 *
 * Each is strongly connected by transitions whose every outcome stays inside. Without draws these are the strongly connected
 * components (Tarjan 1972); with them, a component that a draw can leave is taken apart again without that draw (de Alfaro 1997).
 */
import type { Graph } from './graph.js';
import { Ints } from './ints.js';

export class Components {
  /** For each state the number of the region that it is in, 0 for none; states of one region are not yet known to be apart. */
  readonly region: Int32Array;
  private regions = 0;
  private readonly visit: Visit;

  constructor(
    private readonly graph: Graph,
    /** Whether there are draws. */
    private readonly branches: boolean,
  ) {
    this.region = new Int32Array(graph.size);
    this.visit = new Visit(graph.size);
  }

  /** The maximal end components among `states`, those of one state without a way to itself left out. */
  *among(states: readonly number[]): Generator<readonly number[]> {
    const waiting: (readonly number[])[] = [this.mark(states)];
    try {
      for (let set = waiting.pop(); set; set = waiting.pop()) {
        for (const component of stronglyConnected(set, this.graph, this.region, this.visit)) {
          const isWhole = component.length === set.length;
          if (!isWhole) this.mark(component);
          if (!this.goesRound(component)) continue;
          if (isWhole || !this.branches) yield component;
          else waiting.push(component);
        }
      }
    } finally {
      for (const state of states) this.region[state] = 0;
    }
  }

  private mark(states: readonly number[]): readonly number[] {
    this.regions++;
    for (const state of states) this.region[state] = this.regions;
    return states;
  }

  private goesRound(component: readonly number[]): boolean {
    return component.length > 1 || !inside(component[0]!, this.graph, this.region).next().done;
  }
}

/** The places of the transitions of a state whose every outcome stays in its region. */
export function* inside(state: number, graph: Graph, region: Int32Array): Generator<number> {
  const end = graph.end(state);
  for (let place = graph.begin(state); place < end;) {
    const groupEnd = graph.groupEnd(place, end);
    let stays = true;
    for (let i = place; i < groupEnd; i++) if (region[graph.target(i)] !== region[state]) stays = false;
    if (stays) for (let i = place; i < groupEnd; i++) yield i;
    place = groupEnd;
  }
}

/** Tarjan's algorithm without recursion, on the transitions that stay in the region of `states`. */
function* stronglyConnected(states: readonly number[], graph: Graph, region: Int32Array, visit: Visit): Generator<number[]> {
  for (const state of states) visit.order[state] = 0;
  for (const root of states) {
    if (visit.order[root] !== 0) continue;
    visit.open(root, inside(root, graph, region));
    for (let top = visit.path.at(-1); top; top = visit.path.at(-1)) {
      const step = top.places.next();
      if (!step.done) {
        const target = graph.target(step.value);
        if (visit.order[target] === 0) visit.open(target, inside(target, graph, region));
        else if (visit.onStack[target] === 1) visit.lower(top.state, visit.order[target]!);
        continue;
      }
      visit.path.pop();
      const above = visit.path.at(-1);
      if (above) visit.lower(above.state, visit.low[top.state]!);
      if (visit.low[top.state] === visit.order[top.state]) yield visit.close(top.state);
    }
  }
}

class Visit {
  readonly order: Int32Array;
  readonly low: Int32Array;
  readonly onStack: Uint8Array;
  readonly path: { readonly state: number; readonly places: Generator<number> }[] = [];
  private readonly stack = new Ints();
  private opened = 0;

  constructor(size: number) {
    this.order = new Int32Array(size);
    this.low = new Int32Array(size);
    this.onStack = new Uint8Array(size);
  }

  open(state: number, places: Generator<number>): void {
    this.order[state] = this.low[state] = ++this.opened;
    this.onStack[state] = 1;
    this.stack.push(state);
    this.path.push({ state, places });
  }

  lower(state: number, to: number): void {
    if (to < this.low[state]!) this.low[state] = to;
  }

  /** Takes the component whose first state is `root` off the stack. */
  close(root: number): number[] {
    const component: number[] = [];
    for (;;) {
      const state = this.stack.data[--this.stack.length]!;
      this.onStack[state] = 0;
      component.push(state);
      if (state === root) return component;
    }
  }
}
