/**
 * The inspector's copy of a trace: the text of each line, a few integers for each line, and for each role, overlay and link the rising list of
 * the lines that changed it.
 *
 * The state at any moment takes one binary search for each thing, and only the found lines are parsed. A jump across a million lines
 * therefore costs the same as one step, without a replay.
 *
 * Memory is bounded: beyond the limits the oldest quarter is forgotten, except for lines that determine the present state.
 */
import { isStep, type NetworkLine, type StepLine, type TraceHeader, type TraceLine } from '../../network/trace.js';
import { Column, lastAtMost } from './columns.js';
import { Interned } from './interned.js';
import { Messages } from './messages.js';
import { lineOf, TraceReader } from './reader.js';
import { Tally } from './tally.js';
import { ChartVisits } from './visits.js';
import { eventName } from './words.js';

export interface TraceLimits {
  readonly lines: number;
  readonly characters: number;
}

const LIMITS: TraceLimits = { lines: 2_000_000, characters: 800_000_000 };
const PARSED_LINES_MAX = 20_000;
/** Kinds of steps that start or stop a node. */
const RUNS: ReadonlySet<string> = new Set(['start', 'crash', 'restart', 'reload']);

/** A role of a node, and the lines of the trace that changed its state. */
export interface Slot {
  /** Its place among all slots. */
  readonly number: number;
  readonly role: string;
  readonly lines: number[];
  /** The state after each of these lines, by its number in the tally; -1 where the role was closed. */
  readonly states: number[];
}

/** The lines that changed one direction of a link. Each is stored as twice its number, plus one if the direction came up. */
export interface Channel {
  readonly from: number;
  readonly to: number;
  readonly changes: number[];
}

export class ReadTrace {
  header: TraceHeader | null = null;
  readonly nodes = new Interned();
  readonly kinds = new Interned();
  readonly messages = new Messages();
  readonly tally = new Tally();
  readonly visits = new ChartVisits();
  readonly slots: Slot[] = [];
  /** By node: its slots, and the lines that changed its overlay and whether it runs (twice the line, plus one when it does). */
  readonly slotsOf: Slot[][] = [];
  readonly overlays: number[][] = [];
  readonly running: number[][] = [];
  /** By line, how a live node went there: it ended, or its program stopped reporting. */
  readonly ends = new Map<number, string>();
  /** By node: the program that it is part of and, of an XState actor, the number of its parent and the kind of its logic. */
  readonly programs: (string | undefined)[] = [];
  readonly parents: (number | undefined)[] = [];
  readonly logics: (string | undefined)[] = [];
  /** By node: the kind of a cluster actor. */
  readonly groups: (string | undefined)[] = [];
  /** By node: its steps. */
  readonly steps: number[][] = [];
  /** By the numbers of their nodes, as `from>to`. */
  readonly channels = new Map<string, Channel>();
  private readonly incoming: Channel[][] = [];
  readonly violations: number[] = [];
  /** The line of the verdict, and the line where the infinite part of a counterexample begins. */
  verdict: number | null = null;
  endless: number | null = null;
  /** Places of missing lines, with the number of lines missing before them. */
  readonly missing: { readonly line: number; readonly count: number }[] = [];
  /** Lines after which reports are missing. The state after the gap follows. */
  readonly gaps: number[] = [];
  /** Programs that the inspector refused, each with a sentence for the page. */
  readonly refusals: string[] = [];
  /** Lines with an invalid part, and the reason. */
  readonly unshown: { readonly line: number; readonly why: string }[] = [];
  /** Lines of a live trace that only prepare other lines: links that came up, and messages sent that another line contains. Ascending. */
  readonly quiet: number[] = [];
  /** Nodes that the header does not list, with their first line, or `null` where a link of the header names them. */
  readonly strangers: { readonly node: string; readonly line: number | null }[] = [];
  /** True as long as all lines are starts of nodes. Nodes that join later are not in the header. */
  private isStarting = true;
  /** The number of forgotten lines at the start. */
  first = 0;

  private readonly texts: string[] = [];
  private characters = 0;
  /** The expected index of the next line; -1 if any is possible. */
  private nextIndex = 0;
  private readonly ats = new Column(Float64Array);
  private readonly kind = new Column(Int32Array);
  private readonly node = new Column(Int32Array);
  private readonly message = new Column(Int32Array);
  /** Lines before `first` that still determine the present state. */
  private anchors = new Map<number, string>();
  private readonly parsed = new Map<number, TraceLine>();
  private readonly reader = new TraceReader({
    header: (header) => this.begin(header),
    line: (line, text) => this.add(line, text),
  });

  constructor(private readonly limits: TraceLimits = LIMITS) {}

  /** The next piece of the trace's text, cut anywhere. */
  push(piece: string): void {
    this.reader.push(piece);
  }

  close(): void {
    this.reader.end();
  }

  get problem(): string | null {
    const { problem } = this.reader;
    return problem === null || this.header === null ? problem : `${problem} Shown is everything before.`;
  }

