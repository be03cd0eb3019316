/**
 * Scenarios of runs, as plain data: the processes, their start times, their clock errors, and the faults.
 *
 * fast-check draws a shape and shrinks a failing one; a scenario is derived from a shape. A shape identifies processes by numbers that wrap
 * around, so that all faults stay valid with fewer peers. Each run has only a few kinds of faults (swarm testing), because kinds that are
 * always present hide what happens without them.
 */
import type FastCheck from 'fast-check';

/**
 * Kinds of faults. All of them heal after a while.
 *
 * - Process: `kill`, `power` (its machine loses power), `stop` (SIGTERM), `pause`; then it restarts or continues.
 * - All processes: `roll` (all peers restart one after the other), `cold` (all machines lose power at once).
 * - Network: `cut` (unreachable in both directions), `mute` (sends do not arrive), `deaf` (receives nothing), `part` (two processes do not
 *   reach each other), `oneway` (one direction only), `split` (two groups), `reset` (its connections are reset).
 * - Other: `slow` (its network and disk), `jump` (its clock is set), `drift` (its clock is too fast or too slow), `full` (its disk).
 *
 * @experimental
 */
export const FAULTS = [
  'kill',
  'power',
  'stop',
  'roll',
  'cold',
  'pause',
  'cut',
  'mute',
  'deaf',
  'part',
  'oneway',
  'split',
  'slow',
  'reset',
  'jump',
  'drift',
  'full',
] as const;
export type FaultKind = (typeof FAULTS)[number];

/**
 * Limits of Quiver's adapters in a run: those in production (`shipped`), or `small` ones that a run reaches, such as eight numbers for each
 * epoch and eight messages in flight to a peer.
 *
 * @experimental
 */
export const LIMIT_SETTINGS = ['shipped', 'small'] as const;
export type LimitSetting = (typeof LIMIT_SETTINGS)[number];

/**
 * A fault with its time, its duration, and the process concerned.
 *
 * @experimental
 */
export interface RehearsalFault {
  readonly what: FaultKind;
  /** Milliseconds from the start of the run. */
  readonly atMs: number;
  readonly lastsMs: number;
  readonly who: string;
  /** For `part` and `oneway`: the process that is not reached. For `split`: a process of the other group. */
  readonly other: string;
  /**
   * For `slow`: the factor of all durations. For `jump`: the milliseconds by which the clock is set forward or back. For `drift`: the
   * milliseconds that the clock gains or loses for each second. For `split`: the group of each process, one bit each.
   */
  readonly size: number;
}

/** Minimum and maximum latency in milliseconds; each message draws its own. */
export type LatencyRange = readonly [min: number, max: number];

/** The network latency between two processes, equal in both directions. */
export interface Distance {
  readonly between: readonly [one: string, other: string];
  readonly latencyMs: LatencyRange;
}

export interface RehearsalScenario {
  readonly seed: number;
  readonly seconds: number;
  readonly peers: readonly string[];
  readonly services: readonly string[];
  /** Processes that come and go, and that no other process depends on. */
  readonly clients: readonly string[];
  readonly startsMs: readonly number[];
  readonly skewsMs: readonly number[];
  readonly latencyMs: LatencyRange;
  /** Pairs of processes with their own latency during the whole run; `latencyMs` applies to all others. */
  readonly distances: readonly Distance[];
  readonly faults: readonly RehearsalFault[];
  readonly knobs: Readonly<Record<string, unknown>>;
  readonly limits: LimitSetting;
}

/** The common part of all scenarios of a rehearsal. */
export interface RehearsalFrame {
  readonly peers: readonly number[];
  readonly services: readonly string[];
  readonly clients: readonly string[];
  readonly seconds: number;
  readonly faults: readonly FaultKind[];
  readonly knobs: Readonly<Record<string, readonly unknown[]>>;
  readonly limits: readonly LimitSetting[];
}

export interface RehearsalShape {
  readonly peers: number;
  readonly spreadMs: number;
  readonly starts: readonly number[];
  readonly skews: readonly number[];
  readonly latency: number;
  readonly kinds: readonly FaultKind[];
  readonly faults: readonly { what: number; at: number; lasts: number; who: number; other: number; size: number }[];
  readonly knobs: readonly number[];
  readonly limits: number;
  readonly seed: number;
  /** In half of the runs each pair has its own latency. */
  readonly isUneven: number;
  readonly distances: readonly number[];
  /** In one of three runs a peer starts for the first time long after the others. */
  readonly isLate: number;
  readonly late: { readonly who: number; readonly at: number };
  /** In one of four runs nothing fails, because faults disturb all processes for a while and hide what happens without them. */
  readonly isCalm: number;
}

const LATENCIES_MS = [
  [0.2, 3],
  [1, 30],
  [5, 150],
] as const;
const SPREADS_MS = [0, 100, 3_000];
export const PEERS_MAX = 15;
/** A day of virtual time; all its events are kept for judges. */
export const SECONDS_MAX = 86_400;
const SKEW_MS_MAX = 600_000;
/** Maximum numbers of faults. Many faults hide the effect of a single one. */
const COUNTS_MAX = [2, 5, 10];
/** Three peers and a hub have six pairs, five and a hub have fifteen. With more pairs, some have equal distances. */
const DISTANCES_MAX = 15;

