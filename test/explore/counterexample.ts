/** What a violated property is shown by: the choices that lead there, for a network to make and for people to read. */
import type { NodeId } from '../../machines/effects.js';
import type { Flight, NodeView, Instance } from '../../machines/protocol.js';
import type { Refuted } from '../../network/trace.js';
import type { Choice } from '../../network/world/choice.js';
import type { Graph } from './graph.js';
import { Lasso } from './lasso.js';
import type { Model } from './model.js';
import type { FirstState } from './starts.js';
import { NO_PARENT, type States } from './store.js';
import type { Symmetry } from './symmetry.js';
import { Walk, type Walked } from './walk.js';

/**
 * How a property is violated: the choices that lead there, each also as a line for people. A `Simulation` with these choices shows
 * it.
 *
 * @public
 */
export interface Counterexample extends Refuted {
  readonly instance: Instance<any>;
  /** The state that it begins in, where the nodes did not start by themselves. */
  readonly start?: Start;
  readonly choices: readonly Choice[];
  /** One line for each choice. */
  readonly steps: readonly string[];
}

/** A state to begin in: what each node knows, its armed timers, and what is in flight, oldest first. */
export interface Start {
  readonly nodes: Readonly<
    Record<NodeId, { readonly roles: NodeView; readonly timers: readonly (readonly [role: string, timer: string])[] }>
  >;
  readonly flights: readonly Flight[];
}

/** Where a search began. */
export interface Origin extends FirstState {
  readonly instance: Instance<any>;
}

/** A way to a state, and round from there if a component is given. */
export interface Way {
  readonly property: string;
  /** The nodes that are owed what never comes. */
  readonly nodes?: readonly NodeId[] | undefined;
  readonly state: number;
  /** The state before, where the last transition matters. */
  readonly from?: number | undefined;
  readonly component?: readonly number[] | undefined;
}

export function counterexample(
  way: Way,
  { store, graph }: { readonly store: States; readonly graph: Graph | undefined },
  model: Model,
  symmetry: Symmetry | undefined,
  originOf: (state: number) => Origin,
  isCorrupt: boolean,
): Counterexample {
  const path = pathTo(way.from ?? way.state, store);
  if (way.from !== undefined) path.push(way.state);
  const origin = originOf(path[0]!);
  const walk = new Walk(model, store, symmetry, origin);
  let walked: Walked[] = [];
  for (const state of path.slice(1)) {
    const { start } = walk;
    const steps = walk.step(state);
    walked = walk.start === start ? [...walked, ...steps] : [];
  }
  const start = walk.start ?? (isCorrupt ? origin : undefined);
  const loop = way.component && { loop: walked.length };
  if (way.component && way.component.length > 0) {
    for (const hop of new Lasso(graph!, store, model, way.component).around(way.state)) walked.push(...walk.hop(hop));
  }
  return {
    property: way.property,
    ...(way.nodes && way.nodes.length > 0 && { nodes: way.nodes }),
    instance: origin.instance,
    ...(start && { start: startOf(model, start) }),
    choices: walked.map(({ choice }) => choice),
    steps: walked.map(({ text }) => text),
    ...loop,
  };
}

function startOf({ steps, packets, system }: Model, { row, sent }: FirstState): Start {
  const nodes = system.nodes.map((id, node) => {
    const { view, timers } = steps.locals.get(row[1 + node]!);
    return [id, { roles: view, timers }] as const;
  });
  return { nodes: Object.fromEntries(nodes), flights: sent.map((packet, id) => ({ ...packets.flight(packet), id })) };
}

/** The states from a first one to this one. */
function pathTo(state: number, store: States): number[] {
  const path = [state];
  for (let parent = store.parent(state); parent !== NO_PARENT; parent = store.parent(parent)) path.unshift(parent);
  return path;
}