  /** The number that the next line of a live trace has; -1 if any is possible. */
  get next(): number {
    return this.nextIndex;
  }

  /** One past the last line. */
  get end(): number {
    return this.first + this.texts.length;
  }

  at = (line: number): number => this.ats.at(line);
  kindOf = (line: number): string => this.kinds.names[this.kind.at(line)] ?? '';
  /** The number of the node that took the step, -1 for a line about the network. */
  nodeOf = (line: number): number => this.node.at(line);
  /** The ordinal of the message that the line delivered or lost; -1 for none. */
  messageOf = (line: number): number => this.message.at(line);

  /** The sender of the message that the line delivered or lost. `undefined` if there is no such message, or if its sending was left out. */
  senderAt(line: number): string | undefined {
    const ordinal = this.messageOf(line);
    return ordinal < this.messages.first ? undefined : this.nodes.names[this.messages.get(ordinal).from];
  }
  /** The last line at or before a time. */
  lastLineAt = (at: number): number => this.ats.lastAtMost(at);

  line(place: number): TraceLine {
    const known = this.parsed.get(place);
    if (known) return known;
    const text = this.texts[place - this.first] ?? this.anchors.get(place);
    if (text === undefined) throw new RangeError(`line ${place} of the trace is not in memory`);
    const line = lineOf(text);
    this.parsed.set(place, line);
    if (this.parsed.size > PARSED_LINES_MAX)
      for (const oldest of this.parsed.keys()) {
        this.parsed.delete(oldest);
        if (this.parsed.size <= PARSED_LINES_MAX / 2) break;
      }
    return line;
  }

  /** A line as it was written. */
  textOf = (place: number): string | undefined => this.texts[place - this.first];

  /** The kept part of the trace as text. */
  text(): string {
    return [JSON.stringify(this.header), ...this.texts, ''].join('\n');
  }

  /**
   * The line at which a violation is visible. During a run, the violation is recorded just before the step that caused it; at the end, it
   * concerns the final state.
   */
  seenAt(violation: number): number {
    let line = violation + 1;
    while (line < this.end && this.kindOf(line) === 'violated') line++;
    const isOfStep = line < this.end && this.nodeOf(line) >= 0 && this.at(line) === this.at(violation);
    return isOfStep ? line : violation;
  }

  step(place: number): StepLine | null {
    const line = this.line(place);
    return isStep(line) ? line : null;
  }

  private begin(header: TraceHeader): void {
    for (const name of header.nodes) this.nodeNumber(name);
    const isListed = new Set([...header.nodes, ...Object.keys(header.start?.nodes ?? {})]);
    const unlisted = new Set(header.links.flatMap(([a, b]) => [a, b]).filter((node) => !isListed.has(node)));
    for (const node of unlisted) this.strangers.push({ node, line: null });
    // Layout of the header's nodes needs all nodes that its links name.
    this.header = unlisted.size === 0 ? header : { ...header, nodes: [...header.nodes, ...unlisted] };
    for (const [a, b] of header.links) {
      this.channel(a, b);
      this.channel(b, a);
    }
  }

  private nodeNumber(name: string): number {
    const known = this.nodes.find(name);
    if (known >= 0) return known;
    this.slotsOf.push([]);
    this.overlays.push([]);
    this.running.push([]);
    this.steps.push([]);
    return this.nodes.add(name);
  }

  /** The channels that lead to a node. */
  channelsTo(node: number): readonly Channel[] {
    return this.incoming[node] ?? [];
  }

  private channel(a: string, b: string): Channel {
    const from = this.nodeNumber(a);
    const to = this.nodeNumber(b);
    const key = `${from}>${to}`;
    let channel = this.channels.get(key);
    if (!channel) {
      this.channels.set(key, (channel = { from, to, changes: [] }));
      (this.incoming[to] ??= []).push(channel);
    }
    return channel;
  }

  private slot(node: number, role: string): Slot {
    const own = this.slotsOf[node]!;
    let slot = own.find((one) => one.role === role);
    if (!slot) {
      slot = { number: this.slots.length, role, lines: [], states: [] };
      this.slots.push(slot);
      own.push(slot);
    }
    return slot;
  }

  private add(line: TraceLine, text: string): void {
    const place = this.end;
    this.count(place, line);
    this.texts.push(text);
    this.characters += text.length;
    this.ats.push(line.at);
    this.kind.push(this.kinds.add(line.kind));
    const ended = line.message !== undefined && (line.kind === 'deliver' || line.kind === 'lost');
    this.message.push(ended ? this.messages.finish(place, line.message, line.kind === 'lost' ? 'lost' : 'delivered') : -1);
    if (isStep(line)) this.addStep(place, line);
    else this.addToNetwork(place, line);
    this.messages.lineRead(place);
    this.tally.lineRead(place, line.at, this.messages.inFlight);
    if (this.texts.length > this.limits.lines || this.characters > this.limits.characters) this.forget();
  }

