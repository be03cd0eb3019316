/** The file formats that a trace can be saved in. The ending of the file name selects one: an HTML page, an SVG picture or a ShiViz log. */
import { type TraceHeader, type TraceLine, isStep } from '../../network/trace.js';
import { pageFile } from './page-file.js';
import { sentence, numberText } from '../model/words.js';
import { ReadTrace } from '../model/recording.js';
import { DOTS_MAX, layOut } from '../model/spacetime.js';
import { isTimed, xOf, type Axis } from '../model/playback.js';
import { xmlText } from './xml-text.js';

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

/**
 * A trace as a log of ShiViz: two lines for each event, its description and its vector clock. Events of the network, such as a loss, have
 * no vector clock and are left out.
 */
const PARSER = String.raw`(?<event>.*)\n(?<host>\S*) (?<clock>{.*})`;

function shivizLog(_header: TraceHeader, lines: readonly TraceLine[]): string {
  const steps = lines.filter(isStep).filter(({ node, clock }) => (clock[node] ?? 0) > 0);
  const events = steps.map(
    (step) => `${sentence(step).replaceAll(/\s+/g, ' ')}\n${hostOf(step.node)} ${clockText(step.clock)}\n`,
  );
  return `${PARSER}\n\n${events.join('')}`;
}

const hostOf = (node: string): string => node.replaceAll(/\s+/g, '_');

const clockText = (clock: Readonly<Record<string, number>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(clock).map(([node, count]) => [hostOf(node), count])));

/** A trace as a picture of space and time in SVG: a lane for each node, an arrow for each message, light ground, every text as text. */
const LANE = 34;
const NAMES = 120;
const HEAD = 30;
const DOT = 4;
const BAND = 24;
const WIDTH = { min: 480, perLine: 26, max: 6000 } as const;
const COLORS = ['#015396', '#6b4c01', '#006055', '#aa3771', '#006800', '#6b55b8', '#697002', '#6d3d71'] as const;
const TICKS = 10;

function spaceTimeSvg(header: TraceHeader, lines: readonly TraceLine[]): string {
  const recording = new ReadTrace();
  for (const line of [header, ...lines.slice(0, DOTS_MAX)]) recording.push(`${JSON.stringify(line)}\n`);
  recording.close();
  const axis: Axis = isTimed(recording) ? 'time' : 'lines';
  const { names } = recording.nodes;
  const [from, to] = [xOf(recording, axis, recording.first), xOf(recording, axis, recording.end - 1)];
  const { dots, slices, arrows } = layOut(recording, axis, { from, to }, (node) => node);
  const width = Math.min(Math.max(dots.length * WIDTH.perLine, WIDTH.min), WIDTH.max);
  const height = HEAD + names.length * LANE + DOT;
  const x = (value: number) => round(NAMES + ((value - from) / Math.max(to - from, 1e-9)) * (width - 2 * DOT));
  const y = (lane: number) => HEAD + lane * LANE + LANE / 2;
  const { types } = recording.messages;
  const ticks = Array.from({ length: TICKS + 1 }, (_, i) => from + ((to - from) * i) / TICKS);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${NAMES + width}" height="${height}" font-family="system-ui, sans-serif" font-size="12">
<title>${xmlText(`${header.protocol}: ${names.length} nodes in space and time`)}</title>
<rect width="100%" height="100%" fill="#fdfcfa"/>
<g fill="#5f6771" text-anchor="middle">${ticks.map((tick) => `<text x="${x(tick)}" y="16">${numberText(Number((axis === 'lines' ? tick + 1 : tick).toFixed(1)))}</text>`).join('')}</g>
<g fill-opacity="0.27">${slices
    .map(({ lane, row, rows, state, role, from: since, to: until }) => {
      const words = xmlText(`${names[lane]}, ${role}: ${recording.tally.states.names[state]}`);
      const box = `x="${x(since)}" y="${round(y(lane) - BAND / 2 + (row * BAND) / rows)}" width="${round(Math.max(x(until) - x(since), 1))}" height="${round(BAND / rows)}"`;
      return `<rect ${box} fill="${COLORS[state % COLORS.length]!}"><title>${words}</title></rect>`;
    })
    .join('\n')}</g>
<g stroke="#d8d4cb">${names.map((_, lane) => `<path d="M${NAMES} ${y(lane)}H${NAMES + width}"/>`).join('')}</g>
<g fill="#1d2329">${names.map((name, lane) => `<text x="8" y="${y(lane) + 4}">${xmlText(name)}</text>`).join('')}</g>
<g fill="none" stroke-width="1.5">${arrows
    .map(({ message, from, to }) => {
      const color = COLORS[types.find(message.type) % COLORS.length]!;
      const dash = message.ending === 'delivered' ? '' : ' stroke-dasharray="4 3"';
      return `<path d="M${x(from.x)} ${y(from.lane)}L${x(to.x)} ${y(to.lane)}" stroke="${color}"${dash}><title>${xmlText(message.type)}</title></path>`;
    })
    .join('\n')}</g>
<g fill="#3c444d">${dots.map(({ line, x: at, lane }) => `<circle cx="${x(at)}" cy="${y(lane)}" r="${DOT}"><title>${xmlText(sentence(recording.line(line)))}</title></circle>`).join('\n')}</g>
<g>${types.names.map((type, i) => `<text x="${NAMES + 90 * i}" y="28" fill="${COLORS[i % COLORS.length]}">${xmlText(type)}</text>`).join('')}</g>
</svg>
`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
