/**
 * A world in one Node process: virtual time, and simulated processes that run production code.
 *
 * One rule makes it simple: **each macrotask of the world belongs to one process**. Every event (a timer, a frame, a start) runs with `current`
 * set to its process, and all microtasks are drained before the next one. Whatever code asks for the time, a timer or a random number is
 * therefore part of that process. Code needs nothing but the platform's globals for this (platform.ts).
 *
 * Node itself drains the microtasks between two immediates. Between two rounds of immediates no process is current, so that the real program,
 * for example a test runner, keeps the real time.
 */
import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import type { UsageError } from '../../machines/errors.js';
import { VirtualClock, type ClockEntry } from '../../network/clock.js';
import { Random } from '../../network/random.js';
import type { Distance, LatencyRange, RehearsalFault } from './scenario.js';
import { Wires } from './wires.js';

/**
 * Maximum number of requests of a turn to the world. With more, it is an infinite loop that never awaits a timer, or awaits only
 * promises.
 */
const ASKED_MAX = 200_000;
/** The real function, saved before a world replaces it. */
const realImmediate = globalThis.setImmediate;

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000;
/** Number of immediates in one round. */
const BATCH = 256;

/** A simulated process. It can be stopped and started again; each start begins a new life. */
export class Process {
  life = 0;
  state: 'down' | 'up' | 'paused' = 'down';
  /** Error of its clock in milliseconds, without drift. */
  skewMs = 0;
  private drift = { sinceMs: 0, perMille: 0 };
  /** Release of the program. */
  release = 1;
  /** True if it was asked to end. */
  isStopping = false;
  /** Number of faults that keep it down; it restarts when all of them have healed. */
  holds = 0;
  /** Number of faults that pause its current life. */
  pauses = 0;
  /** The active faults that make it slow and its clock drift, latest last. */
  readonly activeFaults = new Set<RehearsalFault>();
  /** The listeners of its current life to `process`: signals, uncaught errors, exit. */
  events = new EventEmitter();
  bootedAt = 0;
  /** Number of its pending turns: timers, and messages at the end of their path. */
  pending = 0;
  /**
   * The last expiry of each timer delay (0 for immediates). As in Node, timers with equal delays fire in the order of their
   * creation.
   */
  readonly lastRings = new Map<number, number>();
  /** Turns that came while it was paused. */
  held: RehearsalTurn[] = [];
  /** Callbacks for the end of its current life, of sockets and servers. */
  readonly ending = new Set<(isHostGone: boolean) => void>();
  /** Callbacks that reset its connections. */
  readonly resetting = new Set<() => void>();

  constructor(
    readonly id: string,
    readonly main: (process: Process) => unknown,
    readonly random: Random,
  ) {}

  /** From now on, the clock gains this many milliseconds every 1,000 milliseconds. */
  runAt(now: number, perMille: number): void {
    this.skewMs = this.aheadBy(now);
    this.drift = { sinceMs: now, perMille };
  }

  /** Difference between its clock and the true time in milliseconds. */
  aheadBy(now: number): number {
    const { sinceMs, perMille } = this.drift;
    return this.skewMs + ((now - sinceMs) * perMille) / 1_000;
  }
}

/** Signals that do not end a process in Node. */
const HARMLESS = new Set(['SIGCHLD', 'SIGCONT', 'SIGPIPE', 'SIGURG', 'SIGUSR1', 'SIGWINCH']);

/** Node's names for the origin of an uncaught error. */
export type ErrorOrigin = 'uncaughtException' | 'unhandledRejection';

/** One scheduled macrotask of a process, such as the callback of a timer. */
export interface RehearsalTurn {
  readonly process: Process | null;
  readonly life: number;
  readonly run: () => unknown;
  readonly what: string;
  isOff: boolean;
  entry: ClockEntry | undefined;
}

/** An event of a run, as judges receive it. */
export interface RehearsalEvent {
  readonly at: number;
  readonly type: string;
  readonly peer?: string;
  readonly lock?: string;
  readonly [key: string]: unknown;
}

export class VirtualWorld {
  readonly clock = new VirtualClock();
  readonly processes = new Map<string, Process>();
  readonly wires: Wires;
  /** Random numbers for timers and responses; every process has its own stream. */
  readonly chance: Random;
  readonly lines: string[] = [];
  current: Process | null = null;
  /** Number of turns so far. */
  turns = 0;
  isOver = false;
  /** Receives all events. */
  notify: (event: RehearsalEvent) => void = () => {};
  /** A mistake in the use of the rehearsal, not in the application. It invalidates the run. */
  misuse: UsageError | null = null;
  /** Called with the process of each turn, and with `null` between rounds. */
  turned: (process: Process | null) => void = () => {};
  private asked = 0;
  private readonly hash = createHash('sha256');
  /** Responses of the real platform that a process waits for. The world stands still until they have arrived. */
  private readonly outside = new Set<Promise<unknown>>();

  constructor(
    readonly seed: number,
    latencyMs: LatencyRange,
    distances: readonly Distance[],
    private readonly isKept = false,
  ) {
    this.chance = new Random(seed, 'chance');
    this.wires = new Wires((ms, what, run) => this.after(ms, null, what, run), new Random(seed, 'wires'), latencyMs, distances);
  }

