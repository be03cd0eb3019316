/** A file that is there whole or not at all: written beside its place, moved when done, taken away on Ctrl-C. */
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { UsageError } from '../machines/errors.js';

const BUFFER_LENGTH = 1 << 16;

export class OutputFile {
  private readonly partial: string;
  private readonly descriptor: number;
  private buffer = '';
  private readonly interrupted = (): void => {
    this.discard();
    process.exit(130);
  };

  constructor(private readonly path: string) {
    this.partial = `${path}.${process.pid}.partial`;
    // Before the file is there: a signal that nobody hears ends the process at once, and leaves it behind.
    process.on('SIGINT', this.interrupted);
    process.on('SIGTERM', this.interrupted);
    try {
      this.descriptor = openSync(this.partial, 'w');
    } catch (error) {
      this.listenNoMore();
      throw new UsageError(`cannot write ${path} (${(error as Error).message}); name a file in a folder that is there`);
    }
  }

  line(value: unknown): void {
    this.text(`${JSON.stringify(value)}\n`);
  }

  text(text: string): void {
    this.buffer += text;
    if (this.buffer.length > BUFFER_LENGTH) this.flush();
  }

  private flush(): void {
    writeSync(this.descriptor, this.buffer);
    this.buffer = '';
  }

  /** Puts the finished file in its place. */
  keep(): void {
    this.flush();
    closeSync(this.descriptor);
    renameSync(this.partial, this.path);
    this.listenNoMore();
  }

  discard(): void {
    closeSync(this.descriptor);
    rmSync(this.partial, { force: true });
    this.listenNoMore();
  }

  private listenNoMore(): void {
    process.off('SIGINT', this.interrupted);
    process.off('SIGTERM', this.interrupted);
  }
}
