/**
 * Records a simulation at its own speed: the first steps completely, then for as long as recording stays within its share of time. Later
 * steps are skipped. The trace then contains a gap, followed by the present state.
 */
import { Recorder, traceHeader } from '../../network/recorder.js';
import type { Simulation } from '../../network/simulation.js';
import { LiveTrace } from './live-trace.js';

/** Reading the clock has a cost, too. */
const STEPS_BETWEEN_CHECKS = 64;
/** The number of first steps that are always recorded: a short run is complete even on a slow machine. */
const STEPS_WHOLE = 100;
/** Milliseconds. A run that becomes quiescent within a gap is shown in its final state after this time. */
const REST_MS = 250;

/** The share of recording time. Writing and forgetting the records costs about twice as much in addition. */
const SHARE = 1 / 24;
/** The most time that can be saved up, in milliseconds. */
const SAVED_MAX_MS = 25;
/** The time that is needed to open a new window, in milliseconds. */
const WINDOW_MS = 10;

/**
 * The share of time that recording may take from the observed program. Time that it spent is earned back as time passes.
 *
 * A burst after a quiet time is recorded completely. A program that is faster than recording for longer is recorded in windows. A window
 * ends when the allowance is spent, and the next opens when the allowance suffices for a useful one.
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

  /** True if recording has to stop. */
  get isSpent(): boolean {
    return this.saved <= 0 && this.earn() <= 0;
  }

  /** True if recording can start again. */
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
  /** Runs during a gap. */
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
    else if (++this.skipped % STEPS_BETWEEN_CHECKS === 0 && this.allowance.isEnough) this.resume();
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
