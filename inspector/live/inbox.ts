/**
 * Orders the reports of live nodes, from this process and others, by their time and their causes.
 *
 * Each report waits briefly for earlier ones that arrive late, and a delivery waits for its sending. Later reports of the same node wait
 * with it. All processes run on this machine and share its clock. A program that sends nothing for long has gone with all its nodes: a live
 * one sends at least its heartbeat.
 */
import { asError, UsageError } from '../../machines/errors.js';
import { checkReport } from './report-checks.js';
import { now as present, type LiveReport, type StepReport } from './report.js';
import { fieldsOf } from '../../machines/checks.js';

const PATIENCE_MS = 150;
/** A sender without a report by then was not observed when it sent. */
const GIVE_UP_MS = 2000;
/** Milliseconds between two heartbeats of a program. After three missing ones, it counts as gone. */
export const BEAT_MS = 1000;
const SILENCE_MS = 3 * BEAT_MS;

/** A clock that is further ahead belongs to another machine. Its reports get the time of their arrival. */
const AHEAD_MAX_MS = 1000;

interface Taker {
  isReadyFor(report: LiveReport): boolean;
  take(report: LiveReport, program?: string): void;
  gone(node: string, at: number): void;
  lookAround(at: number): void;
}

/** A reporting program: its name, and the number of its run. */
export interface Program {
  readonly name: string;
  readonly run: string;
}

export const programKey = ({ name, run }: Program): string => JSON.stringify([name, run]);

/** Reports of one program that are sent together. Without reports, it is a heartbeat. */
export interface Batch {
  readonly program: Program;
  readonly reports: readonly LiveReport[];
  /** Batches of a sender are numbered from 1, and a repeated one is ignored. A heartbeat has no number. */
  readonly sender?: string;
  readonly number?: number;
  /** How many batches of the sender an inspector has taken. */
  readonly before?: number;
}

/** A message of a program over a WebSocket: a batch, or the answer to a gesture. */
export interface SocketBatch extends Batch {
  /** True if the program takes gestures. */
  readonly isReachable?: boolean;
  readonly answer?: unknown;
}

/** The answer to a batch over a WebSocket. Without `isTaken`, the program has to report its state first. */
export interface BatchAnswer {
  readonly number: number | undefined;
  readonly isTaken: boolean;
}

/** The status of the answer to a batch if the program has to report its state first. */
export const UNKNOWN_STATUS = 409;

interface Known {
  /** The displayed name. A live program of the same name has a different one. */
  readonly shown: string;
  /** For each displayed node name: the name in the program. */
  readonly nodes: Map<string, string>;
  receivedAt: number;
  /** For each sender: the number of its last batch. */
  readonly numbers: Map<string, number>;
  /** Senders that report their state before they continue: the program was gone, and an actor without steps stays so. */
  readonly owing: Set<string>;
  hasGone: boolean;
  isAhead: boolean;
}

interface Waiting {
  readonly report: LiveReport;
  readonly program: Known | undefined;
  /** The name of the node in its program. */
  readonly local: string;
}

export class Inbox {
  private waiting: Waiting[] = [];
  private timer: ReturnType<typeof setInterval> | null = null;
  private readonly programs = new Map<string, Known>();
  private hasWarned = false;
  private tendedAt: number | null = null;

  constructor(private readonly taker: Taker) {}

  /** Adds a report of this process. */
  put(report: LiveReport, program?: Program): void {
    this.waiting.push({ report, program: program && this.programOf(program, Infinity), local: report.node });
    this.timer ??= setInterval(() => this.tend(present()), PATIENCE_MS / 3);
  }

  /**
   * Adds reports of another process, which are not trusted. `Infinity` as the time means that a connection shows that the program is alive.
   *
   * @returns false if another inspector has taken earlier batches of the sender, or if the program was gone. Nothing is added then: the
   * program has to report its state first.
   */
  putAll(batch: unknown, receivedAt = present()): boolean {
    const { program, reports, sender = '', number, before = (number ?? 1) - 1 } = (batch ?? {}) as Partial<Batch>;
    if (!isProgram(program))
      throw new UsageError('The report does not identify its program. Add program: { name, run }, two strings.');
    if (!Array.isArray(reports))
      throw new UsageError('The request contains no reports for the inspector. Add reports: a list of step reports.');
    const checked = reports.map(checkReport);
    const now = present();
    const known = this.programOf(program, receivedAt);
    if (typeof number === 'number' && number <= (known.numbers.get(sender) ?? 0)) return true;
    if (known.owing.delete(sender)) known.numbers.delete(sender);
    if (before > 0 && !known.numbers.has(sender)) return false;
    if (typeof number === 'number') known.numbers.set(sender, number);
    const isAhead = checked.some(({ at }) => at > now + AHEAD_MAX_MS);
    if (isAhead && !known.isAhead) checked.push(aheadNote(checked[0]!));
    known.isAhead ||= isAhead;
    for (const one of checked) {
      const report = one.at > now + AHEAD_MAX_MS ? { ...one, at: now } : one;
      const isOwn = report.kind !== 'peer' && report.kind !== 'gap' && report.isOwn === true;
      this.waiting.push({ report: isOwn ? inProgram(report, known.shown) : report, program: known, local: report.node });
    }
    this.timer ??= setInterval(() => this.tend(present()), PATIENCE_MS / 3);
    return true;
  }

