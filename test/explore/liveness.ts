/**
 * Liveness: decides `eventually` and `converges` on fair runs.
 *
 * A run is weakly fair if it eventually takes each action (a delivery, timer, reaction or notification) that stays possible from some point
 * on. A liveness property is violated if an obligation stays pending forever on a weakly fair run. There are two cases:
 *
 * - A state in which the run may stop while the obligation is pending.
 * - An end component in which the run takes every action that all its states enable. For `eventually`, the obligation is pending in all
 *   states of the component; for `converges`, in at least one.
 *
 * The obligation of `eventually` for a node starts when `when` holds and ends when `when` no longer holds or `holds` does. A use that
 * begins and ends within one step therefore meets it, although no state shows the use. Draws are fair too: with probability one, a run
 * leaves what a draw can leave. Applications are free never to issue another command.
 */
import { Components } from './components.js';
import { keepEndless } from './endless.js';
import type { Graph } from './graph.js';
import { Ints } from './ints.js';
import { OPTIONAL } from './successors.js';
import type { Obligation, SearchWatch } from './watch.js';

/** Part of a run in which an obligation stays pending forever. */
export interface PendingForever {
  /** The first state of the endless part, as near to the start as the search found one. */
  readonly state: number;
  /** The states that the run repeats forever; empty if it stops in `state`. */
  readonly component: readonly number[];
}

export class Liveness {
  /**
   * For each plane: the first state in which a run may stop with the obligation pending, and the states in which it may stay
   * pending forever.
   */
  private readonly restings: (number | undefined)[] = [];
  private readonly lasting: readonly Ints[];
  private found: Components | undefined;

  constructor(
    private readonly graph: Graph,
    private readonly watch: SearchWatch,
    /** True if there are draws. */
    private readonly branches: boolean,
  ) {
    const endless = watch.pending.with(watch.everywhere);
    keepEndless(endless, graph);
    const { pending } = watch;
    this.lasting = watch.obligations.map(() => new Ints());
    for (let state = 0; state < graph.size; state++) {
      if (graph.isResting(state)) for (const plane of pending.of(state)) this.restings[plane] ??= state;
      if (endless.hasAny(state)) for (const plane of endless.of(state)) this.lasting[plane]!.push(state);
    }
  }

  private get components(): Components {
    return (this.found ??= new Components(this.graph, this.branches));
  }

  /** How an obligation can stay pending forever, or `undefined` if it cannot. */
  pendingForever({ plane }: Obligation): PendingForever | undefined {
    const { watch } = this;
    const resting = this.restings[plane];
    if (resting !== undefined) return { state: resting, component: [] };
    const isPending = (state: number) => watch.pending.has(state, plane);
    const states = this.lasting[plane]!;
    let nearest: PendingForever | undefined;
    if (states.length === 0) return nearest;
    for (const component of this.components.among(states.data.subarray(0, states.length))) {
      const state = component.reduce((least, other) => (isPending(other) && !(other > least) ? other : least), Infinity);
      if (state < (nearest?.state ?? Infinity) && this.isFair(component)) nearest = { state, component };
    }
    return nearest;
  }

  /** True if a fair run can stay in the component forever. */
  private isFair(component: readonly number[]): boolean {
    if (component.length === 1 && !this.staysForced(component[0]!)) return this.graph.isResting(component[0]!);
    // Actions that all states examined so far enable, and that none of them takes within the component.
    let untaken: readonly number[] | undefined;
    for (const state of component) {
      untaken = this.untaken(state, untaken);
      if (untaken.length === 0) return true;
    }
    return false;
  }

  /** True if an action that fairness requires leaves the state unchanged. */
  private staysForced(state: number): boolean {
    const { graph } = this;
    for (let place = graph.begin(state); place < graph.end(state); place++)
      if (graph.action(place) !== OPTIONAL && this.components.stays(state, place)) return true;
    return false;
  }

  /**
   * The actions that fairness requires in a state and that it does not take within the component; only those among `some`, if
   * given.
   */
  private untaken(state: number, some: readonly number[] | undefined): readonly number[] {
    const { graph, components } = this;
    const untaken: number[] = [];
    const taken: number[] = [];
    for (let place = graph.begin(state); place < graph.end(state); place++) {
      const action = graph.action(place);
      if (action === OPTIONAL || (some && !some.includes(action))) continue;
      if (components.stays(state, place)) taken.push(action);
      else if (!untaken.includes(action)) untaken.push(action);
    }
    return taken.length === 0 ? untaken : untaken.filter((action) => !taken.includes(action));
  }
}
