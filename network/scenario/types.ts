/**
 * A parsed scenario: checked, with its defaults, its topology, and its options read by the protocol. The caller keeps the JSON.
 */
import type { NetworkGraph, Protocol } from '../../machines/protocol.js';
import type { LatencySpec } from '../latency.js';
import type { Contact } from '../topology/contacts.js';
import type { Workload } from '../world/environment.js';
import type { Happening } from '../world/script.js';

/**
 * A scenario, checked and completed: the result of `parseScenario`.
 *
 * @public
 */
export interface Scenario<O = unknown> {
  readonly protocol: Protocol<O>;
  /** Options, checked and completed by the protocol. */
  readonly options: O;
  readonly graph: NetworkGraph;
  /** Contacts with their times, for a topology that changes over time. */
  readonly contacts: readonly Contact[];
  readonly network: ScenarioNetwork;
  /** Events in the order of the file. The position in this list identifies an event in traces. */
  readonly events: readonly ScenarioEvent[];
  readonly workload?: Workload;
  readonly seed: number;
  readonly until: Until;
}

export interface ScenarioNetwork {
  readonly latency: LatencySpec;
  readonly order: 'fifo' | 'unordered';
  /** Probability, 0 to 1, drawn for each message. */
  readonly loss: number;
  readonly duplicate: number;
  readonly reorder: number;
}

/**
 * An event with its timestamp.
 *
 * @public
 */
export type ScenarioEvent = { readonly at: number } & Happening;

export type Until = { readonly idle: true } | { readonly at: number };
