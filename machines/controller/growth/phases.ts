/**
 * Terms between two changes (paper sections 5, 6.1 and 6.3; spec sections 4 to 6): initial permits of each controller, the permits of R
 * that may be wasted, and the root's action when its bin is short.
 *
 * Both controllers run for three times the participants counted at the change. N gives twice that many joins, of which it may waste half.
 * So the number of participants at least doubles and at most triples before N runs out.
 */
import { hierarchy, type Scale } from '../bins.js';
import type { Controller, Terms } from '../messages.js';
import type { RootBudget, Unserved } from '../root.js';

export interface Counted {
  /** Participants now. */
  readonly n: number;
  /** Leaves that left since the last change. */
  readonly departed: number;
  /** Permits of R in all the bins. */
  readonly remaining: number;
}

/** Division of the run into phases by the root; the printed rule rejects in every phase (E12). */
export type PhaseRule = 'main' | 'halving' | 'printed' | 'bank';

export interface Phase extends Counted {
  readonly rule: PhaseRule;
  /** The waste that the whole run allows. */
  readonly W: number;
  /** The current waste of R. */
  readonly waste: number;
  readonly unserved: Unserved;
  /** True if the end is announced once M - W permits are out, instead of with the first reject. */
  readonly late: boolean;
  /** First name that N gives; `null` if joining nodes are not named. */
  readonly base: number | null;
  readonly alive: boolean;
  /** The controller that ran out and ended the phase before, and the participants at its start. */
  readonly cause: Controller | null;
  readonly previous: number | null;
}

export function firstPhase(rule: PhaseRule, M: number, W: number, n: number, named: boolean, late = false): Phase {
  const base = named ? n : null;
  const start = { rule, W, late, n, departed: 0, remaining: M, base, alive: true, cause: null, previous: null };
  return { ...start, ...wasteOf(start, rule, M) };
}

export function nextPhase(phase: Phase, counted: Counted, cause: Controller, signaled: boolean): Phase {
  const { rule, n, base } = phase;
  const hasMore = counted.remaining > phase.waste;
  // A phase that is interrupted by a change for the other controller continues while it has more than it may waste (E13).
  const goesOn = cause === 'N' && isInner(phase) && hasMore;
  // The other permits left in R were gathered for amounts that exceed the rest. Each half would be gathered again, forever.
  const isGathered = cause === 'R' && hasMore;
  return {
    ...phase,
    ...counted,
    ...(goesOn ? {} : wasteOf(phase, isGathered ? 'main' : rule, counted.remaining)),
    base: base === null ? null : base + 2 * n,
    // At a late end all given permits have arrived: deferred requests are rejected, and the rest is the waste.
    alive: phase.alive && !signaled && !(phase.late && cause === 'R' && !isInner(phase)),
    cause,
    previous: n,
  };
}

/** Only the last phase wastes at most what the whole run allows. */
const isInner = ({ waste, W }: Phase): boolean => waste > W;

/** Half of what remains while that is more than the run allows (E12, E13), else what it allows (E11). */
function wasteOf({ W, late }: Pick<Phase, 'W' | 'late'>, rule: PhaseRule, remaining: number): Pick<Phase, 'waste' | 'unserved'> {
  const half = Math.floor(remaining / 2);
  if (rule === 'bank') return { waste: Math.floor(W / 2), unserved: 'park' };
  if (rule === 'main' || half <= Math.max(W, 1)) return { waste: Math.min(W, remaining), unserved: late ? 'defer' : 'reject' };
  return { waste: half, unserved: rule === 'printed' ? 'end' : 'defer' };
}

/** The capacities of the bins that hold permits to join. */
export const joinScale = (n: number): Scale => hierarchy(n, 3 * n);

export const termsOf = ({ waste, n, alive }: Phase): Terms => ({ R: hierarchy(waste, 3 * n), N: joinScale(n), alive });

export function phaseBudget({ n, remaining, unserved, base }: Phase, of: Controller): RootBudget {
  if (of === 'R') return { permits: remaining, first: null, unserved };
  return { permits: 2 * n, first: base, unserved: 'defer' };
}