  get now(): number {
    return this.clock.now();
  }

  log(text: string): void {
    const line = `${this.now.toFixed(3)} ${this.current?.id ?? '-'} ${text}`;
    this.hash.update(line);
    if (this.isKept) this.lines.push(line.length > 300 ? `${line.slice(0, 300)}…` : line);
  }

  /** The hash of the log. */
  digest(): string {
    return this.hash.copy().digest('hex');
  }

  /** Reports an event to judges and to the log. */
  report(type: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.log(`${type} ${JSON.stringify(fields)}`);
    this.notify({ at: this.now, type, ...fields });
  }

  /** Ends the run because the rehearsal itself is used incorrectly. The first such error is thrown by `rehearse`. */
  refuse(misuse: UsageError): UsageError {
    this.misuse ??= misuse;
    this.isOver = true;
    return misuse;
  }

  // Turns.

  /** Schedules `run` in a process after a delay in milliseconds, unless the process ends before. */
  after(ms: number, process: Process | null, what: string, run: () => unknown): RehearsalTurn {
    const turn: RehearsalTurn = { process, life: process?.life ?? 0, run, what, isOff: false, entry: undefined };
    turn.entry = this.clock.at(this.now + ms, 0, this.take, turn);
    if (process) process.pending++;
    return turn;
  }

  /** Schedules a timer of a process, which is slightly late; with a delay of 0 it is an immediate. */
  ring(process: Process, delay: number, what: string, run: () => unknown): RehearsalTurn {
    const late = delay === 0 ? 0.005 + this.chance.unit() * 0.02 : this.chance.unit() * 0.5;
    const at = Math.max(this.now + delay + late, process.lastRings.get(delay) ?? 0);
    process.lastRings.set(delay, at);
    return this.after(at - this.now, process, what, run);
  }

  cancel(turn: RehearsalTurn): void {
    if (turn.isOff) return;
    this.drop(turn);
    turn.entry?.cancel();
  }

  /** Removes a turn from the pending ones. */
  private drop(turn: RehearsalTurn): void {
    turn.isOff = true;
    if (turn.process?.life === turn.life) turn.process.pending--;
  }

  private readonly take = (turn: RehearsalTurn): void => {
    const { process, life, run, what } = turn;
    if (turn.isOff || (process && (process.state === 'down' || process.life !== life))) return;
    if (process?.state === 'paused') return void process.held.push(turn);
    this.drop(turn);
    this.current = process;
    this.turned(process);
    this.asked = 0;
    this.turns++;
    this.log(what);
    try {
      const result = run();
      if (process && result instanceof Promise)
        result.catch((error: unknown) => this.fail(process, error, 'unhandledRejection', result));
    } catch (error) {
      if (!process) throw error;
      this.fail(process, error);
    }
  };

  /** Counts a request of the current turn to the world, and ends a process whose turn does not end. */
  ask(): void {
    if (++this.asked <= ASKED_MAX) return;
    const who = this.current!;
    this.asked = 0;
    who.events.removeAllListeners();
    this.fail(
      who,
      new Error(
        `A turn of "${who.id}" does not end: it has used the time or timers ${ASKED_MAX} times. Await a timer in the loop.`,
      ),
    );
    throw new Error(`"${who.id}" was ended because its turn does not end. Await a timer in the loop.`);
  }

  /** Delivers a response of the real platform after a random virtual delay, in an order that the seed determines. */
  fromOutside<T>(answer: Promise<T>): Promise<T> {
    const process = this.current!;
    const delay = 0.02 + this.chance.unit() * 0.4;
    const settled = answer.then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
    this.outside.add(settled);
    let outcome: (() => T) | undefined;
    void settled.then((how) => {
      outcome = how;
      this.outside.delete(settled);
    });
    return new Promise((resolve) =>
      this.after(delay, process, 'answer', () => resolve(Promise.resolve().then(() => outcome!()))),
    );
  }

  // Processes.

  define(id: string, main: (process: Process) => unknown): Process {
    const process = new Process(id, main, new Random(this.seed, `process ${id}`));
    this.processes.set(id, process);
    return process;
  }

  /** Starts a process, unless it is up or a fault keeps it down. */
  start(process: Process): void {
    if (process.state !== 'down' || process.holds > 0) return;
    Object.assign(process, { state: 'up', life: process.life + 1, bootedAt: this.now });
    Object.assign(process, { held: [], pending: 0, pauses: 0, isStopping: false, events: new EventEmitter() });
    process.ending.clear();
    process.resetting.clear();
    process.lastRings.clear();
    this.report('start', { peer: process.id, life: process.life });
    this.after(0, process, 'main', () => process.main(process));
  }

  /** Ends a process. With `isHostGone`, its machine is off as well and no peer is notified. */
  end(process: Process, isHostGone = false): void {
    if (process.state === 'down') return;
    process.state = 'down';
    process.held = [];
    this.report('end', { peer: process.id, isHostGone });
    for (const end of process.ending) end(isHostGone);
    process.ending.clear();
    // The fault that asked it to end has healed before it ended.
    if (process.isStopping && process.holds === 0) this.supervise(process, 0);
  }

