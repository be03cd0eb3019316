/**
 * A world in one Node process: virtual time and simulated processes that run real code.
 *
 * The rule that makes it simple: **one macrotask of the world belongs to one process**. Every event (a timer, a frame, a start) runs with
 * `current` set to its process, and all microtasks are drained before the next one. So whoever asks for the time, a timer or a random
 * number in between is that process, and code that knows of no world needs nothing else than the platform's globals (platform.ts).
 *
 * Draining is Node's own: between two immediates all microtasks run. Between two rounds of immediates nobody is current, so that what
 * the real program does meanwhile, a test runner for instance, keeps the real time.
 */
import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import type { UsageError } from '../../machines/errors.js';
import { VirtualClock, type ClockEntry } from '../../network/clock.js';
import { Random } from '../../network/random.js';
import { realImmediate } from './here.js';
import type { Distance, LatencyRange, RehearsalFault } from './scenario.js';
import { Wires } from './wires.js';

/** A turn that asks the world for so much does not end: a loop that never awaits a timer, or awaits promises only. */
const ASKED_MAX = 200_000;
/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000;
/** Immediates of one round. */
const BATCH = 256;

/** A simulated process; every start is a new life of it. */
export class Process {
  life = 0;
  state: 'down' | 'up' | 'paused' = 'down';
  /** What its clock shows beyond the true time, in milliseconds, apart from what it drifts. */
  skewMs = 0;
  private drift = { sinceMs: 0, perMille: 0 };
  /** Which release of the program it is. */
  release = 1;
  /** It was asked to end. */
  isStopping = false;
  /** How many faults keep it down: it starts again once all of them have healed. */
  holds = 0;
  /** How many faults have paused this life of it. */
  pauses = 0;
  /** What makes it slow and its clock drift, the latest last. */
  readonly bearing = new Set<RehearsalFault>();
  /** What this life of it is notified of `process`: signals, errors that nobody caught, its end. */
  events = new EventEmitter();
  bootedAt = 0;
  /** How many of its turns wait: timers, and messages on their last way. */
  pending = 0;
  /** When the last timer of each delay rings, and the last immediate runs (delay 0): none of one delay overtakes another, as in Node. */
  readonly lastRings = new Map<number, number>();
  /** What came while it was paused. */
  held: RehearsalTurn[] = [];
  /** What ends with this life: sockets and servers. */
  readonly ending = new Set<(isHostGone: boolean) => void>();
  /** Its connections: what resets them. */
  readonly resetting = new Set<() => void>();

  constructor(
    readonly id: string,
    readonly main: (process: Process) => unknown,
    readonly random: Random,
  ) {}

  /** From now on its clock gains so many of a thousand milliseconds. */
  runAt(now: number, perMille: number): void {
    this.skewMs = this.aheadBy(now);
    this.drift = { sinceMs: now, perMille };
  }

  /** How far its clock is ahead of the true time. */
  aheadBy(now: number): number {
    const { sinceMs, perMille } = this.drift;
    return this.skewMs + ((now - sinceMs) * perMille) / 1_000;
  }
}

/** Signals that end nobody in Node. */
const HARMLESS = new Set(['SIGCHLD', 'SIGCONT', 'SIGPIPE', 'SIGURG', 'SIGUSR1', 'SIGWINCH']);

/** How Node calls what nobody caught. */
export type ErrorOrigin = 'uncaughtException' | 'unhandledRejection';

/** One macrotask. */
export interface RehearsalTurn {
  readonly process: Process | null;
  readonly life: number;
  readonly run: () => unknown;
  readonly what: string;
  isOff: boolean;
  entry: ClockEntry | undefined;
}

/** Something that happened, as judges hear it. */
export interface RehearsalEvent {
  readonly at: number;
  readonly type: string;
  readonly peer?: string;
  readonly [key: string]: unknown;
}

