/**
 * A file that is there whole or not at all: written beside its place, moved when done, taken away on Ctrl-C. A device or a pipe is written
 * to as it stands, and nothing takes its place.
 */
import { closeSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { UsageError } from '../machines/errors.js';

const BUFFER_LENGTH = 1 << 16;

export class OutputFile {
  /** What a link leads to, so that the link stays one. */
  private readonly target: string;
  /** Where it is written; the target itself where that is no regular file. */
  private readonly partial: string;
  private readonly descriptor: number;
  private buffer = '';
  private readonly interrupted = (): void => {
    this.discard();
    process.exit(130);
  };

  constructor(path: string) {
    const known = statSync(path, { throwIfNoEntry: false });
    if (path === '' || path === '-' || known?.isDirectory())
      throw new UsageError(`cannot write "${path}": it is ${known?.isDirectory() ? 'a folder' : 'no file'}; name a file`);
    this.target = known?.isFile() ? realpathSync(path) : path;
    this.partial = known && !known.isFile() ? this.target : `${this.target}.${process.pid}.partial`;
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
    // All of it: `writeSync` may stop in the middle, at a pipe for instance.
    writeFileSync(this.descriptor, this.buffer);
    this.buffer = '';
  }

  /** Puts the finished file in its place. */
  keep(): void {
    this.flush();
    closeSync(this.descriptor);
    if (this.partial !== this.target) renameSync(this.partial, this.target);
    this.listenNoMore();
  }

  discard(): void {
    closeSync(this.descriptor);
    if (this.partial !== this.target) rmSync(this.partial, { force: true });
    this.listenNoMore();
  }

  private listenNoMore(): void {
    process.off('SIGINT', this.interrupted);
    process.off('SIGTERM', this.interrupted);
  }
}
