/**
 * Reports of live nodes, of this process and of others, put in order by their time and by what they follow on.
 *
 * Each report waits a moment for what happened earlier and comes later, and a delivery for its sending; what the same node did after
 * it waits with it. All processes are on this machine, and share its clock. A program that says nothing for long has gone, and its
 * nodes with it: a live one reports at least its heartbeat.
 */
import { UsageError } from '../../machines/errors.js';
import { checkReport } from './report-checks.js';
import { now as present, type LiveReport, type StepReport } from './report.js';

const PATIENCE_MS = 150;
/** A sender that has not reported by then was not watched when it sent. */
const GIVE_UP_MS = 2000;
/** A program has gone when nothing was heard of it for so long: three heartbeats. */
export const BEAT_MS = 1000;
const SILENCE_MS = 3 * BEAT_MS;

/** A clock that is further ahead is not the one of this machine: what it tells is taken as of when it was heard. */
const AHEAD_MAX_MS = 1000;

interface Taker {
  isReadyFor(report: LiveReport): boolean;
  take(report: LiveReport, program?: string): void;
  gone(node: string, at: number): void;
  lookAround(at: number): void;
}

/** A program that reports: its name, and which of its runs it is. */
export interface Program {
  readonly name: string;
  readonly run: string;
}

/** One run of a program, among all. */
export const programKey = ({ name, run }: Program): string => JSON.stringify([name, run]);

/** What one program says at a time; a heartbeat when there is nothing else. */
export interface Batch {
  readonly program: Program;
  readonly reports: readonly LiveReport[];
  /** The batches of a sender are counted from 1, and one that comes again is not taken again; a heartbeat has no number. */
  readonly sender?: string;
  readonly number?: number;
}

interface Known {
  /** As it is shown: another program of the same name that is alive has another one. */
  readonly shown: string;
  /** Its nodes as they are shown, and as it calls them itself. */
  readonly nodes: Map<string, string>;
  heardAt: number;
  /** By sender, the number of its last batch. */
  readonly numbers: Map<string, number>;
  hasGone: boolean;
  isAhead: boolean;
}

interface Waiting {
  readonly report: LiveReport;
  readonly program: Known | undefined;
  /** The node as its program calls it. */
  readonly local: string;
}

export class Inbox {
  private waiting: Waiting[] = [];
  private timer: ReturnType<typeof setInterval> | null = null;
  private readonly programs = new Map<string, Known>();
  private hasWarned = false;
  private tendedAt: number | null = null;

  constructor(private readonly taker: Taker) {}

  /** From this process. */
  put(report: LiveReport, program?: Program): void {
    this.waiting.push({ report, program: program && this.programOf(program, Infinity), local: report.node });
    this.timer ??= setInterval(() => this.tend(present()), PATIENCE_MS / 3);
  }

  /** From another process, which may say anything. A program whose connection shows that it is alive is heard at `Infinity`. */
  putAll(batch: unknown, heardAt = present()): void {
    const { program, reports, sender = '', number } = (batch ?? {}) as Partial<Batch>;
    if (!isProgram(program)) throw new UsageError('a report does not say which program it is of');
    if (!Array.isArray(reports)) throw new UsageError('a program says nothing: "reports" is no list');
    const checked = reports.map(checkReport);
    const now = present();
    const known = this.programOf(program, heardAt);
    if (typeof number === 'number') {
      if (number <= (known.numbers.get(sender) ?? 0)) return;
      known.numbers.set(sender, number);
    }
    const isAhead = checked.some(({ at }) => at > now + AHEAD_MAX_MS);
    if (isAhead && !known.isAhead) checked.push(aheadNote(checked[0]!));
    known.isAhead ||= isAhead;
    for (const told of checked) {
      const report = told.at > now + AHEAD_MAX_MS ? { ...told, at: now } : told;
      const isOwn = report.kind !== 'peer' && report.kind !== 'gap' && report.isOwn === true;
      this.waiting.push({ report: isOwn ? inProgram(report, known.shown) : report, program: known, local: report.node });
    }
    this.timer ??= setInterval(() => this.tend(present()), PATIENCE_MS / 3);
  }

