/**
 * A simulation that runs at its own speed: its first steps are recorded, and then for as long as that takes no more than its share of time.
 * What comes while nothing is left of it is skipped; the trace says so, and then how everything stands.
 */
import { Recorder, traceHeader } from '../../network/recorder.js';
import type { Simulation } from '../../network/simulation.js';
import { LiveTrace } from './live-trace.js';

/** Looking at the clock costs something, too. */
const STEPS_BETWEEN_LOOKS = 64;
/** So many steps of a run are recorded whatever they cost: a short run is there whole, on a slow machine as well. */
const STEPS_WHOLE = 100;
/** A run that comes to rest in a gap is shown as it stands then. */
const REST_MS = 250;

/** Of the time that passes. What is recorded is written and forgotten, too, which costs about twice as much again. */
const SHARE = 1 / 24;
/** So much may be spent at once. */
const SAVED_MAX_MS = 25;
/** So much is earned before a new window. */
const WINDOW_MS = 10;

/**
 * The share of time that watching may take from what is watched, whatever comes: what it has spent is earned again as time passes.
 *
 * A burst after a quiet time is recorded whole. A program that goes faster than it can be recorded for longer is recorded in windows:
 * each ends when nothing is left, and the next begins when enough has been earned for it to be worth while.
 */
export class Allowance {
  private saved = SAVED_MAX_MS;
  private counted: number;

  constructor(readonly now: () => number = () => performance.now()) {
    this.counted = now();
  }

  spend(milliseconds: number): void {
    this.saved -= milliseconds;
  }

  /** Whether it is time to stop, while recording. */
  get isSpent(): boolean {
    return this.saved <= 0 && this.earn() <= 0;
  }

  /** Whether it is time to begin again. */
  get isEnough(): boolean {
    return this.earn() >= WINDOW_MS;
  }

  private earn(): number {
    const now = this.now();
    this.saved = Math.min(this.saved + (now - this.counted) * SHARE, SAVED_MAX_MS);
    this.counted = now;
    return this.saved;
  }
}

export class Watch {
  readonly trace: LiveTrace;
  private readonly recorder: Recorder;
  private began = 0;
  private recorded = 0;
  private skipped = 0;
  /** Runs in a gap. */
  private resting: ReturnType<typeof setInterval> | null = null;
  private readonly before;
  private after;

  constructor(
    private readonly simulation: Simulation,
    private readonly allowance = new Allowance(),
  ) {
    const { network, scenario, monitor } = simulation;
    // A step passes `before`, the recorder and `after` in this order.
    this.before = network.steps$.subscribe(() => this.stepBegins());
    this.recorder = new Recorder(network, scenario.protocol, monitor);
    this.after = this.listen();
    const header = { ...traceHeader(scenario.protocol, null, scenario.seed, network), live: true as const };
    this.trace = new LiveTrace(header, () => this.recorder.standing());
    this.recorder.lines$.subscribe((line) => this.trace.add(line));
  }

  stop(): void {
    if (this.resting) this.resume();
    this.before.unsubscribe();
    this.after.unsubscribe();
    this.recorder.stop();
    this.trace.end();
  }

  private listen() {
    return this.simulation.network.steps$.subscribe(() => this.stepEnds());
  }

  private stepBegins(): void {
    if (!this.resting) this.began = this.allowance.now();
    else if (++this.skipped % STEPS_BETWEEN_LOOKS === 0 && this.allowance.isEnough) this.resume();
  }

  private stepEnds(): void {
    this.allowance.spend(this.allowance.now() - this.began);
    if (++this.recorded > STEPS_WHOLE && this.allowance.isSpent) this.pause();
  }

  private pause(): void {
    this.recorder.pause();
    this.after.unsubscribe();
    this.skipped = 0;
    this.resting = setInterval(() => this.allowance.isEnough && this.resume(), REST_MS);
  }

  private resume(): void {
    if (this.resting) clearInterval(this.resting);
    this.resting = null;
    const began = this.allowance.now();
    this.recorder.resume(`${this.skipped} steps, taken faster than they can be shown`);
    this.after = this.listen();
    this.allowance.spend(this.allowance.now() - began);
  }
}