/** All faults have healed after this part of the run. */
const FAULTY = 0.4;

/** @internal */
export function shapesOf(fc: typeof FastCheck, frame: RehearsalFrame): FastCheck.Arbitrary<RehearsalShape> {
  // Integers are drawn instead of floats, because fast-check would mostly draw tiny fractions.
  const part = fc.nat(1_000).map((n) => n / 1_000);
  const skew = fc.integer({ min: -1_000, max: 1_000 }).map((n) => n / 1_000);
  const any = fc.nat(30);
  return fc.record({
    peers: fc.nat(frame.peers.length - 1),
    spreadMs: fc.nat(SPREADS_MS.length - 1),
    starts: fc.array(part, { minLength: PEERS_MAX, maxLength: PEERS_MAX }),
    skews: fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: skew }), {
      minLength: PEERS_MAX,
      maxLength: PEERS_MAX,
    }),
    latency: fc.nat(LATENCIES_MS.length - 1),
    kinds: fc.subarray([...frame.faults]),
    faults: fc.oneof(
      ...COUNTS_MAX.map((maxLength) =>
        fc.array(fc.record({ what: any, at: part, lasts: part, who: any, other: any, size: part }), { maxLength, size: 'max' }),
      ),
    ),
    knobs: fc.array(any, { minLength: 12, maxLength: 12 }),
    limits: fc.nat(frame.limits.length - 1),
    seed: fc.nat(2 ** 31),
    // Newer fields come last, so that the meaning of a seed for the older ones does not change.
    isUneven: fc.nat(1),
    distances: fc.array(fc.nat(LATENCIES_MS.length - 1), { minLength: DISTANCES_MAX, maxLength: DISTANCES_MAX }),
    isLate: fc.nat(2),
    late: fc.record({ who: any, at: part }),
    isCalm: fc.nat(3),
  });
}

/** A value between the two, on a logarithmic scale. */
const spread = (min: number, max: number, part: number): number => Math.round(min * (max / min) ** part);

const DRIFT_PER_MILLE_MAX = 100;

function sizeOf(kind: FaultKind, size: number): number {
  if (kind === 'jump') return Math.round((size - 0.5) * 2 * SKEW_MS_MAX);
  if (kind === 'drift') return Math.round((size - 0.5) * 2 * DRIFT_PER_MILLE_MAX);
  return kind === 'split' ? Math.floor(size * 2 ** 16) : spread(2, 100, size);
}

function startsOf({ starts, spreadMs, isLate, late }: RehearsalShape, peers: readonly string[], overMs: number): number[] {
  const lateOne = isLate === 2 ? late.who % peers.length : -1;
  return peers.map((_, i) => Math.round(i === lateOne ? ((1 + late.at) / 2) * overMs : starts[i]! * SPREADS_MS[spreadMs]!));
}

function distancesOf({ isUneven, distances }: RehearsalShape, all: readonly string[]): Distance[] {
  if (isUneven !== 1) return [];
  const pairs = all.flatMap((one, i) => all.slice(i + 1).map((other) => [one, other] as const));
  return pairs.map((between, i) => ({ between, latencyMs: LATENCIES_MS[distances[i % DISTANCES_MAX]!]! }));
}

export function scenarioOfShape(shape: RehearsalShape, frame: RehearsalFrame): RehearsalScenario {
  const peers = Array.from({ length: frame.peers[shape.peers]! }, (_, i) => `p${i}`);
  const all = [...peers, ...frame.services, ...frame.clients];
  const overMs = frame.seconds * 1_000 * FAULTY;
  const clientsStart = frame.clients.map((_, i) => Math.round(shape.starts[PEERS_MAX - 1 - (i % PEERS_MAX)]! * overMs));
  const faults = shape.kinds.length === 0 || shape.isCalm === 3 ? [] : shape.faults;
  return {
    seed: shape.seed,
    seconds: frame.seconds,
    peers,
    services: frame.services,
    clients: frame.clients,
    startsMs: [...startsOf(shape, peers, overMs), ...clientsStart],
    skewsMs: [...peers, ...frame.clients].map((_, i) => Math.round(shape.skews[i % PEERS_MAX]! * SKEW_MS_MAX)),
    latencyMs: LATENCIES_MS[shape.latency]!,
    distances: distancesOf(shape, all),
    faults: faults
      .map(({ what, at, lasts, who, other, size }): RehearsalFault => {
        const atMs = Math.round(at * overMs * 0.95);
        const kind = shape.kinds[what % shape.kinds.length]!;
        const struck = kind === 'part' || kind === 'oneway' ? peers : all;
        const place = who % struck.length;
        return {
          what: kind,
          atMs,
          lastsMs: Math.round(Math.min(spread(20, overMs, Math.sqrt(lasts)), overMs - atMs)),
          who: struck[place]!,
          other: all[(place + 1 + (other % (all.length - 1))) % all.length]!,
          size: sizeOf(kind, size),
        };
      })
      .sort((a, b) => a.atMs - b.atMs),
    limits: frame.limits[shape.limits]!,
    knobs: Object.fromEntries(
      Object.entries(frame.knobs).map(([name, values], i) => [name, values[shape.knobs[i % 12]! % values.length]]),
    ),
  };
}
