/**
 * A trace that is still being written: each reader receives the present content, then every new line.
 *
 * The trace is stored in segments. Each begins with the state at its time. Beyond the limit, the oldest segment is dropped, and later
 * readers begin with the next one. A reader that was too slow is notified.
 */
import { isStep, type TraceHeader, type TraceLine } from '../../network/trace.js';

const CHARACTERS_MAX = 64_000_000;
const SEGMENTS = 4;
/** Milliseconds. New lines are collected for this time, because every sending costs time of the observed program. */
const GATHER_MS = 30;

interface Segment {
  readonly number: number;
  /** The state at its beginning, for readers that begin here. */
  readonly start: string;
  readonly at: number;
  readonly lines: string[];
  characters: number;
}

const textOf = (line: TraceLine): string => `${JSON.stringify(line)}\n`;

export class LiveTrace {
  private readonly segments: Segment[] = [{ number: 0, start: '', at: 0, lines: [], characters: 0 }];
  private isOver = false;
  /** The number of lines so far, those that were dropped included. */
  written = 0;
  /** Readers that wait for new lines. */
  private readers: (() => void)[] = [];

  constructor(
    private header: TraceHeader,
    /** The present state, as lines. */
    private readonly standing: () => readonly TraceLine[],
    private readonly charactersMax = CHARACTERS_MAX,
  ) {}

  add(line: TraceLine): void {
    if (isStep(line) && line.charts) this.header = { ...this.header, charts: { ...this.header.charts, ...line.charts } };
    if (line.index >= 0) this.written = line.index + 1;
    const last = this.segments.at(-1)!;
    const text = textOf(line);
    last.lines.push(text);
    last.characters += text.length;
    if (last.characters * SEGMENTS > this.charactersMax) this.begin(last.number + 1, line.at);
    this.notify();
  }

  end(): void {
    this.isOver = true;
    this.notify();
  }

  /** The whole trace as text, until it ends. */
  async *text(): AsyncGenerator<string> {
    let { number, start } = this.segments[0]!;
    yield `${JSON.stringify(this.header)}\n${start}`;
    for (let place = 0; ;) {
      const first = this.segments[0]!;
      const segment = this.segments[number - first.number];
      if (!segment) {
        [number, place] = [first.number, 0];
        yield textOf({ index: -1, at: first.at, kind: 'skipped', why: 'this page was too slow for it', clock: {} }) + first.start;
        continue;
      }
      const piece = segment.lines.slice(place);
      place += piece.length;
      if (piece.length > 0) yield piece.join('');
      else if (segment !== this.segments.at(-1)) [number, place] = [number + 1, 0];
      else if (this.isOver) return;
      else await this.more();
    }
  }

  private async more(): Promise<void> {
    await new Promise<void>((resolve) => this.readers.push(resolve));
    if (!this.isOver) await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
  }

  private begin(number: number, at: number): void {
    this.segments.push({ number, start: this.standing().map(textOf).join(''), at, lines: [], characters: 0 });
    if (this.segments.length > SEGMENTS) this.segments.shift();
  }

  private notify(): void {
    if (this.readers.length === 0) return;
    for (const wake of this.readers.splice(0)) wake();
  }
}