export class VirtualWorld {
  readonly clock = new VirtualClock();
  readonly processes = new Map<string, Process>();
  readonly wires: Wires;
  /** Chance of timers and answers; every process has its own stream. */
  readonly chance: Random;
  readonly lines: string[] = [];
  current: Process | null = null;
  /** How many turns were taken. */
  turns = 0;
  isOver = false;
  /** Who listens to what happens. */
  hear: (happening: RehearsalEvent) => void = () => {};
  /** What is wrong with how the rehearsal is used, and no matter of the application under rehearsal: nothing of this run counts. */
  misuse: UsageError | null = null;
  /** Told whose turn begins, and that it is nobody's. */
  turned: (process: Process | null) => void = () => {};
  private asked = 0;
  private readonly hash = createHash('sha256');
  /** Answers of the real platform that a process waits for; the world stands still until they are there. */
  private readonly outside = new Set<Promise<unknown>>();

  constructor(
    readonly seed: number,
    latencyMs: LatencyRange,
    distances: readonly Distance[],
    private readonly isKept = false,
  ) {
    this.chance = new Random(seed, 'chance');
    this.wires = new Wires(this, new Random(seed, 'wires'), latencyMs, distances);
  }

  get now(): number {
    return this.clock.now();
  }

  log(text: string): void {
    const line = `${this.now.toFixed(3)} ${this.current?.id ?? '-'} ${text}`;
    this.hash.update(line);
    if (this.isKept) this.lines.push(line.length > 300 ? `${line.slice(0, 300)}…` : line);
  }

  /** Of all that was logged. */
  digest(): string {
    return this.hash.copy().digest('hex');
  }

  /** Tells judges, and the log. */
  tell(type: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.log(`${type} ${JSON.stringify(fields)}`);
    this.hear({ at: this.now, type, ...fields });
  }

  /** The rehearsal itself is used wrongly: the run is over, and whoever began it is notified of the first time. */
  refuse(misuse: UsageError): UsageError {
    this.misuse ??= misuse;
    this.isOver = true;
    return misuse;
  }

  // Turns.

  /** A process runs `run` after so long, unless it ends before. */
  after(ms: number, process: Process | null, what: string, run: () => unknown): RehearsalTurn {
    const turn: RehearsalTurn = { process, life: process?.life ?? 0, run, what, isOff: false, entry: undefined };
    turn.entry = this.clock.at(this.now + ms, 0, this.take, turn);
    if (process) process.pending++;
    return turn;
  }

  /** A timer of a process, which is somewhat late; `delay` 0 is an immediate. */
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

  /** It waits no more. */
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

  /** Called for whatever a process asks the world for. */
  ask(): void {
    if (++this.asked <= ASKED_MAX) return;
    const who = this.current!;
    this.asked = 0;
    who.events.removeAllListeners();
    this.fail(who, new Error(`a turn of "${who.id}" does not end: it asked for the time or a timer ${ASKED_MAX} times`));
    throw new Error(`"${who.id}" was ended: its turn does not end; await a timer in the loop`);
  }

  /** What the real platform computes is handed over after a time that chance gives, in an order that the seed repeats. */
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

  /** Unless it is there, or a fault keeps it down. */
  start(process: Process): void {
    if (process.state !== 'down' || process.holds > 0) return;
    Object.assign(process, { state: 'up', life: process.life + 1, bootedAt: this.now });
    Object.assign(process, { held: [], pending: 0, pauses: 0, isStopping: false, events: new EventEmitter() });
    process.ending.clear();
    process.resetting.clear();
    process.lastRings.clear();
    this.tell('start', { peer: process.id, life: process.life });
    this.after(0, process, 'main', () => process.main(process));
  }

  /** `isHostGone`: with its machine, so that nobody is told. */
  end(process: Process, isHostGone = false): void {
    if (process.state === 'down') return;
    process.state = 'down';
    process.held = [];
    this.tell('end', { peer: process.id, isHostGone });
    for (const end of process.ending) end(isHostGone);
    process.ending.clear();
    // What asked it to end has healed while it was still ending.
    if (process.isStopping && process.holds === 0) this.supervise(process, 0);
  }

