/** The file that a trace is written to: line by line, or as a page, a picture or another tool's format, by the file's ending. */
import type { TraceHeader, TraceLine } from '../network/trace.js';
import { OutputFile } from './output-file.js';

/** In which format a file of this name is written; null for the trace as it is, of which the inspector need not be loaded. */
async function formatFor(path: string) {
  if (path.endsWith('.ndjson')) return null;
  const { formatOf } = await import('../inspector/exports/formats.js');
  return formatOf(path);
}

export class TraceFile {
  private readonly lines: (TraceHeader | TraceLine)[] = [];

  private constructor(
    private readonly file: OutputFile,
    private readonly convert: Awaited<ReturnType<typeof formatFor>>,
  ) {}

  static async open(path: string): Promise<TraceFile> {
    const format = await formatFor(path);
    return new TraceFile(new OutputFile(path), format);
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

export async function writeTrace(path: string, lines: Iterable<TraceHeader | TraceLine>): Promise<void> {
  const file = await TraceFile.open(path);
  try {
    for (const line of lines) file.line(line);
    file.keep();
  } catch (error) {
    file.discard();
    throw error;
  }
}
