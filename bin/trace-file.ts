/** The file that a trace is written to: as it is, line by line, or as a page, a picture or another tool's format, by the file's ending. */
import { formatOf } from '../inspector/exports/formats.js';
import type { TraceHeader, TraceLine } from '../network/trace.js';
import { OutputFile } from './output-file.js';

export class TraceFile {
  private readonly file: OutputFile;
  private readonly lines: (TraceHeader | TraceLine)[] = [];
  private readonly convert;

  constructor(path: string) {
    this.convert = formatOf(path);
    this.file = new OutputFile(path);
  }

  line(line: TraceHeader | TraceLine): void {
    if (this.convert) this.lines.push(line);
    else this.file.line(line);
  }

  /** Puts the finished file in its place. */
  keep(): void {
    const [header, ...lines] = this.lines;
    if (this.convert) this.file.text(this.convert(header as TraceHeader, lines as TraceLine[]));
    this.file.keep();
  }

  discard(): void {
    this.file.discard();
  }
}

export function writeTrace(path: string, lines: Iterable<TraceHeader | TraceLine>): void {
  const file = new TraceFile(path);
  try {
    for (const line of lines) file.line(line);
    file.keep();
  } catch (error) {
    file.discard();
    throw error;
  }
}