  /** From now on it does not start; gives what ends that, and starts it. Who is still ending then starts once it has ended. */
  hold(process: Process): () => void {
    process.holds++;
    return () => {
      process.holds--;
      this.start(process);
    };
  }

  /** A supervisor starts it after so long. */
  private supervise(process: Process, afterMs: number): void {
    this.after(afterMs, null, `the supervisor starts ${process.id}`, () => this.start(process));
  }

  /** It gets SIGTERM; who does not listen ends at once, who does after a while. */
  stop(process: Process): void {
    if (process.state === 'down' || process.isStopping) return;
    process.isStopping = true;
    const { life } = process;
    if (!this.signal(process, 'SIGTERM')) return this.end(process);
    this.after(GRACE_MS, null, `${process.id} has been asked to end`, () => {
      if (process.life === life) this.end(process);
    });
  }

  /** True if somebody in it listens to the signal; they receive it in its own turn. */
  private signal(process: Process, signal: string): boolean {
    const { events } = process;
    if (events.listenerCount(signal) === 0) return false;
    this.after(0, process, signal, () => events.emit(signal, signal, constants.signals[signal as NodeJS.Signals]));
    return true;
  }

  /** What `process.kill` does with the process's own number: whoever listens is notified of it, else it does what it does in Node. */
  kill(process: Process, signal: string): void {
    if (signal === 'SIGSTOP') return void this.pause(process);
    if (signal !== 'SIGKILL' && (this.signal(process, signal) || HARMLESS.has(signal))) return;
    this.leave(process, signal);
  }

  /** What `process.exit` does. */
  exit(process: Process, code: unknown): never {
    this.sayGoodbye(process, code);
    return this.leave(process, code);
  }

  /** Nothing of it runs any more, and a supervisor starts it again, if it was asked to end once that has healed. `how`: its status, or the signal. */
  leave(process: Process, how: unknown): never {
    if (process.state !== 'down') this.tell('exit', { peer: process.id, code: how });
    this.endOfItself(process);
    throw new Error('process.exit');
  }

  private endOfItself(process: Process): void {
    if (process.state === 'down') return;
    const { isStopping } = process;
    this.end(process);
    if (!isStopping) this.supervise(process, 1_000);
  }

  /** Those who listen to its end receive it, once. */
  private sayGoodbye({ events }: Process, code: unknown): void {
    const listeners = events.rawListeners('exit');
    events.removeAllListeners('exit');
    for (const listener of listeners) listener(code);
  }

  /** Gives what ends that: it goes on once all that paused it has ended. If it is started again meanwhile, that is another process, and runs. */
  pause(process: Process): () => void {
    if (process.state === 'down') return () => {};
    const { life } = process;
    process.state = 'paused';
    process.pauses++;
    return () => {
      if (process.life === life && --process.pauses === 0) this.resume(process);
    };
  }

  /** What came meanwhile is taken at once, as it came. */
  private resume(process: Process): void {
    if (process.state !== 'paused') return;
    process.state = 'up';
    for (const turn of process.held.splice(0)) turn.entry = this.clock.at(this.now, 0, this.take, turn);
  }

  /** What nobody catches ends a process, as in Node, unless it listens to such errors itself; a supervisor starts it again after a second. */
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
    this.tell('uncaught', { peer: process.id, error: errorText(last) });
    try {
      this.sayGoodbye(process, 1);
    } catch {
      // It ends of the error before this one.
    }
    this.endOfItself(process);
  }

  // Time.

  /** Runs until then, or until the world is over. */
  run(untilMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let isDone = false;
      const step = () => {
        if (isDone || this.outside.size > 0) return;
        try {
          isDone = !this.next(untilMs);
        } catch (error) {
          isDone = true;
          reject(error as Error);
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

  /** One turn; false when there is none left. */
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