  /** A program has closed its connection, or lost it: then it has as long to come back as one that is silent. */
  leave(program: Program, isLost: boolean): void {
    const known = this.programs.get(programKey(program));
    if (!known) return;
    known.heardAt = present();
    if (isLost) return;
    this.release(Infinity, known);
    this.bury(known, present());
  }

  close(): void {
    if (this.timer) clearInterval(this.timer);
    this.release(Infinity);
  }

  /** The program that a node is part of, by its key, and the node as that program calls it. */
  ownerOf(node: string): { readonly key: string; readonly local: string } | null {
    for (const [key, { nodes, hasGone }] of this.programs)
      if (!hasGone && nodes.has(node)) return { key, local: nodes.get(node)! };
    return null;
  }

  private programOf({ name, run }: Program, heardAt: number): Known {
    const key = programKey({ name, run });
    let known = this.programs.get(key);
    if (!known) {
      const taken = new Set([...this.programs.values()].filter(({ hasGone }) => !hasGone).map(({ shown }) => shown));
      let shown = name;
      for (let other = 2; taken.has(shown); other++) shown = `${name} (${other})`;
      this.programs.set(key, (known = { shown, nodes: new Map(), heardAt, numbers: new Map(), hasGone: false, isAhead: false }));
    }
    known.heardAt = heardAt;
    known.hasGone = false;
    return known;
  }

  private tend(now: number): void {
    // While this process was busy it could hear of no program: that time is not their silence.
    const busy = now - (this.tendedAt ?? now);
    this.tendedAt = now;
    this.release(now);
    for (const program of this.programs.values()) {
      if (busy > BEAT_MS) program.heardAt = Math.min(program.heardAt + busy, Math.max(program.heardAt, now));
      if (!program.hasGone && program.heardAt <= now - SILENCE_MS) this.bury(program, now);
    }
    this.taker.lookAround(now - PATIENCE_MS);
  }

  private bury(program: Known, now: number): void {
    program.hasGone = true;
    for (const node of program.nodes.keys()) this.taker.gone(node, now);
  }

  /** Takes what is due, of all programs or of one. */
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

  /** Whether a report is dealt with: taken, or, where that cannot be, left out with a warning. */
  private takes({ report, program, local }: Waiting, now: number): boolean {
    const { at, node } = report;
    try {
      if (at > now - PATIENCE_MS || (at > now - GIVE_UP_MS && !this.taker.isReadyFor(report))) return false;
      if (report.kind !== 'gap') program?.nodes.set(node, local);
      this.taker.take(report, program?.shown);
    } catch (error) {
      this.warn(node, error as Error);
    }
    return true;
  }

  /** What cannot be shown must end neither the inspector nor what it watches. */
  private warn(node: string, { message }: Error): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    console.warn(`inspector: a step of ${JSON.stringify(node)} is not shown: ${message}; nothing is said of further ones`);
  }
}

export const isProgram = (value: unknown): value is Program => {
  const { name, run } = (value ?? {}) as Partial<Program>;
  return typeof name === 'string' && typeof run === 'string';
};

/** Tells the page why the times of a program are not its own. */
const aheadNote = (first: LiveReport): StepReport => ({
  at: first.at,
  node: first.node,
  ...('isOwn' in first && first.isOwn !== undefined && { isOwn: first.isOwn }),
  kind: 'note',
  event: { type: 'has a clock that is ahead of this one: its steps are shown as of when they were heard of' },
  sent: [],
  emitted: [],
  roles: {},
});

/** Programs may have actors of the same names. */
const inProgram = ({ node, from, sent, links = [], parent, ...report }: StepReport, program: string): StepReport => ({
  ...report,
  node: `${program}/${node}`,
  sent: sent.map((one) => ({ ...one, to: `${program}/${one.to}` })),
  links: links.map((other) => `${program}/${other}`),
  ...(from !== undefined && { from: `${program}/${from}` }),
  ...(parent !== undefined && { parent: `${program}/${parent}` }),
});
