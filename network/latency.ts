/**
 * Latency of messages, in ticks.
 *
 * A constant, a uniform whole number between two bounds, the length of the path ("weight"), or exponential with a mean. Exponential
 * latencies are rounded to whole ticks, so that a last bit that differs between platforms (see random.ts) does not affect a run.
 */
import type { Link } from '../machines/protocol.js';
import type { Random } from './random.js';

export type LatencySpec = number | { readonly min: number; readonly max: number } | { readonly exponential: number } | 'weight';

/** Draws the ticks of a message on a path of length `cost`. The scenario has checked the specification. */
export type Latency = (random: Random, cost: number) => number;

export function createLatency(spec: LatencySpec): Latency {
  if (spec === 'weight') return (_, cost) => cost;
  if (typeof spec === 'number') return () => spec;
  if ('exponential' in spec) return (random) => Math.round(random.exponential(spec.exponential));
  const { min, max } = spec;
  return (random) => min + random.below(max - min + 1);
}

/** Maximum ticks of a message on a path of length `cost`; `Infinity` without a bound. */
export function longestLatency(spec: LatencySpec, cost: number): number {
  if (spec === 'weight') return cost;
  if (typeof spec === 'number') return spec;
  return 'max' in spec ? spec.max : Infinity;
}

/** Maximum ticks of a message over one link plus its answer. */
export const roundTripOf = (spec: LatencySpec, links: readonly Link[]): number =>
  2 * links.reduce((most, [, , weight]) => Math.max(most, longestLatency(spec, weight)), 0);