  /**
   * Keeps a process down. Returns the function that allows and starts it again; a process that is still ending then starts after
   * its end.
   */
  hold(process: Process): () => void {
    process.holds++;
    return () => {
      process.holds--;
      this.start(process);
    };
  }

  /** Restarts a process after a delay, like a supervisor. */
  private supervise(process: Process, afterMs: number): void {
    this.after(afterMs, null, `the supervisor starts ${process.id}`, () => this.start(process));
  }

  /** Sends SIGTERM. A process without a listener ends immediately, others after a grace period. */
  stop(process: Process): void {
    if (process.state === 'down' || process.isStopping) return;
    process.isStopping = true;
    const { life } = process;
    if (!this.signal(process, 'SIGTERM')) return this.end(process);
    this.after(GRACE_MS, null, `${process.id} has been asked to end`, () => {
      if (process.life === life) this.end(process);
    });
  }

  /** Returns true if the process listens to the signal; the listeners run in a separate turn. */
  private signal(process: Process, signal: string): boolean {
    const { events } = process;
    if (events.listenerCount(signal) === 0) return false;
    this.after(0, process, signal, () => events.emit(signal, signal, constants.signals[signal as NodeJS.Signals]));
    return true;
  }

  /** `process.kill` with the process's own number: notifies its listeners, or does what Node does without them. */
  kill(process: Process, signal: string): void {
    if (signal === 'SIGSTOP') return void this.pause(process);
    if (signal !== 'SIGKILL' && (this.signal(process, signal) || HARMLESS.has(signal))) return;
    this.leave(process, signal);
  }

  /** `process.exit`. */
  exit(process: Process, code: unknown): never {
    this.emitExit(process, code);
    return this.leave(process, code);
  }

  /**
   * Ends the process by itself; a supervisor restarts it, or the fault that asked it to end does. `how` is its exit code or the
   * signal.
   */
  leave(process: Process, how: unknown): never {
    if (process.state !== 'down') this.report('exit', { peer: process.id, code: how });
    this.endByItself(process);
    throw new Error('process.exit');
  }

  private endByItself(process: Process): void {
    if (process.state === 'down') return;
    const { isStopping } = process;
    this.end(process);
    if (!isStopping) this.supervise(process, 1_000);
  }

  /** Emits `exit` once. */
  private emitExit({ events }: Process, code: unknown): void {
    const listeners = events.rawListeners('exit');
    events.removeAllListeners('exit');
    for (const listener of listeners) listener(code);
  }

  /**
   * Pauses a process. Returns the function that resumes it, when no other fault pauses it. A restart in the meantime creates a
   * process that runs.
   */
  pause(process: Process): () => void {
    if (process.state === 'down') return () => {};
    const { life } = process;
    process.state = 'paused';
    process.pauses++;
    return () => {
      if (process.life === life && --process.pauses === 0) this.resume(process);
    };
  }

  /** Resumes a process. It takes everything that came meanwhile immediately, in order. */
  private resume(process: Process): void {
    if (process.state !== 'paused') return;
    process.state = 'up';
    for (const turn of process.held.splice(0)) turn.entry = this.clock.at(this.now, 0, this.take, turn);
  }

  /** An uncaught error ends a process, as in Node, unless it listens to such errors. A supervisor restarts it after a second. */
  fail(process: Process, error: unknown, origin: ErrorOrigin = 'uncaughtException', promise?: unknown): void {
    if (process.state === 'down') return;
    const { events } = process;
    let last = error;
    try {
      if (origin === 'unhandledRejection' && events.emit(origin, error, promise)) return;
      if (events.emit('uncaughtException', error, origin)) return;
    } catch (thrown) {
      last = thrown;
    }
    // Its own listeners may have ended it.
    if ((process.state as string) === 'down') return;
    this.report('uncaught', { peer: process.id, error: errorText(last) });
    try {
      this.emitExit(process, 1);
    } catch {
      // It already ends because of the first error.
    }
    this.endByItself(process);
  }

  // Time.

  /** Runs until this time, or until the world is over. */
  run(untilMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let isDone = false;
      const step = () => {
        if (isDone || this.outside.size > 0) return;
        try {
          isDone = !this.next(untilMs);
        } catch (error) {
          isDone = true;
          reject(error);
        }
      };
      const round = () => {
        this.current = null;
        this.turned(null);
        if (isDone) return resolve();
        for (let i = 0; i < BATCH; i++) realImmediate(step);
        realImmediate(round);
      };
      round();
    });
  }

  /** Takes one turn. Returns false if there is none left. */
  private next(untilMs: number): boolean {
    this.current = null;
    const { turns } = this;
    while (!this.isOver && this.turns === turns) {
      const time = this.clock.nextTime();
      if (time === undefined || time > untilMs) {
        this.clock.runUntil(untilMs);
        return false;
      }
      this.clock.runNext();
    }
    return !this.isOver;
  }
}

export const errorText = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 300);
