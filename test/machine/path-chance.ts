/**
 * Controls randomness and time while a machine and its tests run, so that a step from a state has the same result on every path.
 *
 * The random numbers of a step follow from the seed, the step and the state before it. An id is the first of the seed's ids that the state
 * does not contain, so that adding and removing lead back to known states. Time does not pass between steps, but a reading that the state
 * keeps is not returned twice. Time passes when timers fire. A step with `chance` draws other numbers, or happens later.
 */
import { BEGAN, steerChance, uuidOf, type Chance, type NodeCrypto } from '../chance.js';
import { Random } from '../../network/random.js';
import type { Undo } from '../put.js';
import { encode } from './encode.js';
import type { MachineStep } from './options.js';
import { nameOfStep } from './steps.js';
import type { Timers } from './timers.js';

/** The number of alternative values of chance that a step tries, and how much later it happens with each, in milliseconds. */
export const OTHERS_MAX = 10;
const HOUR_MS = 3_600_000;
/** The clock starts on a Thursday at 00:00: these include office hours, a Sunday at noon, a Saturday and another month. */
const LATER_MS = [1000, 10_000, 60_000, 600_000, ...[1, 10, 84, 230, 1200, 8760].map((hours) => hours * HOUR_MS)];
/** The number of equal parts of the range from 0 to 1. A `chance` from 1 to 8 selects the part that random numbers come from. */
export const PARTS = 8;
const END = 1e-3;

function partOf(unit: number, other: number): number {
  if (other === 0) return unit;
  if (other <= PARTS) return (other - 1 + unit) / PARTS;
  return other === OTHERS_MAX ? 1 - END * (1 - unit / 2) : END * unit;
}

/** The initial result of `performance.now`: a number that a context is unlikely to contain. */
const UP_MS = 987_654_321;

/** How many values are tried for one that the state does not contain. */
const TRIES = 50;

/**
 * The values that the clock has returned on a path, each with the time that had really passed. Values are made distinct by added
 * milliseconds.
 */
export type Readings = ReadonlyMap<number, number>;

export class PathChance {
  /** True if the step has drawn a number or read the clock. */
  hasDrawn = false;
  hasReadClock = false;
  /** True if the clock was ever read on this path. */
  isClocked = false;
  readings = new Map<number, number>();
  private label = '';
  private other = 0;
  private standing: string | null = null;
  private streams = new Map<string, Stream>();
  private isPerforming = false;

  /**
   * @param timers The clock for the timers of the path.
   * @param keyOf Returns the identity of the present state.
   */
  constructor(
    private readonly seed: number,
    private readonly timers: () => Timers,
    private readonly keyOf: () => string,
  ) {}

  /** Steers chance and time while the first or the next step is taken. */
  step<T>(step: MachineStep | null, work: () => T): T {
    this.hasDrawn = this.hasReadClock = false;
    this.other = step?.chance ?? 0;
    if (step && this.readings.size > 0) this.tick();
    const timers = this.timers();
    if (this.other > 0 && timers.running.length === 0) timers.pass(LATER_MS[this.other - 1] ?? 0);
    return this.during(step ? nameOfStep(step) : 'start', work);
  }

  /** Controls chance and time while samples or properties are evaluated. */
  during<T>(label: string, work: () => T): T {
    const before = { label: this.label, standing: this.standing, streams: this.streams, isPerforming: this.isPerforming };
    Object.assign(this, { label, standing: null, streams: new Map(), isPerforming: false });
    try {
      return steered(this, work);
    } finally {
      Object.assign(this, before);
    }
  }

  /** Actions draw apart from the chart: while states are searched they are not performed. */
  performing<T>(work: () => T): T {
    this.isPerforming = true;
    try {
      return work();
    } finally {
      this.isPerforming = false;
    }
  }

  /** Allows a guard to be evaluated again with the same numbers. */
  mark(): void {
    for (const stream of this.streams.values()) stream.mark();
  }

  rewind(): void {
    for (const stream of this.streams.values()) stream.rewind();
  }

  now(): number {
    return this.read(BEGAN + Math.floor(this.timers().now));
  }

  sinceStart(): number {
    return this.read(UP_MS + Math.floor(this.timers().now));
  }

  unit(): number {
    this.hasDrawn ||= !this.isPerforming;
    const { other } = this;
    return this.stream('unit').next((random) => this.firstNew(() => partOf(random.unit(), other), isNumberIn));
  }

  fill(bytes: Uint8Array): void {
    this.hasDrawn ||= !this.isPerforming;
    const stream = this.stream(`bytes ${this.state}`);
    for (let i = 0; i < bytes.length; i++) bytes[i] = stream.next((random) => random.below(256));
  }

  uuid(): string {
    const fill = (random: Random) => (bytes: Uint8Array) => {
      for (const i of bytes.keys()) bytes[i] = random.below(256);
    };
    return this.stream('uuid').next((random) =>
      this.firstNew(
        () => uuidOf({ fill: fill(random) }),
        (uuid, text) => text.includes(uuid),
      ),
    );
  }

  /** Goes on from the readings of another path; `null` where the clock was not read there. */
  goOnFrom(readings: Readings | null): void {
    this.isClocked = readings !== null;
    this.readings = new Map(readings);
  }

  /** The readings to go on from. */
  get left(): Readings | null {
    return this.isClocked ? new Map(this.readings) : null;
  }

  /** A text of the state without the moment at which it was written. */
  timeless(text: string): string {
    return this.isClocked ? withoutClock(text, this.readings, this.timers()) : text;
  }

