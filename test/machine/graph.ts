/**
 * The states that a machine reaches, and every step between them, as the search (search.ts) leaves them.
 *
 * A state and the paths through it are as for the charts of a protocol (../paths/graph.ts); a step is anything that can happen to the machine:
 * an event, a timer, a service that settles.
 */
import type { StateValue } from 'xstate';
import type { Noted } from '../coverage/items.js';
import type { ChartGraph, Edge, Vertex } from '../paths/graph.js';
import type { Measures } from './measures.js';
import type { MachineStep } from './options.js';
import type { Remark } from './remarks.js';
import type { Checkpoint } from './checkpoint.js';
import type { SeenState } from './encode.js';
import type { Marks } from './endless.js';

/** The states of the running child machines, by the names of their actors. */
export type ChildCharts = Readonly<
  Record<string, { readonly chart: string; readonly value: StateValue; readonly context: string }>
>;

export interface MachineVertex extends Vertex<Noted> {
  /** The first path found to this state; the shortest one if the search was in order. */
  readonly way: readonly MachineStep[];
  readonly key: string;
  readonly choices: readonly MachineStep[];
  /** The countable parts of its context. */
  readonly measures: Measures;
  readonly view: SeenState;
  readonly isTarget: boolean;
  readonly children: ChildCharts;
  /** The number of active services. */
  readonly pending: number;
  /** The number of actors that still run; the view also names those that have ended. */
  readonly running: number;
  /** The results of the temporal properties' predicates in this state. */
  readonly marks: Marks;
  edges: ReadonlyMap<string, MachineEdge> | null;
  /** A checkpoint from which another rig can continue, without repeating the path. */
  readonly checkpoint: Checkpoint | null;
  /** The last earlier state with a checkpoint, and the steps from there; absent if it is the start. */
  readonly base: Base;
}

export interface Base {
  readonly from?: Checkpoint;
  readonly steps: readonly MachineStep[];
}

export interface MachineEdge extends Edge<Noted> {
  readonly step: MachineStep;
  readonly to: MachineVertex;
  readonly view: SeenState;
  /** Timers that ran before the step and go on. */
  readonly keeps: readonly string[];
  /** Suspicious observations in the step. */
  readonly remarks: readonly Remark[];
}

/** The shortest path found that covers an item; `null` if there is none. */
export function wayInto({ vertices }: MachineGraph, item: Noted): readonly MachineStep[] | null {
  let found: readonly MachineStep[] | null = null;
  for (const { way, edges } of vertices)
    for (const { step, items } of edges?.values() ?? [])
      if (items.has(item) && way.length + 1 < (found?.length ?? Infinity)) found = [...way, step];
  return found;
}

export interface Failure {
  readonly steps: readonly MachineStep[];
  /** Which rule it breaks, the same for all that break alike. */
  readonly rule: string;
  readonly description: string;
  /** True if the error was not caught on any path, so the steps that cause it are unknown. */
  readonly isUnhandled?: boolean;
  /** True if it is undecided: the states beyond the search could show the opposite. */
  readonly isOpen?: boolean;
}

export interface MachineGraph extends ChartGraph<Noted> {
  readonly first: MachineVertex;
  readonly vertices: readonly MachineVertex[];
  /** The first of each rule that was broken. */
  readonly failures: readonly Failure[];
  /** How many steps were taken, those on the way to a state included. */
  readonly taken: number;
  /** Why the search ended before it had seen every state; `null` when it has seen all. */
  readonly cut: Cut | null;
  /** Context values that grow and are never read, so that they do not distinguish states. */
  readonly unread: readonly string[];
}

export type SearchLimit = 'states' | 'searchSteps' | 'actors' | 'timers';

/** The limit that ended a search before it had visited every state. */
export interface Cut {
  readonly limit: SearchLimit;
  readonly value: number;
  /** Context values that took ever new values until the end, with their range: `count, 0 to 1,999`. */
  readonly growing: readonly string[];
}
