/** A line plot as SVG, with axes, ticks and a legend at the line ends; readable on light and dark pages. */
import type { Plot } from './experiment.js';
import { escapeMarkup } from './markup.js';

const WIDTH = 640;
const HEIGHT = 400;
const MARGIN = { left: 64, right: 150, top: 40, bottom: 48 };
const COLORS = ['#2563eb', '#dc2626', '#059669', '#d97706', '#7c3aed', '#0891b2'];

type Axis = { readonly label: string; readonly log?: boolean };

/** Maps values to pixels, and names the ticks worth showing. */
function scale(axis: Axis, values: readonly number[], from: number, to: number) {
  const f = axis.log ? Math.log10 : (value: number) => value;
  const low = axis.log ? Math.min(...values) : Math.min(0, ...values);
  const high = Math.max(...values);
  const span = f(high) - f(low) || 1;
  const place = (value: number) => from + ((f(value) - f(low)) / span) * (to - from);
  return { place, ticks: axis.log ? logTicks(low, high) : linearTicks(low, high) };
}

function linearTicks(low: number, high: number): number[] {
  const raw = (high - low || 1) / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const unit = [1, 2, 5, 10].find((u) => u * power >= raw)! * power;
  const first = Math.ceil(low / unit);
  return Array.from({ length: Math.floor(high / unit) - first + 1 }, (_, i) => (first + i) * unit);
}

function logTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let tick = 2 ** Math.ceil(Math.log2(low)); tick <= high; tick *= high / low > 64 ? 4 : 2) ticks.push(tick);
  return ticks;
}

export function drawPlot({ title, x, y, series }: Plot): string {
  const points = series.flatMap((line) => line.points);
  const [right, bottom] = [WIDTH - MARGIN.right, HEIGHT - MARGIN.bottom];
  const across = scale(
    x,
    points.map(([value]) => value),
    MARGIN.left,
    right,
  );
  const up = scale(
    y,
    points.map(([, value]) => value),
    bottom,
    MARGIN.top,
  );
  const grid = [
    ...across.ticks.map(
      (tick) =>
        `<path d="M${at(across.place(tick))} ${MARGIN.top}V${bottom}" class="grid"/><text x="${at(across.place(tick))}" y="${bottom + 18}" text-anchor="middle">${label(tick)}</text>`,
    ),
    ...up.ticks.map(
      (tick) =>
        `<path d="M${MARGIN.left} ${at(up.place(tick))}H${right}" class="grid"/><text x="${MARGIN.left - 8}" y="${at(up.place(tick) + 4)}" text-anchor="end">${label(tick)}</text>`,
    ),
  ];
  const lines = series.map((line, i) => {
    const color = COLORS[i % COLORS.length];
    const path = line.points.map(([px, py], k) => `${k === 0 ? 'M' : 'L'}${at(across.place(px))} ${at(up.place(py))}`).join('');
    const last = line.points.at(-1) ?? [0, 0];
    return `<path d="${path}" fill="none" stroke="${color}" stroke-width="2"/><text x="${right + 8}" y="${at(up.place(last[1]) + 4)}" fill="${color}">${escapeMarkup(line.label)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeMarkup(title)}">
<style>text{font:12px system-ui,sans-serif;fill:#6b7280}.grid{stroke:#9ca3af;stroke-opacity:.3}.title{font-size:14px;font-weight:600}</style>
<text x="${MARGIN.left}" y="22" class="title">${escapeMarkup(title)}</text>
${grid.join('\n')}
<text x="${(MARGIN.left + right) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escapeMarkup(x.label)}</text>
<text transform="translate(16 ${(MARGIN.top + bottom) / 2}) rotate(-90)" text-anchor="middle">${escapeMarkup(y.label)}</text>
${lines.join('\n')}
</svg>
`;
}

const at = (pixels: number): string => pixels.toFixed(1);
const label = (value: number): string => (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3))));
