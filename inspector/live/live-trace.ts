/**
 * A trace that is still being written: whoever asks gets what has been and then what comes.
 *
 * It keeps so many lines. Of what is older it keeps how every node stood, and tells that as the nodes' start to whoever comes later.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Draft } from '../../network/recorder.js';
import { isStep, type StepLine, type TraceHeader, type TraceLine } from '../../network/trace.js';

const LINES_MAX = 100_000;

type Stand = Pick<StepLine, 'node' | 'at' | 'roles' | 'overlay'>;

export class LiveTrace {
  private readonly lines: Draft[] = [];
  /** How many lines have been forgotten. */
  private first = 0;
  /** Each node as it stood at the oldest line that is kept. */
  private readonly stands = new Map<NodeId, Stand>();
  private isOver = false;
  /** Who waits for what comes. */
  private readers: (() => void)[] = [];

  constructor(
    private header: TraceHeader,
    private readonly linesMax = LINES_MAX,
  ) {}

  add(line: TraceLine): void {
    if (isStep(line) && line.charts) this.header = { ...this.header, charts: { ...this.header.charts, ...line.charts } };
    this.addDraft(() => line);
  }

  addDraft(draft: Draft): void {
    this.lines.push(draft);
    if (this.lines.length > this.linesMax)
      for (const old of this.lines.splice(0, Math.ceil(this.linesMax / 4))) this.forget(old());
    this.tell();
  }

  end(): void {
    this.isOver = true;
    this.tell();
  }

  /** All of it as text, from the start to the end that is to come. */
  async *text(): AsyncGenerator<string> {
    yield `${JSON.stringify(this.header)}\n`;
    for (const stand of this.stands.values()) yield `${JSON.stringify(startLine(stand))}\n`;
    for (let place = this.first; ;) {
      // Lines that were forgotten while this reader was slow are gone for it, too.
      const piece = this.lines.slice(Math.max(place - this.first, 0));
      place = this.first + this.lines.length;
      if (piece.length > 0) yield piece.map((draft) => `${JSON.stringify(draft())}\n`).join('');
      else if (this.isOver) return;
      else await new Promise<void>((resolve) => this.readers.push(resolve));
    }
  }

  private tell(): void {
    if (this.readers.length === 0) return;
    for (const wake of this.readers.splice(0)) wake();
  }

  private forget(line: TraceLine): void {
    this.first++;
    if (!isStep(line)) return;
    const { node, at, roles, overlay } = line;
    const before = this.stands.get(node);
    const now = overlay ?? before?.overlay;
    this.stands.set(node, { node, at, roles: { ...before?.roles, ...roles }, ...(now ? { overlay: now } : {}) });
  }
}

const startLine = (stand: Stand): StepLine => ({
  index: -1,
  kind: 'start',
  event: { type: 'start' },
  sent: [],
  emitted: [],
  clock: {},
  ...stand,
});
