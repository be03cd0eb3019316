/**
 * The parts of a swarm scenario, as fast-check draws and shrinks them: a connected graph, requests, and faults that heal.
 *
 * Nodes and links are numbers that wrap around, so that a smaller graph still has all of them. Everything shrinks toward two nodes without
 * requests and faults, and time 0.
 */
import fc from 'fast-check';
import type { Protocol, SystemSample } from '../../machines/protocol.js';

export interface Ask {
  readonly at: number;
  readonly node: number;
  readonly command: number;
  readonly peer: number;
  /** True if fields that may be left out are given. */
  readonly inFull: boolean;
}

/** A fault that ends after a while. `what` is its position in the list of faults that the protocol promises to survive. */
export interface Hardship {
  readonly at: number;
  readonly lasts: number;
  readonly what: number;
  readonly node: number;
  readonly link: number;
}

export interface ScenarioShape {
  /** A place among the protocol's systems, whose options it takes. */
  readonly base: number;
  /** True if the graph is that of the system. */
  readonly asGiven: boolean;
  /** For each node but the first, an earlier one that it is linked to. */
  readonly toward: readonly number[];
  readonly closed: boolean;
  readonly chords: readonly (readonly [number, number])[];
  readonly asks: readonly Ask[];
  readonly hardships: readonly Hardship[];
  readonly latencyMax: number;
  readonly isLossy: boolean;
  readonly seed: number;
  /** Which of the departures that the scenario gives occasion to is tried as well. */
  readonly departure: number | null;
}

const NODES_MAX = 6;
const SPAN = 60;
const time = fc.nat(SPAN);
const any = fc.nat(11);

export const scenarioShapes = (systems: readonly SystemSample[]): fc.Arbitrary<ScenarioShape> =>
  fc.record({
    base: fc.nat(Math.max(0, systems.length - 1)),
    asGiven: fc.boolean(),
    toward: fc.array(any, { minLength: 1, maxLength: NODES_MAX - 1 }),
    closed: fc.boolean(),
    chords: fc.array(fc.tuple(any, any), { maxLength: 3 }),
    asks: fc.array(fc.record({ at: time, node: any, command: any, peer: any, inFull: fc.boolean() }), { maxLength: 10 }),
    hardships: fc.array(fc.record({ at: time, lasts: fc.nat(SPAN), what: any, node: any, link: any }), { maxLength: 4 }),
    latencyMax: fc.integer({ min: 1, max: 9 }),
    isLossy: fc.boolean(),
    seed: fc.integer({ min: 1, max: 1000 }),
    departure: fc.option(fc.nat(11)),
  });

/** The systems in which the protocol has to keep its properties. */
export const soundSystems = ({ systems = [] }: Protocol): readonly SystemSample[] =>
  systems.filter(({ violates }) => violates === undefined);
