/**
 * Reports that wait for an inspector, as text. Their size in bytes is bounded, even if no inspector takes them.
 *
 * The oldest reports are dropped first. A gap with their number replaces them, followed by the state of every node after the gap: its last
 * known state, its end, the peers that its detector trusts, and charts not sent before. The reports that follow are therefore complete
 * again.
 *
 * Reports that an inspector has taken are condensed to the state after them. Another inspector at the same address receives it first.
 */
import type { NodeId } from '../../machines/effects.js';
import { AT_LENGTH, plain, plainEvent } from './plain.js';
import type { GapReport, PeerReport, LiveReport, StepReport } from './report.js';

/** The inspector refuses a batch of more than ten million; small ones keep it answering. */
const BATCH_BYTES_MAX = 2_000_000;
const REPORT_BYTES_MAX = 4_000_000;
const WAITING_BYTES_MAX = 32_000_000;
/** Taken reports are condensed when they take so much more than twice their state. */
const TAKEN_BYTES_SPARE = 1_000_000;
/** The cost of a report in addition to its text. */
const OVERHEAD_BYTES = 200;
/** Limits in characters for a report that is too large, tried in this order. */
const CUTS = [1_000_000, 100_000, 10_000];

/** Measures the size in UTF-8, in any runtime. */
const encoder = new TextEncoder();
const byteLength = (text: string): number => encoder.encode(text).length;

interface Waiting {
  readonly text: string;
  readonly bytes: number;
  /** The number of missing reports if it is dropped. */
  readonly counts: number;
  /** Its significance if it is dropped: the roles whose charts it contains, or `more` if it has to be parsed. */
  readonly covers: readonly string[] | 'more';
}

export class ReportBacklog {
  private waiting: Waiting[] = [];
  private bytes = 0;
  /** The last batch, until the inspector answers. */
  private sent: readonly Waiting[] = [];
  /** The reports that the inspector has taken, condensed from time to time. */
  private taken: Waiting[] = [];
  private takenBytes = 0;
  private condensedBytes = 0;

  constructor(private readonly bytesMax = WAITING_BYTES_MAX) {}

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  put(report: LiveReport): void {
    const waiting = waitingOf(report, 1);
    this.waiting.push(waiting);
    this.bytes += waiting.bytes;
    if (this.bytes > this.bytesMax) this.drop();
  }

  /** Takes the oldest reports, as one batch. */
  take(): readonly string[] {
    let bytes = 0;
    let count = 0;
    while (count < this.waiting.length && (count === 0 || bytes + this.waiting[count]!.bytes <= BATCH_BYTES_MAX))
      bytes += this.waiting[count++]!.bytes;
    this.bytes -= bytes;
    this.sent = this.waiting.splice(0, count);
    return this.sent.map(({ text }) => text);
  }

  /** The inspector has taken the batch. */
  confirm(): void {
    for (const one of this.sent) this.taken.push(one);
    this.takenBytes += sum(this.sent);
    this.sent = [];
    if (this.takenBytes <= 2 * this.condensedBytes + TAKEN_BYTES_SPARE) return;
    this.taken = this.condensed(this.taken, 0);
    this.takenBytes = this.condensedBytes = sum(this.taken);
  }

  /** Another inspector knows nothing of the earlier batches: the state after them waits before the batch and all later reports. */
  startAgain(): void {
    this.insert([...this.condensed(this.taken, 0), ...this.sent]);
    [this.sent, this.taken, this.takenBytes, this.condensedBytes] = [[], [], 0, 0];
  }

  /** Replaces a batch that the inspector refuses by a gap. */
  refuse(): void {
    const last = this.sent.at(-1);
    if (!last) return;
    this.insert([waitingOf({ at: timeOf(last), node: '', kind: 'gap', count: this.sent.length })]);
    this.sent = [];
  }

  private insert(first: readonly Waiting[]): void {
    this.waiting.unshift(...first);
    this.bytes += sum(first);
  }

  /** Drops half of the reports. */
  private drop(): void {
    let count = 0;
    for (; this.bytes > this.bytesMax / 2 && count < this.waiting.length; count++) this.bytes -= this.waiting[count]!.bytes;
    const dropped = this.waiting.splice(0, count);
    this.insert(
      this.condensed(
        dropped,
        dropped.reduce((missing, { counts }) => missing + counts, 0),
      ),
    );
  }

  /**
   * The state after reports, preceded by a gap if any is missing. It takes at most a quarter of the bytes, and is left out if cutting does
   * not make it fit.
   */
  private condensed(list: readonly Waiting[], missing: number): Waiting[] {
    if (list.length === 0) return [];
    const standing = new Standing();
    for (const text of thatMatter(list)) standing.take(JSON.parse(text));
    const at = timeOf(list.at(-1)!);
    const gap: GapReport[] = missing > 0 ? [{ at, node: '', kind: 'gap', count: missing }] : [];
    const reports = [...gap, ...standing.reports(at)];
    for (const cutTo of [undefined, this.bytesMax / 8 / reports.length]) {
      const waiting = reports.map((report) => waitingOf(cutTo === undefined ? report : cut(report, cutTo)));
      if (sum(waiting) <= this.bytesMax / 4) return waiting;
    }
    return gap.map((report) => waitingOf(report));
  }
}

