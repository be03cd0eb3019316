/**
 * Every message of a recording in columns, numbered (its `ordinal`) in the order of sending.
 *
 * The messages in flight at a line are needed at every frame and after every jump. The table therefore keeps regular lists of them. Between
 * two lists, only the messages sent since then have to be visited.
 */
import { Column, lastAtMost } from './columns.js';
import { Interned } from './interned.js';

/** How a message ended. For an `unseen` one, the trace has no report of its arrival or loss. */
export type Ending = 'delivered' | 'lost' | 'unseen';

export interface MessageRow {
  readonly ordinal: number;
  /** The number that the trace gives it. */
  readonly id: number;
  /** Nodes by number. */
  readonly from: number;
  readonly to: number;
  readonly type: string;
  readonly cost: number;
  /** The line that sent it. */
  readonly sent: number;
  /** The line that delivered or lost it; -1 while it is on its way at the end of the trace. */
  readonly ended: number;
  readonly ending: Ending | null;
}

/** A list is kept when this many lines have passed, and more lines when many messages are on their way. */
const LINES_BETWEEN_LISTS = 1024;

export class Messages {
  readonly types = new Interned();
  private readonly ids = new Column(Float64Array);
  private readonly from = new Column(Int32Array);
  private readonly to = new Column(Int32Array);
  private readonly type = new Column(Int32Array);
  private readonly cost = new Column(Float64Array);
  private readonly sent = new Column(Int32Array);
  /** The line where it ended: -1 for none; a lost message's line is stored as its complement below -1. */
  private readonly ended = new Column(Int32Array);
  /** Messages on their way: their ordinals by id. */
  private readonly live = new Map<number, number>();
  /** Lost before the step that sent them was written, by id: a message can be lost in the very act of sending. */
  private readonly lostEarly = new Set<number>();
  private readonly gaps = new Set<number>();
  private readonly listLines: number[] = [];
  private readonly lists: Int32Array[] = [];

  get first(): number {
    return this.ids.first;
  }

  get end(): number {
    return this.ids.end;
  }

  get inFlight(): number {
    return this.live.size;
  }

  send(line: number, id: number, from: number, to: number, type: string, cost: number): void {
    const lost = this.lostEarly.delete(id);
    if (!lost) this.live.set(id, this.end);
    this.ids.push(id);
    this.from.push(from);
    this.to.push(to);
    this.type.push(this.types.add(type));
    this.cost.push(cost);
    this.sent.push(line);
    this.ended.push(lost ? -2 - line : -1);
  }

  /** A message arrives or is lost; its ordinal, -1 for one that is not on its way. */
  finish(line: number, id: number, ending: 'delivered' | 'lost'): number {
    const ordinal = this.live.get(id);
    if (ordinal === undefined) {
      if (ending === 'lost' && id >= 0) this.lostEarly.add(id);
      return -1;
    }
    this.live.delete(id);
    this.ended.set(ordinal, ending === 'delivered' ? line : -2 - line);
    return ordinal;
  }

  /** Records a gap: the ends of all messages in flight are unknown. */
  gap(line: number): void {
    this.gaps.add(line);
    for (const ordinal of this.live.values()) this.ended.set(ordinal, line);
    this.live.clear();
  }

  /** Ends a line, so that lists are kept. */
  lineRead(line: number): void {
    const last = this.listLines.at(-1) ?? -1;
    if (line - last < LINES_BETWEEN_LISTS + 2 * this.live.size) return;
    this.listLines.push(line);
    this.lists.push(Int32Array.from(this.live.values()));
  }

  get(ordinal: number): MessageRow {
    const ended = this.ended.at(ordinal);
    return {
      ordinal,
      id: this.ids.at(ordinal),
      from: this.from.at(ordinal),
      to: this.to.at(ordinal),
      type: this.types.names[this.type.at(ordinal)] ?? '',
      cost: this.cost.at(ordinal),
      sent: this.sent.at(ordinal),
      ended: ended < -1 ? -2 - ended : ended,
      ending: ended === -1 ? null : ended < -1 ? 'lost' : this.gaps.has(ended) ? 'unseen' : 'delivered',
    };
  }

  /** How many messages were sent by lines before `line`, as an ordinal: the first one that `line` or a later one sent. */
  firstSentFrom(line: number): number {
    return this.sent.lastAtMost(line - 1) + 1;
  }

  /** The ordinals of the messages on their way after `line`, oldest first. */
  inFlightAt(line: number): number[] {
    const flights: number[] = [];
    const isOnItsWay = (ordinal: number) => {
      const ended = this.ended.at(ordinal);
      return ended === -1 || (ended < -1 ? -2 - ended : ended) > line;
    };
    const list = lastAtMost(this.listLines, line);
    for (const ordinal of this.lists[list] ?? []) if (ordinal >= this.first && isOnItsWay(ordinal)) flights.push(ordinal);
    const until = this.firstSentFrom(line + 1);
    for (let ordinal = this.firstSentFrom((this.listLines[list] ?? -1) + 1); ordinal < until; ordinal++) {
      if (isOnItsWay(ordinal)) flights.push(ordinal);
    }
    return flights;
  }

  /** Forgets the messages sent before `line`. */
  drop(line: number): void {
    const ordinal = this.firstSentFrom(line);
    for (const column of [this.ids, this.from, this.to, this.type, this.cost, this.sent, this.ended]) column.drop(ordinal);
    for (const [id, live] of this.live) if (live < ordinal) this.live.delete(id);
    const gone = lastAtMost(this.listLines, line - 1) + 1;
    this.listLines.splice(0, gone);
    this.lists.splice(0, gone);
  }
}
