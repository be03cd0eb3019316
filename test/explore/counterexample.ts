/**
 * The counterexample of a violated property: the choices that lead to the violation, for a simulation to replay and for people to
 * read.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Instance } from '../../machines/protocol.js';
import type { Refuted } from '../../network/trace.js';
import type { Choice, StartState } from '../../network/world/choice.js';
import type { Graph } from './graph.js';
import { Lasso } from './lasso.js';
import type { Model } from './model.js';
import type { FirstState } from './starts.js';
import { NO_PARENT, type States } from './store.js';
import type { Symmetry } from './symmetry.js';
import { Walk, type Walked } from './walk.js';

/**
 * A run that violates a property: its choices, each also as a line of text. Replay it with a `Simulation` and these `choices`.
 *
 * @public
 */
export interface Counterexample extends Refuted {
  readonly instance: Instance;
  /** The state in which the run begins, if the nodes do not start by themselves. */
  readonly start?: StartState;
  readonly choices: readonly Choice[];
  /** One line for each choice. */
  readonly steps: readonly string[];
}

/** An initial state of a search, with the instance that it belongs to. */
export interface Origin extends FirstState {
  readonly instance: Instance;
}

/** The path to a violation, and the component in which the run goes around forever, if there is one. */
export interface ViolationPath {
  readonly property: string;
  /** The nodes for which the obligation is never met. */
  readonly nodes?: readonly NodeId[] | undefined;
  readonly state: number;
  /** The state before, if the last transition itself is the violation. */
  readonly from?: number | undefined;
  readonly component?: readonly number[] | undefined;
}

export function counterexample(
  violation: ViolationPath,
  { store, graph }: { readonly store: States; readonly graph: Graph | undefined },
  model: Model,
  symmetry: Symmetry | undefined,
  originOf: (state: number) => Origin,
  isCorrupt: boolean,
): Counterexample {
  const path = pathTo(violation.from ?? violation.state, store);
  if (violation.from !== undefined) path.push(violation.state);
  const origin = originOf(path[0]!);
  const walk = new Walk(model, store, symmetry, origin);
  let walked: Walked[] = [];
  for (const state of path.slice(1)) {
    const { start } = walk;
    const steps = walk.step(state);
    walked = walk.start === start ? [...walked, ...steps] : [];
  }
  const start = walk.start ?? (isCorrupt ? origin : undefined);
  const loop = violation.component && { loop: walked.length };
  if (violation.component && violation.component.length > 0) {
    for (const hop of new Lasso(graph!, store, model, violation.component).around(violation.state)) walked.push(...walk.hop(hop));
  }
  return {
    property: violation.property,
    ...(violation.nodes && violation.nodes.length > 0 && { nodes: violation.nodes }),
    instance: origin.instance,
    ...(start && { start: startOf(model, start) }),
    choices: walked.map(({ choice }) => choice),
    steps: walked.map(({ text }) => text),
    ...loop,
  };
}

function startOf({ steps, packets, system }: Model, { row, sent }: FirstState): StartState {
  const nodes = system.nodes.map((id, node) => {
    const { view, timers } = steps.locals.get(row[1 + node]!);
    return [id, { roles: view, timers }] as const;
  });
  return { nodes: Object.fromEntries(nodes), flights: sent.map((packet, id) => ({ ...packets.flight(packet), id })) };
}

function pathTo(state: number, store: States): number[] {
  const path = [state];
  for (let parent = store.parent(state); parent !== NO_PARENT; parent = store.parent(parent)) path.unshift(parent);
  return path;
}