const sum = (list: readonly Waiting[]): number => list.reduce((bytes, one) => bytes + one.bytes, 0);

function timeOf({ text }: Waiting): number {
  const { at }: LiveReport = JSON.parse(text);
  return at;
}

function waitingOf(report: LiveReport, counts = 0): Waiting {
  const text = textOf(report);
  const bytes = byteLength(text) + OVERHEAD_BYTES;
  return { text, bytes, counts: report.kind === 'gap' ? report.count : counts, covers: coverageOf(report) };
}

/** The reports that determine the state after all of them, oldest first. */
function thatMatter(dropped: readonly Waiting[]): string[] {
  const covered = new Set<string>();
  const matter: string[] = [];
  for (const { text, covers } of dropped.toReversed()) {
    if (covers !== 'more' && covers.every((role) => covered.has(role))) continue;
    if (covers !== 'more') for (const role of covers) covered.add(role);
    matter.push(text);
  }
  return matter.reverse();
}

function coverageOf(report: LiveReport): Waiting['covers'] {
  if (report.kind === 'gap' || report.kind === 'start' || report.kind === 'crash') return 'more';
  if (report.kind === 'peer') return report.observation.type === 'up' || report.observation.type === 'down' ? 'more' : [];
  if (report.charts) return 'more';
  return Object.keys(report.roles).map((role) => JSON.stringify([report.node, role]));
}

interface Stood {
  /** The start of the node, if it is within the gap. */
  start: StepReport | null;
  last: StepReport;
  end: StepReport | null;
  roles: StepReport['roles'];
  charts: StepReport['charts'];
}

/** The state of a program's nodes after reports. */
class Standing {
  private readonly nodes = new Map<NodeId, Stood>();
  private readonly peers = new Map<string, PeerReport>();

  take(report: LiveReport): void {
    if (report.kind === 'gap') return;
    if (report.kind === 'peer') return void this.peers.set(JSON.stringify([report.node, report.observation.peer]), report);
    const before = this.nodes.get(report.node);
    const isStart = report.kind === 'start';
    this.nodes.set(report.node, {
      start: isStart ? report : (before?.start ?? null),
      last: report.kind === 'crash' ? (before?.last ?? report) : report,
      end: report.kind === 'crash' ? report : isStart ? null : (before?.end ?? null),
      roles: isStart ? report.roles : { ...before?.roles, ...report.roles },
      charts: before?.charts || report.charts ? { ...before?.charts, ...report.charts } : undefined,
    });
  }

  /** The state of each node, all with one time. A parent comes before its children: it began earlier, and reported its start later. */
  reports(at: number): LiveReport[] {
    const inOrder = [...this.nodes.values()].toSorted((a, b) => beganAt(a) - beganAt(b));
    const nodes = inOrder.flatMap((stood) => standsSo(stood, at));
    return [...nodes, ...[...this.peers.values()].map((report) => ({ ...report, at }))];
  }
}

const beganAt = ({ start, last }: Stood): number => (start ?? last).at;

/** A node that began and ended within the gap is left out, unless its chart is also the chart of others. */
function standsSo({ start, last, end, roles, charts }: Stood, at: number): StepReport[] {
  if (start && end && !charts) return [];
  const { ports, hosting } = last;
  const state = {
    at,
    event: { type: 'stands' },
    sent: [],
    emitted: [],
    roles,
    ...(charts && { charts }),
    ...(ports && { ports }),
    ...(hosting && { hosting }),
  };
  const { node, role, isOwn } = last;
  const named = { node, ...(role !== undefined && { role }), ...(isOwn && { isOwn }) };
  const stands: StepReport = start ? { ...start, ...state } : { ...named, kind: 'note', ...state };
  return [stands, ...(end ? [{ ...end, at }] : [])];
}

function textOf(report: LiveReport): string {
  try {
    const text = JSON.stringify(report);
    if (text.length <= REPORT_BYTES_MAX && byteLength(text) <= REPORT_BYTES_MAX) return text;
  } catch {
    // It contains a value that is not JSON.
  }
  let text = '';
  for (const characters of CUTS) {
    text = JSON.stringify(cut(report, characters));
    if (byteLength(text) <= REPORT_BYTES_MAX) break;
  }
  return text;
}

/** Copies a report with shorter states and messages. */
function cut(report: LiveReport, charactersMax: number): LiveReport {
  const options = { charactersMax };
  if (report.kind === 'gap') return report;
  if (report.kind === 'peer') return plain(report, options) as PeerReport;
  const { event, message, sent, emitted, roles, charts } = report;
  return {
    ...report,
    event: plainEvent(event, options),
    ...(message && { message: plainEvent(message, options) }),
    sent: sent.map((one) => ({ ...one, message: plainEvent(one.message, options) })),
    emitted: emitted.map((one) => plainEvent(one, options)),
    roles: Object.fromEntries(
      Object.entries(roles).map(([name, view]) => [name, view && { ...view, context: plain(view.context, options) }]),
    ) as StepReport['roles'],
    ...(charts && { charts: plain(charts, { ...AT_LENGTH, ...options }) as StepReport['charts'] }),
  } as StepReport;
}
