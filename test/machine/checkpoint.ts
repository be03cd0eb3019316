/** Saves the state of a rig, the test harness around a machine, so that another rig can continue from it. */
import type { AnyActor, AnyMachineSnapshot } from 'xstate';
import type { ChartAlone, ChartStanding } from './alone.js';
import type { ServiceSamples } from './options.js';
import type { Readings } from './path-chance.js';
import type { Askers } from './remarks.js';
import type { LogicKind } from './stage.js';
import type { Timers } from './timers.js';

/** A held service: it does not run, and the tests choose its results from these samples. */
export interface HeldLogic {
  readonly kind: LogicKind;
  readonly samples: ServiceSamples;
}

/** A saved state, from which another rig continues without repeating the steps before it. */
export type Checkpoint = Clocked & ({ readonly snapshot: AnyMachineSnapshot } | AloneCheckpoint);

/** The time at which it was left. */
interface Clocked {
  readonly timers: Timers;
  /** Readings of the clock; `null` if it was not read. */
  readonly readings: Readings | null;
}

interface AloneCheckpoint {
  readonly alone: ChartAlone;
  readonly standing: ChartStanding;
  readonly made: readonly AnyActor[];
  readonly held: ReadonlyMap<AnyActor, HeldLogic>;
  readonly referred: ReadonlySet<AnyActor>;
  readonly askers: Askers;
}
