/**
 * The number of times that each state of each chart was entered and each transition taken, over all nodes, counted while lines arrive.
 *
 * Moves are counted by the states before and after, which are few, and converted to entered states on demand.
 */
import type { StateValue } from 'xstate';
import type { RoleView } from '../../machines/protocol.js';
import type { StepLine } from '../../network/trace.js';
import { transitionKey, type ChartTransition } from './chart.js';
import { activePaths, valueText } from './values.js';

interface Move {
  readonly chart: string;
  readonly before: StateValue | null;
  readonly after: StateValue;
  count: number;
}

/** How often each state and transition of one chart was visited, and the largest of these counts. */
export interface Heat {
  /** By path. */
  readonly states: ReadonlyMap<string, number>;
  taken(transition: ChartTransition): number;
  readonly hottestState: number;
  readonly hottestTransition: number;
}

export class ChartVisits {
  /** By the number of the slot. The value of a closed role is forgotten. */
  private readonly now: (RoleView | undefined)[] = [];
  private readonly moves = new Map<string, Move>();
  /** By chart, then by the key of the transition. */
  private readonly transitions = new Map<string, Map<string, number>>();

  /** Records that a role is in this state now, or closed. */
  move(slot: number, view: RoleView | null): void {
    const last = this.now[slot];
    this.now[slot] = view ?? undefined;
    if (!view) return;
    const { chart, value } = view;
    const before = last?.chart === chart ? last.value : null;
    if (before === value) return;
    const key = `${chart}\n${before === null ? '' : valueText(before)}\n${valueText(value)}`;
    const known = this.moves.get(key);
    if (known) known.count++;
    else this.moves.set(key, { chart, before, after: value, count: 1 });
  }

  /** Records the transitions of a step, after its moves; `slotOf` returns the number of a role's slot. */
  take(taken: NonNullable<StepLine['taken']>, slotOf: (role: string) => number): void {
    for (const [role, state, event, index] of taken) {
      const chart = this.now[slotOf(role)]?.chart;
      if (chart === undefined) continue;
      let counts = this.transitions.get(chart);
      if (!counts) this.transitions.set(chart, (counts = new Map()));
      const key = transitionKey(state, event, index);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }

  of(chart: string): Heat {
    const states = new Map<string, number>();
    for (const move of this.moves.values()) {
      if (move.chart !== chart) continue;
      const before = move.before === null ? new Set<string>() : activePaths(move.before);
      for (const path of activePaths(move.after)) if (!before.has(path)) states.set(path, (states.get(path) ?? 0) + move.count);
    }
    const counts = this.transitions.get(chart) ?? new Map<string, number>();
    return {
      states,
      taken: ({ source, event, index }) => counts.get(transitionKey(source, event, index)) ?? 0,
      hottestState: Math.max(0, ...states.values()),
      hottestTransition: Math.max(0, ...counts.values()),
    };
  }
}

export const HEAT_LEVELS = 5;

/** A level from 0 (never) to `HEAT_LEVELS` (as often as the hottest). It is logarithmic, so that rare and usual ones are both visible. */
export const heatLevel = (count: number, hottest: number): number =>
  count === 0 ? 0 : Math.max(1, Math.ceil((HEAT_LEVELS * Math.log(1 + count)) / Math.log(1 + hottest)));
