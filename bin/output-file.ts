/**
 * A file that is either complete or absent: it is written next to its place, moved at the end, and removed on Ctrl-C. A device or a pipe is
 * written directly.
 */
import { closeSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { UsageError, thrownText } from '../machines/errors.js';

const BUFFER_LENGTH = 1 << 16;

export class OutputFile {
  /** The target of a symbolic link, so that the link remains. */
  private readonly target: string;
  /** The path that is written; the target itself if it is not a regular file. */
  private readonly partial: string;
  private descriptor: number | null;
  private buffer = '';
  /** Thrown by `keep`: a recorded run does not see errors of its observers. */
  private failure: UsageError | null = null;
  private readonly interrupted = (): void => {
    this.discard();
    process.exit(130);
  };

  constructor(path: string) {
    const known = statSync(path, { throwIfNoEntry: false });
    if (path === '' || path === '-' || known?.isDirectory())
      throw new UsageError(
        `Cannot write "${path}": it is ${known?.isDirectory() ? 'a folder' : 'not a file name'}. Choose a file.`,
      );
    this.target = known?.isFile() ? realpathSync(path) : path;
    this.partial = known && !known.isFile() ? this.target : `${this.target}.${process.pid}.partial`;
    // Registered before the file exists: an unhandled signal would end the process at once and leave the file behind.
    process.on('SIGINT', this.interrupted);
    process.on('SIGTERM', this.interrupted);
    try {
      this.descriptor = openSync(this.partial, 'w');
    } catch (error) {
      this.listenNoMore();
      throw new UsageError(`Cannot write ${path} (${thrownText(error)}). Choose a file in an existing folder.`);
    }
  }

  line(value: unknown): void {
    this.text(`${JSON.stringify(value)}\n`);
  }

  text(text: string): void {
    if (this.failure) return;
    this.buffer += text;
    if (this.buffer.length > BUFFER_LENGTH) this.flush();
  }

  private flush(): void {
    try {
      // Writes the whole buffer: `writeSync` may stop in the middle, for example at a pipe.
      writeFileSync(this.descriptor!, this.buffer);
    } catch (error) {
      this.failure = new UsageError(
        `Cannot write ${this.target} (${thrownText(error)}). Free some space, or choose another file.`,
      );
    }
    this.buffer = '';
  }

  /** Moves the finished file to its place. Throws if it could not be written; nothing remains of it then. */
  keep(): void {
    this.flush();
    if (this.failure) {
      this.discard();
      throw this.failure;
    }
    this.close();
    if (this.partial !== this.target) renameSync(this.partial, this.target);
    this.listenNoMore();
  }

  discard(): void {
    if (this.descriptor === null) return;
    this.close();
    if (this.partial !== this.target) rmSync(this.partial, { force: true });
    this.listenNoMore();
  }

  private close(): void {
    closeSync(this.descriptor!);
    this.descriptor = null;
  }

  private listenNoMore(): void {
    process.off('SIGINT', this.interrupted);
    process.off('SIGTERM', this.interrupted);
  }
}
