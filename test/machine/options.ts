/** Options for the tests of a machine. All are optional: event types are read from the chart. */
import type { AnyMachineSnapshot } from 'xstate';
import type { AnyMessage } from '../../machines/effects.js';
import type { MachineKind } from './coverage.js';
import type { Reference, StateTests, StepTests } from './sut.js';
import type { Temporal } from './temporal.js';

/** The arguments of a function that returns samples. */
export interface SampleArgs {
  readonly context: any;
  readonly snapshot: AnyMachineSnapshot;
  /** The input of the service; `undefined` for an event. */
  readonly input: any;
}

/** A fast-check arbitrary: some values are drawn from it, by the seed. */
export interface ArbitraryLike {
  generate(random: any, bias: number | undefined): unknown;
  shrink(value: any, context: unknown): unknown;
}

/**
 * Values to try: a list, a function of the state that returns one, or a fast-check arbitrary.
 *
 * @public
 */
export type Samples = readonly unknown[] | ((args: SampleArgs) => readonly unknown[]) | ArbitraryLike;

/**
 * Possible results of an invoked or spawned actor. By default, a promise resolves with `undefined` or rejects with an error, a callback
 * sends nothing, an observable completes, and a chart or a `fromTransition` runs for real.
 *
 * @public
 */
export interface ServiceSamples {
  /** Values with which a promise resolves; `[]` if it never does. @defaultValue `[undefined]` */
  readonly done?: Samples;
  /** Errors of a promise, an observable or a callback; `[]` if it never fails. @defaultValue an `Error`, and none for a callback */
  readonly fails?: Samples;
  /** Events that a callback, an observable of events or a chart sends to its parent. */
  readonly sends?: Samples;
  /** Values of an observable. */
  readonly next?: Samples;
  /**
   * Allows an observable to complete.
   *
   * @defaultValue true
   */
  readonly completes?: boolean;
}

/** Payloads by event type: `{ ADD: [{ item: 1 }, { item: 2 }] }`. An event without an entry is sent without a payload. */
export type EventSamples = Readonly<Record<string, Samples>>;

export const modes = ['live', 'pure'] as const;
export type Mode = (typeof modes)[number];

/** The start of a machine: an input, or a stored snapshot from `getPersistedSnapshot()` or `machine.resolveState(…)`. */
export type Start = { readonly input: unknown } | { readonly snapshot: unknown };

/** Limits of the search for states. */
export interface Limits {
  /**
   * Most states that the search visits.
   *
   * @defaultValue 2000
   */
  readonly states?: number;
  /**
   * Most steps that the search takes, including those on the way back to a state.
   *
   * @defaultValue 30000
   */
  readonly searchSteps?: number;
  /**
   * Most live actors at one time. A state with more is not visited.
   *
   * @defaultValue 12
   */
  readonly actors?: number;
  /**
   * Most running timers at one time. A state with more is not visited.
   *
   * @defaultValue 12
   */
  readonly timers?: number;
  /**
   * Number of random walks.
   *
   * @defaultValue 10
   */
  readonly walks?: number;
  /**
   * Steps of each random walk.
   *
   * @defaultValue 50
   */
  readonly steps?: number;
  /**
   * Limit for each test of `describeMachine` in milliseconds. It replaces the limit of the test runner.
   *
   * @defaultValue 120000
   */
  readonly testMs?: number;
}

/**
 * Options for the tests of a machine.
 *
 * @public
 */