  /** A value, or its text if it contains a moment. */
  timelessValue(value: unknown): unknown {
    if (!this.isClocked) return value;
    const text = encode(value, () => undefined);
    return this.timeless(text) === text ? value : this.timeless(text);
  }

  private firstNew<T>(draw: () => T, isIn: (value: T, text: string) => boolean): T {
    let value = draw();
    for (let i = 0; i < TRIES && isIn(value, this.state); i++) value = draw();
    return value;
  }

  /** The state before the step. */
  private get state(): string {
    return (this.standing ??= this.label === 'start' ? '' : this.timeless(this.keyOf()));
  }

  private stream(kind: string): Stream {
    const of = `${this.isPerforming ? 'actions' : 'chart'} ${kind}`;
    let stream = this.streams.get(of);
    if (!stream) this.streams.set(of, (stream = new Stream(new Random(this.seed, `${of} ${this.label} ${this.other}`))));
    return stream;
  }

  private read(reading: number): number {
    if (this.isPerforming) return reading;
    this.hasReadClock = this.isClocked = true;
    this.readings.set(reading, this.timers().passed);
    return reading;
  }

  /** Forgets readings that the state does not keep. The next reading differs from those that it keeps. */
  private tick(): void {
    const text = this.keyOf();
    for (const [reading] of this.readings) if (!keeps(text, reading)) this.readings.delete(reading);
    const timers = this.timers();
    for (const [reading] of this.readings) timers.now = Math.max(timers.now, reading - (reading >= BEGAN ? BEGAN : UP_MS) + 1);
  }
}

const keeps = (text: string, reading: number): boolean =>
  text.includes(String(reading)) || (reading >= BEGAN && text.includes(new Date(reading).toISOString()));

/** Texts of the same number: decimal, hexadecimal and in base 36, of which applications take a part. */
function isNumberIn(value: number, text: string): boolean {
  const isCut = [10, 16, 36].some((radix) => {
    const digits = value.toString(radix).slice(2);
    for (let at = 0; at + PART <= digits.length; at++) if (text.includes(digits.slice(at, at + PART))) return true;
    return false;
  });
  return isCut || [100, 1000, 10_000].some((bound) => new RegExp(String.raw`\b${Math.floor(value * bound)}\b`).test(text));
}
const PART = 5;

/** Drawn values, which a guard that is evaluated again draws again. */
class Stream {
  private readonly values: unknown[] = [];
  private at = 0;
  private marked = 0;

  constructor(private readonly random: Random) {}

  next<T>(draw: (random: Random) => T): T {
    if (this.at === this.values.length) this.values.push(draw(this.random));
    return this.values[this.at++] as T;
  }

  mark(): void {
    this.marked = this.at;
  }

  rewind(): void {
    this.at = this.marked;
  }
}

// The globals are replaced while at least one path exists. They are controlled only during a synchronous step of a path.

let current: PathChance | null = null;
let holders = 0;
let undo: Undo[] = [];

/** The controlled values of the path that runs now, or `null` if none runs. */
export const pathChance = (): PathChance | null => current;

const ofCurrent: Chance = {
  isSteered: () => current !== null,
  now: () => current!.now(),
  sinceStart: () => current!.sinceStart(),
  unit: () => current!.unit(),
  fill: (bytes) => current!.fill(bytes),
  uuid: () => current!.uuid(),
};

function steered<T>(path: PathChance, work: () => T): T {
  const before = current;
  const release = hold();
  current = path;
  try {
    return work();
  } finally {
    current = before;
    release();
  }
}

/** Keeps the globals replaced during this work: replacing them for each step takes time. */
export async function holdingChance<T>(work: () => Promise<T>): Promise<T> {
  const release = hold();
  try {
    return await work();
  } finally {
    release();
  }
}

function hold(): () => void {
  if (holders++ === 0) {
    undo = steerChance(ofCurrent, nodeModule<NodeCrypto>('node:crypto'));
    syncExports();
  }
  return () => {
    if (--holders > 0) return;
    for (const back of undo.toReversed()) back();
    syncExports();
  };
}

/** A built-in module of Node; undefined in a browser. */
const nodeModule = <T>(name: string): T | undefined =>
  (globalThis as { process?: { getBuiltinModule?: (name: string) => T } }).process?.getBuiltinModule?.(name);

/** `import { randomUUID } from 'node:crypto'` follows what the module has now. */
const syncExports = (): void => nodeModule<{ syncBuiltinESMExports(): void }>('node:module')?.syncBuiltinESMExports();

/** A text without what differs only in the moment at which it was written: moments of the clock as how long ago they were. */
function withoutClock(text: string, readings: Readings, { now, passed }: Pick<Timers, 'now' | 'passed'>): string {
  const ranks = new Map<number, number>();
  let result = text;
  for (const [reading, at] of [...readings].toSorted(([a], [b]) => a - b)) {
    if (!keeps(text, reading)) continue;
    const rank = (ranks.get(at) ?? 0) + 1;
    ranks.set(at, rank);
    const name = `${passed - at} ms ago${rank === 1 ? '' : ` #${rank}`}`;
    result = result.replaceAll(String(reading), name);
    if (reading >= BEGAN) result = result.replaceAll(new Date(reading).toISOString(), name);
  }
  // Moments that were computed from readings.
  const named = (one: string, moment: number) =>
    moment >= BEGAN && moment < BEGAN + YEARS_MS ? `${moment - BEGAN - Math.floor(now)} ms from now` : one;
  return result
    .replaceAll(/(?<!\d)\d{13}(?!\d)/g, (one) => named(one, Number(one)))
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (one) => named(one, Date.parse(one)));
}
const YEARS_MS = 1e11;
