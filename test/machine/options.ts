/** What may be said about a machine for its tests. Nothing has to be: event types are read from the chart. */
import type { AnyMachineSnapshot } from 'xstate';
import type { Message } from '../../machines/effects.js';
import type { MachineKind } from './coverage.js';
import type { Reference, StateTests, StepTests } from './sut.js';
import type { Temporal } from './temporal.js';

/** What a function of samples may look at. */
export interface SampleArgs {
  readonly context: any;
  readonly snapshot: AnyMachineSnapshot;
  /** What the service was started with; `undefined` for an event. */
  readonly input: any;
}

/** A fast-check arbitrary: some values are drawn from it, by the seed. */
export interface ArbitraryLike {
  generate(random: any, bias: number | undefined): unknown;
  shrink(value: any, context: unknown): unknown;
}

/**
 * Values worth trying: a list, a function of the state that gives one, or a fast-check arbitrary.
 *
 * @public
 */
export type Samples = readonly unknown[] | ((args: SampleArgs) => readonly unknown[]) | ArbitraryLike;

/**
 * What an invoked or spawned actor may come to. Without any, a promise is done with `undefined` or fails with an error, a callback sends
 * nothing, an observable completes; a chart or a `fromTransition` runs for real.
 *
 * @public
 */
export interface ServiceSamples {
  /** What a promise resolves with; `[]` when it never does. */
  readonly done?: Samples;
  /** What a promise, an observable or a callback fails with; `[]` when it never does. */
  readonly fails?: Samples;
  /** Events that a callback, an observable of events or a chart sends to its parent. */
  readonly sends?: Samples;
  /** Values of an observable. */
  readonly next?: Samples;
  /** Whether an observable may complete (true). */
  readonly completes?: boolean;
}

/** Payloads by event type: `{ ADD: [{ item: 1 }, { item: 2 }] }`; one that is not named is sent bare. */
export type EventSamples = Readonly<Record<string, Samples>>;

export const modes = ['live', 'pure'] as const;
export type Mode = (typeof modes)[number];

/** How a machine begins: with an input, or as it was stored, by `getPersistedSnapshot()` or `machine.resolveState(…)`. */
export type Start = { readonly input: unknown } | { readonly snapshot: unknown };

/** How far the search goes. */
export interface Limits {
  /** States looked at (2,000). */
  readonly states?: number;
  /** Steps that the search takes, those on the way back to a state included (30,000). */
  readonly searchSteps?: number;
  /** Actors alive at one time; a state with more is not looked at (12). */
  readonly actors?: number;
  /** Timers that run at one time; a state with more is not looked at (12). */
  readonly timers?: number;
  /** Random walks (10), and the steps of each (50). */
  readonly walks?: number;
  readonly steps?: number;
  /** How long each test of `describeMachine` may take, in milliseconds (120,000), in place of what the runner allows. */
  readonly testMs?: number;
}

/**
 * What may be said about a machine for its tests.
 *
 * @public
 */
export interface MachineTests<Sut = any> {
  /**
   * `live` (the default): actors of XState, with child machines and the application's actions. `pure`: the chart alone, by XState's own
   * transitions; no actor runs, no action is performed, and child machines come to what `services` says of them.
   */
  readonly mode?: Mode;
  /** The machine's `input`. */
  readonly input?: unknown;
  /** Several ways to begin, all tested in one run, in place of `input`; a path that begins otherwise than the first one says so. */
  readonly starts?: readonly Start[];
  readonly events?: EventSamples;
  /** By source name, or by id: what each service may come to; `'real'` runs it. */
  readonly services?: Readonly<Record<string, ServiceSamples | 'real'>>;
  /** Events that the world outside sends to child machines, by the child's source name or id. */
  readonly children?: Readonly<Record<string, EventSamples>>;
  /** Delays by name, in milliseconds, in place of the machine's. */
  readonly delays?: Readonly<Record<string, number>>;
  /** Other implementations, as `machine.provide` takes them. */
  readonly provide?: Readonly<Record<string, unknown>>;
  /** What tells two states apart, in place of the whole context: `(snapshot) => snapshot.context.items.length`. */
  readonly distinguish?: (snapshot: AnyMachineSnapshot) => unknown;
  /** Steps that are not taken from a state, as `filterEvents` of xstate/graph. */
  readonly filter?: (snapshot: AnyMachineSnapshot, step: MachineStep) => boolean;
  /** Whether paths end here: `toState` of xstate/graph. Without it there is a path to every state. */
  readonly toState?: (snapshot: AnyMachineSnapshot) => boolean;
  readonly limits?: Limits;
  /** All pairs of transitions that can follow each other, too (false). */
  readonly pairs?: boolean;
  /**
   * `path`: `describeMachine` registers one test for each path, which the runner filters, retries and runs in parallel. The states are then
   * searched when tests are collected. By default there is one test for each kind of paths.
   */
  readonly each?: 'path';
  readonly seed?: number;
  /** Whether the machine's own actions are performed while its states are searched; on live paths they always are (false). */
  readonly performActions?: boolean;
  /** A system under test, made anew for every path. */
  readonly sut?: () => Sut | Promise<Sut>;
  readonly cleanup?: (sut: Sut) => unknown;
  /** What is done to the system under test for a step, by event type or by what `describeStep` calls it. */
  readonly exec?: StepTests<Sut>;
  /** What must hold in a state, by its name; `*` stands for any. `meta.test` of a state does the same. False or a throw is a failure. */
  readonly states?: StateTests<Sut>;
  /** What must hold in every state, by name; false or a throw is a failure. */
  readonly invariants?: Readonly<Record<string, (snapshot: AnyMachineSnapshot) => boolean | void>>;
  readonly temporal?: Readonly<Record<string, Temporal>>;
  /** Something simpler that is to do the same. */
  readonly reference?: Reference;
  /** Whether the machine is stored and restored at every place of the tours, its timers armed again with what they had left (false). */
  readonly restore?: boolean;
  /**
   * How much of a kind has to be covered, in percent; where nothing is said, all of it, and of `configuration` nothing: many a combination of
   * parallel regions cannot be.
   */
  readonly thresholds?: Readonly<Partial<Record<MachineKind | 'configuration', number>>>;
  /** Why something cannot be covered, by its name in the report; and why a mutant that survives is no mistake. */
  readonly reasons?: Readonly<Record<string, string>>;
}

/** In place of a value that JSON cannot hold: its place among the samples, and how it looks. */
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
    | ({ readonly event: Message; readonly to?: string } & Sampled)
    | { readonly start: number; readonly description?: string }
    | { readonly timer: string }
    | ({ readonly done: string; readonly output?: unknown } & Sampled)
    | ({ readonly fails: string; readonly error?: unknown } & Sampled)
    | ({ readonly sends: string; readonly event: Message } & Sampled)
    | ({ readonly next: string; readonly value?: unknown } & Sampled)
    | { readonly completes: string }
    | { readonly settles: string }
  );