export interface MachineTests<Sut = any> {
  /**
   * `live`: XState actors, with child machines and the application's actions. `pure`: only the chart, by XState's own transitions. No actor
   * runs, no action is performed, and `services` contains the results of child machines.
   *
   * @defaultValue 'live'
   */
  readonly mode?: Mode;
  /** The machine's `input`. */
  readonly input?: unknown;
  /**
   * Several ways to start, all tested in one run, instead of `input`. A path with another start than the first one begins with a step
   * `start`.
   */
  readonly starts?: readonly Start[];
  /** Samples of the payload of each event, by type. @defaultValue the event type without a payload */
  readonly events?: EventSamples;
  /** Possible results of each service, by source name or id; `'real'` runs it. */
  readonly services?: Readonly<Record<string, ServiceSamples | 'real'>>;
  /** External events for child machines, by the child's source name or id. */
  readonly children?: Readonly<Record<string, EventSamples>>;
  /** Delays by name, in milliseconds, which replace those of the machine. */
  readonly delays?: Readonly<Record<string, number>>;
  /** Other implementations, as `machine.provide` takes them. */
  readonly provide?: Readonly<Record<string, unknown>>;
  /** Identity of a state, for example `(snapshot) => snapshot.context.items.length`. @defaultValue the whole context */
  readonly distinguish?: (snapshot: AnyMachineSnapshot) => unknown;
  /** Steps that are not taken from a state, as `filterEvents` of xstate/graph. */
  readonly filter?: (snapshot: AnyMachineSnapshot, step: MachineStep) => boolean;
  /** End of a path, as `toState` of xstate/graph. @defaultValue a path to every state */
  readonly toState?: (snapshot: AnyMachineSnapshot) => boolean;
  /** Limits of the search and the walks. @defaultValue the defaults of `Limits` */
  readonly limits?: Limits;
  /**
   * Also covers all pairs of transitions that can follow each other.
   *
   * @defaultValue false
   */
  readonly pairs?: boolean;
  /**
   * `path`: `describeMachine` registers one test for each path, which the runner filters, retries and runs in parallel. The states are then
   * searched at the collection of tests.
   *
   * @defaultValue one test for each kind of paths
   */
  readonly each?: 'path';
  /** Seed of the random walks and of samples drawn with fast-check. @defaultValue 1 */
  readonly seed?: number;
  /**
   * Performs the machine's actions while its states are searched. Live paths always perform them.
   *
   * @defaultValue false
   */
  readonly performActions?: boolean;
  /** Creates a new system under test for every path. */
  readonly sut?: () => Sut | Promise<Sut>;
  readonly cleanup?: (sut: Sut) => unknown;
  /** Operations on the system under test for a step, by event type or by the name that `describeStep` returns. */
  readonly exec?: StepTests<Sut>;
  /**
   * Checks for a state, by its name; `*` is a wildcard. `meta.test` of a state has the same meaning. False or a thrown error is a failure.
   */
  readonly states?: StateTests<Sut>;
  /**
   * Checks for every state, each with a name. False, another falsy value or a thrown error is a failure. One that returns `undefined` holds, so
   * that it may contain assertions.
   */
  readonly invariants?: Readonly<Record<string, (snapshot: AnyMachineSnapshot) => boolean | void>>;
  readonly temporal?: Readonly<Record<string, Temporal>>;
  /** A simpler equivalent of the machine. */
  readonly reference?: Reference;
  /**
   * Stores and restores the machine at every step of the tours, and arms its timers again with their remaining time.
   *
   * @defaultValue false
   */
  readonly restore?: boolean;
  /**
   * Required coverage for each kind of item, in percent. Many combinations of parallel regions are impossible, so `configuration` has no
   * default.
   *
   * @defaultValue 100, and none for `configuration`
   */
  readonly thresholds?: Readonly<Partial<Record<MachineKind | 'configuration', number>>>;
  /** Reasons why an item cannot be covered, by its name in the report, or why a surviving mutant is equivalent. */
  readonly reasons?: Readonly<Record<string, string>>;
}

/** Reference to a value that JSON cannot hold: its place among the samples, and its description. */
interface Sampled {
  readonly sample?: number;
  readonly description?: string;
}

/** Other values of chance, and a later time, for a step at which the machine draws numbers or reads the clock. */
interface Chanced {
  /** 1 to 8: numbers from the first to the last eighth below 1; and the step comes 1 s, 10 s, 1 min, 10 min, 1 h, 6 h, 1 day or 1 year later. */
  readonly chance?: number;
}

/**
 * One step of a path, as plain JSON. A value that JSON cannot hold is given by its place among the samples.
 *
 * @public
 */
export type MachineStep = Chanced &
  (
    | ({ readonly event: AnyMessage; readonly to?: string } & Sampled)
    | { readonly start: number; readonly description?: string }
    | { readonly timer: string }
    | ({ readonly done: string; readonly output?: unknown } & Sampled)
    | ({ readonly fails: string; readonly error?: unknown } & Sampled)
    | ({ readonly sends: string; readonly event: AnyMessage } & Sampled)
    | ({ readonly next: string; readonly value?: unknown } & Sampled)
    | { readonly completes: string }
    | { readonly settles: string }
  );
