/**
 * A parsed scenario: checked, with its defaults, its topology, and its options read by the protocol. The caller keeps the JSON.
 */
import type { NetworkGraph, Protocol } from '../../machines/protocol.js';
import type { LatencySpec } from '../latency.js';
import type { Contact } from '../topology/contacts.js';
import type { Workload } from '../world/environment.js';
import type { Happening } from '../world/script.js';

/**
 * A scenario, checked and completed, as `parseScenario` gives it.
 *
 * @public
 */
export interface Scenario<O = any> {
  readonly protocol: Protocol<O>;
  /** As the protocol checked and completed them. */
  readonly options: O;
  readonly graph: NetworkGraph;
  /** For a topology that changes with time: who meets whom, and when. */
  readonly contacts: readonly Contact[];
  readonly network: ScenarioNetwork;
  /** In the order of the file; the place in this list is an event's name in traces. */
  readonly events: readonly ScenarioEvent[];
  readonly workload?: Workload;
  readonly seed: number;
  readonly until: Until;
}

export interface ScenarioNetwork {
  readonly latency: LatencySpec;
  readonly order: 'fifo' | 'unordered';
  /** Chances, 0 to 1, drawn for each message. */
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