  /** A program has closed or lost its connection. After a loss, it has the time of a silent program to come back. */
  leave(program: Program, isLost: boolean): void {
    const known = this.programs.get(programKey(program));
    if (!known) return;
    known.receivedAt = present();
    if (isLost) return;
    this.release(Infinity, known);
    this.bury(known, present());
  }

  close(): void {
    if (this.timer) clearInterval(this.timer);
    this.release(Infinity);
  }

  /** The key of the program that the node is part of, and the name of the node there. */
  ownerOf(node: string): { readonly key: string; readonly local: string } | null {
    for (const [key, { nodes, hasGone }] of this.programs)
      if (!hasGone && nodes.has(node)) return { key, local: nodes.get(node)! };
    return null;
  }

  private programOf({ name, run }: Program, receivedAt: number): Known {
    const key = programKey({ name, run });
    let known = this.programs.get(key);
    if (!known) {
      const taken = new Set([...this.programs.values()].filter(({ hasGone }) => !hasGone).map(({ shown }) => shown));
      let shown = name;
      for (let other = 2; taken.has(shown); other++) shown = `${name} (${other})`;
      this.programs.set(
        key,
        (known = { shown, nodes: new Map(), receivedAt, numbers: new Map(), owing: new Set(), hasGone: false, isAhead: false }),
      );
    }
    known.receivedAt = receivedAt;
    known.hasGone = false;
    return known;
  }

  private tend(now: number): void {
    // This process could not receive reports while it was busy. That time does not count as silence.
    const busy = now - (this.tendedAt ?? now);
    this.tendedAt = now;
    this.release(now);
    for (const program of this.programs.values()) {
      if (busy > BEAT_MS) program.receivedAt = Math.min(program.receivedAt + busy, Math.max(program.receivedAt, now));
      if (!program.hasGone && program.receivedAt <= now - SILENCE_MS) this.bury(program, now);
    }
    this.taker.lookAround(now - PATIENCE_MS);
  }

  private bury(program: Known, now: number): void {
    program.hasGone = true;
    for (const sender of program.numbers.keys()) program.owing.add(sender);
    for (const node of program.nodes.keys()) this.taker.gone(node, now);
  }

  /** Takes the reports that are due, of all programs or of one. */
  private release(now: number, only?: Known): void {
    const late = new Set<string>();
    const waiting = this.waiting.sort((a, b) => a.report.at - b.report.at);
    this.waiting = [];
    for (const one of waiting) {
      const { node } = one.report;
      const isMeant = only === undefined || one.program === only;
      if (isMeant && !late.has(node) && this.takes(one, now)) continue;
      late.add(node);
      this.waiting.push(one);
    }
  }

  /** Takes a report. Returns false if it has to wait; a report that cannot be shown is left out with a warning. */
  private takes({ report, program, local }: Waiting, now: number): boolean {
    const { at, node } = report;
    try {
      if (at > now - PATIENCE_MS || (at > now - GIVE_UP_MS && !this.taker.isReadyFor(report))) return false;
      // A cluster actor that has moved is part of another program now.
      if (report.kind === 'start') for (const other of this.programs.values()) if (other !== program) other.nodes.delete(node);
      if (report.kind !== 'gap') program?.nodes.set(node, local);
      this.taker.take(report, program?.shown);
    } catch (error) {
      this.warn(node, asError(error));
    }
    return true;
  }

  /** A report that cannot be shown must end neither the inspector nor the observed program. */
  private warn(node: string, { message }: Error): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    console.warn(
      `inspector: a step of ${JSON.stringify(node)} cannot be shown: ${message}. This is the only warning of this kind.`,
    );
  }
}

export const isProgram = (value: unknown): value is Program => {
  const { name, run } = fieldsOf(value);
  return typeof name === 'string' && typeof run === 'string';
};

/** A note on the page that the clock of a program is not used, and why. */
const aheadNote = (first: LiveReport): StepReport => ({
  at: first.at,
  node: first.node,
  ...('isOwn' in first && first.isOwn !== undefined && { isOwn: first.isOwn }),
  kind: 'note',
  event: { type: 'has a clock that is ahead of this one: its steps are shown at the time of their arrival' },
  sent: [],
  emitted: [],
  roles: {},
});

/** Qualifies the names of actors, which may be equal in different programs. */
const inProgram = ({ node, from, sent, links = [], parent, ...report }: StepReport, program: string): StepReport => ({
  ...report,
  node: `${program}/${node}`,
  sent: sent.map((one) => ({ ...one, to: `${program}/${one.to}` })),
  links: links.map((other) => `${program}/${other}`),
  ...(from !== undefined && { from: `${program}/${from}` }),
  ...(parent !== undefined && { parent: `${program}/${parent}` }),
});
