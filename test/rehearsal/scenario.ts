/**
 * What a run is made of, as plain data: who takes part, when each starts, how far its clock is off, and what fails when.
 *
 * fast-check draws a shape and makes a failing one smaller; a scenario is what a shape means. Processes are told by numbers that wrap
 * around, so that fewer peers still have all faults. Each run has a few kinds of faults and not the others (swarm testing): kinds that
 * are always there hide what happens without them.
 */
import type FastCheck from 'fast-check';

/**
 * What can fail; each heals after a while. A process is killed, its machine loses power, or it is asked to end (`stop`), and starts again; all peers
 * do so in turn (`roll`), or all processes lose power at once (`cold`); it is paused; nobody reaches it and it reaches nobody (`cut`), nobody
 * hears it (`mute`), it hears nobody (`deaf`), it and one other do not reach each other (`part`), one does not reach the other
 * (`oneway`), or all are in two groups that do not reach each other (`split`); its ways and its disk are slow; its connections are
 * reset; its clock is set (`jump`), or runs too fast or too slowly (`drift`); its disk is full.
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
 * Which limits of this package a run has: those that ship, or small ones, so that their ends are reached: eight numbers to an epoch, eight
 * messages under way to a peer.
 *
 * @experimental
 */
export const LIMIT_SETTINGS = ['shipped', 'small'] as const;
export type LimitSetting = (typeof LIMIT_SETTINGS)[number];

/**
 * One thing that fails, from when and for how long, and whom it concerns.
 *
 * @experimental
 */
export interface RehearsalFault {
  readonly what: FaultKind;
  /** Milliseconds from the start of the run. */
  readonly atMs: number;
  readonly lastsMs: number;
  readonly who: string;
  /** For `part` and `oneway`: whom it does not reach any more; for `split`: one of the other group. */
  readonly other: string;
  /**
   * For `slow`: how many times as long everything takes; for `jump`: how many milliseconds its clock is set forward, or back; for `drift`: how
   * many of a thousand milliseconds it gains, or loses; for `split`: the group of each process, a bit each.
   */
  readonly size: number;
}

/** How long a way takes at least and at most, in milliseconds; each message draws its own time. */
export type LatencyRange = readonly [min: number, max: number];

/** How far two processes are from each other, in both directions. */
export interface Distance {
  readonly between: readonly [one: string, other: string];
  readonly latencyMs: LatencyRange;
}

export interface RehearsalScenario {
  readonly seed: number;
  readonly seconds: number;
  readonly peers: readonly string[];
  readonly services: readonly string[];
  /** Processes that come and go, and on which nobody depends. */
  readonly clients: readonly string[];
  readonly startsMs: readonly number[];
  readonly skewsMs: readonly number[];
  readonly latencyMs: LatencyRange;
  /** Pairs of processes with their own latency for the whole run, whatever fails; `latencyMs` for all others. */
  readonly distances: readonly Distance[];
  readonly faults: readonly RehearsalFault[];
  readonly knobs: Readonly<Record<string, unknown>>;
  readonly limits: LimitSetting;
}

/** What all scenarios of a rehearsal have in common. */
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
  /** In one of three runs a peer starts for the first time when the others have long been there. */
  readonly isLate: number;
  readonly late: { readonly who: number; readonly at: number };
  /** In one of four runs nothing fails: what fails disturbs everybody for a long while, and hides what happens without. */
  readonly isCalm: number;
}

const LATENCIES_MS = [
  [0.2, 3],
  [1, 30],
  [5, 150],
] as const;
const SPREADS_MS = [0, 100, 3_000];
export const PEERS_MAX = 15;
/** A day of virtual time, in which all that happens is kept for judges. */
export const SECONDS_MAX = 86_400;
const SKEW_MS_MAX = 600_000;
/** Many hide what one does alone. */
const COUNTS_MAX = [2, 5, 10];
/** Of three peers and a hub there are six pairs, of five and a hub fifteen; of more some are alike. */
const DISTANCES_MAX = 15;

/** All faults are over after this part of the run. */
const FAULTY = 0.4;

export function shapesOf(fc: typeof FastCheck, frame: RehearsalFrame): FastCheck.Arbitrary<RehearsalShape> {
  // Of fractions fast-check would draw mostly tiny ones: it takes all floats alike.
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
    // What was added last is drawn last, so that a seed goes on meaning the rest.
    isUneven: fc.nat(1),
    distances: fc.array(fc.nat(LATENCIES_MS.length - 1), { minLength: DISTANCES_MAX, maxLength: DISTANCES_MAX }),
    isLate: fc.nat(2),
    late: fc.record({ who: any, at: part }),
    isCalm: fc.nat(3),
  });
}

/** Between the two, by orders of magnitude. */
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
