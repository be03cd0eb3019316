/** The messages between the page of the playground and its worker. */
import type { PropertyResult } from '../../machines/protocol.js';
import type { Report, Verdict } from '../../network/report.js';
import type { MachineReport } from '../../test/machine/report.js';
import type { Problem } from './problem.js';

/** One at a time; `chart` is the text of a module with a protocol or a machine, or empty. */
export type Task =
  | { readonly do: 'test'; readonly chart: string }
  | { readonly do: 'simulate' | 'check'; readonly scenario: string; readonly chart: string }
  | { readonly do: 'answer'; readonly name: string; readonly body: unknown; readonly chart: string };

export type Simulated = { readonly did: 'simulate'; readonly violations: readonly string[]; readonly trace: string } & (
  | (Report & { readonly stopped: null })
  | { readonly verdict: 'unknown'; readonly stopped: string }
);

export interface Checked {
  readonly did: 'check';
  readonly verdict: Verdict;
  readonly states: number;
  readonly transitions: number;
  readonly terminal: number;
  readonly doomed: number | null;
  readonly stopped: string | null;
  readonly properties: readonly PropertyResult[];
  readonly vacuous: readonly string[];
  readonly counterexample: { readonly property: string; readonly steps: readonly string[]; readonly loop: number | null } | null;
  /** The counterexample's. */
  readonly trace: string | null;
}

/** Generated tests of a machine. */
export interface Tested {
  readonly did: 'test';
  readonly verdict: MachineReport['verdict'];
  readonly states: number;
  readonly steps: number;
  /** Which limit ended the search for states. */
  readonly stopped: string | null;
  readonly failures: readonly { readonly rule: string; readonly description: string; readonly steps: readonly string[] }[];
  /** Suspicious patterns, parts that are not covered, and notes. */
  readonly remarks: readonly string[];
  /** The paths through the machine, or the path to the first failure. */
  readonly trace: string;
}

export type TaskOutcome = Simulated | Checked | Tested;

/** The answer to the inspector. */
export type ForInspector = { readonly json: unknown } | { readonly trace: string } | null;

export type FromWorker =
  | { readonly progress: string }
  | { readonly outcome: TaskOutcome }
  | { readonly answer: ForInspector }
  | { readonly problem: Problem };
