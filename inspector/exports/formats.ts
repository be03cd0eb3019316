/** The file formats that a trace can be saved in. The ending of the file name selects one: an HTML page, an SVG picture or a ShiViz log. */
import type { TraceHeader, TraceLine } from '../../network/trace.js';
import { pageFile } from './page-file.js';
import { shivizLog } from './shiviz.js';
import { spaceTimeSvg } from './space-time.js';

type Convert = (header: TraceHeader, lines: readonly TraceLine[]) => string;

const FORMATS: Readonly<Record<string, Convert>> = {
  '.html': (header, lines) => pageFile([header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('')),
  '.svg': spaceTimeSvg,
  '.shiviz.log': shivizLog,
};

/** The file endings with a format, as a list for the help text. */
export const ENDINGS = Object.keys(FORMATS).join(', ');

/** The format for a file name, or `null` for an unconverted trace. */
export function formatOf(name: string): Convert | null {
  const ending = Object.keys(FORMATS).find((one) => name.endsWith(one));
  return ending === undefined ? null : FORMATS[ending]!;
}
