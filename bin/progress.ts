/** A progress line on a terminal, without output in a pipe. */
const EVERY_MS = 100;

export class ProgressLine {
  private readonly stream = process.stderr;
  private lastMs = 0;
  private shown = false;

  show(text: string): void {
    const nowMs = Date.now();
    if (!this.stream.isTTY || nowMs - this.lastMs < EVERY_MS) return;
    this.lastMs = nowMs;
    this.shown = true;
    this.stream.write(`\r\x1b[K${text.slice(0, this.stream.columns - 1)}`);
  }

  /** Takes the line away. */
  done(): void {
    if (this.shown) this.stream.write('\r\x1b[K');
    this.shown = false;
  }
}