  /** Lines are numbered in the order of writing. Lines that describe the present state have no number. */
  private count(place: number, { index }: TraceLine): void {
    if (typeof index !== 'number') return;
    const count = index - this.nextIndex;
    if (this.nextIndex >= 0 && index >= 0 && count > 0) {
      this.missing.push({ line: place, count });
      this.messages.gap(place);
    }
    this.nextIndex = index < 0 ? -1 : index + 1;
  }

  private addToNetwork(place: number, line: NetworkLine): void {
    const { kind, between, message, up, event, unshown } = line;
    this.node.push(-1);
    if (kind === 'violated') this.violations.push(place);
    if (kind === 'verdict') this.verdict = place;
    if (kind === 'endless') this.endless = place;
    if (kind === 'skipped') {
      if (unshown === undefined) this.gaps.push(place);
      else this.unshown.push({ line: place, why: unshown });
      this.messages.gap(place);
    }
    if (kind === 'refused' && !between && line.why !== undefined) this.refusals.push(line.why);
    if (!between) return;
    if (this.header?.live && (kind === 'placed' || (kind === 'channel' && up === true))) this.quiet.push(place);
    if (kind === 'channel') this.change(this.channel(...between), place, up ?? false);
    if ((kind === 'duplicated' || kind === 'placed') && message !== undefined) {
      const [from, to] = [this.nodeNumber(between[0]), this.nodeNumber(between[1])];
      this.messages.send(place, message, from, to, event ? eventName(event.type, between[0]) : 'copy', 0);
    }
  }

  /** After a gap, a line for each channel repeats its state, changed or not. */
  private change({ changes }: Channel, place: number, up: boolean): void {
    const last = changes.at(-1);
    const isNew = this.gaps.length === 0 || (last === undefined ? !up : (last % 2 === 1) !== up);
    if (isNew) changes.push(2 * place + (up ? 1 : 0));
  }

  /** A node that comes later starts then. */
  private isStranger({ node, kind }: StepLine): boolean {
    if (kind !== 'start') this.isStarting = false;
    return this.nodes.find(node) < 0 && !this.header?.live && (this.isStarting || kind !== 'start');
  }

  private addStep(place: number, line: StepLine): void {
    if (this.isStranger(line)) this.strangers.push({ node: line.node, line: place });
    const node = this.nodeNumber(line.node);
    if (line.charts && this.header) this.header = { ...this.header, charts: { ...this.header.charts, ...line.charts } };
    this.node.push(node);
    this.steps[node]!.push(place);
    for (const { id, to, message, cost } of line.sent) {
      const type = eventName(message.type, line.node);
      this.messages.send(place, id, node, this.nodeNumber(to), type, cost ?? 0);
      this.tally.send(type, cost ?? 0);
    }
    for (const role of Object.keys(line.roles)) {
      const slot = this.slot(node, role);
      slot.lines.push(place);
      slot.states.push(this.tally.move(slot.number, line.roles[role]!));
      this.visits.move(slot.number, line.roles[role]!);
    }
    if (line.taken) this.visits.take(line.taken, (role) => this.slot(node, role).number);
    if (line.overlay) {
      this.overlays[node]!.push(place);
      this.tally.mark(node, line.overlay);
    }
    if (line.program !== undefined) this.programs[node] = line.program;
    if (line.parent !== undefined) this.parents[node] = this.nodeNumber(line.parent);
    if (line.logic !== undefined) this.logics[node] = line.logic;
    if (line.group !== undefined) this.groups[node] = line.group;
    if (line.kind === 'crash') this.ends.set(place, line.event.type);
    const isUp = line.kind !== 'crash';
    const wasUp = (this.running[node]!.at(-1) ?? 1) % 2 === 1;
    if (isUp !== wasUp && RUNS.has(line.kind)) this.running[node]!.push(2 * place + (isUp ? 1 : 0));
  }

  /** Forgets the oldest quarter of the lines. */
  private forget(): void {
    const first = this.first + Math.ceil(this.texts.length / 4);
    const anchors = new Map<number, string>();
    const textOf = (place: number) => this.texts[place - this.first] ?? this.anchors.get(place)!;
    const prune = (lines: number[]) => {
      const last = lastAtMost(lines, first - 1);
      if (last < 0) return;
      anchors.set(lines[last]!, textOf(lines[last]!));
      lines.splice(0, last);
    };
    for (const { lines, states } of this.slots) {
      prune(lines);
      states.splice(0, states.length - lines.length);
    }
    this.overlays.forEach(prune);
    const pruneChanges = (changes: number[]) => changes.splice(0, Math.max(lastAtMost(changes, 2 * first - 1), 0));
    this.running.forEach(pruneChanges);
    for (const { changes } of this.channels.values()) pruneChanges(changes);
    for (const lines of [...this.steps, this.violations, this.gaps, this.quiet])
      lines.splice(0, lastAtMost(lines, first - 1) + 1);
    for (const text of this.texts.splice(0, first - this.first)) this.characters -= text.length;
    for (const column of [this.ats, this.kind, this.node, this.message]) column.drop(first);
    this.messages.drop(first);
    this.anchors = anchors;
    this.first = first;
  }
}
