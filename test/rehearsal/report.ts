/** The results of a rehearsal: the outcome of each run, the violation that a judge found, and the failure that is reported. */
import type { RunRoles } from './role-steps.js';
import type { RehearsalScenario } from './scenario.js';
import type { RehearsalEvent } from './world.js';

/** Version of failure files; other versions are rejected. */
export const FAILURE_VERSION = 1;

export interface RehearsalViolation {
  readonly judge: string;
  readonly description: string;
  /** Virtual time in milliseconds. */
  readonly atMs: number;
}

/** Everything that one run produced: the violation, if any, its log and its events. */
export interface RehearsalOutcome {
  readonly violation: RehearsalViolation | null;
  readonly digest: string;
  readonly turns: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly lines: readonly string[];
  readonly events: readonly RehearsalEvent[];
  /** Present only for a recorded run. */
  readonly roles?: RunRoles;
}

/**
 * A failure of a rehearsal with the scenario that causes it, as plain JSON. `rehearse` reports it, and replays it with the option `replay`.
 *
 * @experimental
 */
export interface RehearsalFailure extends RehearsalViolation {
  readonly rehearsal: typeof FAILURE_VERSION;
  /** Seed of the run that failed first; the scenario may have been shrunk since. */
  readonly seed: number;
  readonly scenario: RehearsalScenario;
  /** Events of the run: starts, ends, faults, and what peers did with locks and the store. */
  readonly story: readonly RehearsalEvent[];
  /** The last turns before the violation. */
  readonly log: readonly string[];
  /** The chart steps of Quiver's nodes, and their charts. */
  readonly roles?: RunRoles;
}

/**
 * Result of a rehearsal: how much was run, and the first failure, shrunk.
 *
 * @experimental
 */
export interface Rehearsal {
  readonly runs: number;
  /** Number of turns of all processes in all runs. */
  readonly turns: number;
  /** Number of events of each type. */
  readonly counts: Readonly<Record<string, number>>;
  /** Hash of the log of the last run. Equal seeds give equal hashes. */
  readonly digest: string;
  readonly failure: RehearsalFailure | null;
}
