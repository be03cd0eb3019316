/** Plots over the whole trace, one at a time. A click goes to that moment. */
import { computed, effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { lastAtMost } from '../model/columns.js';
import type { Row } from '../model/tally.js';
import { numberText } from '../model/words.js';
import { colorStyle, messageColor, palette, stateColor } from './colors.js';
import { meters } from './reach.js';
import { theme } from './shell.js';
import { stateNames } from './state-names.js';
import { axis, pauseAt, playhead, recording, growing } from './state.js';

interface Series {
  readonly name: string;
  /** Its color on a canvas, and in HTML. */
  color(): string;
  readonly style: string;
  readonly dash?: number[];
  value(row: Row): number;
}

const rows = computed(() => growing().tally.rows());

interface PlotSpec {
  readonly title: string;
  /** True if the series are parts of a whole: areas on top of each other. */
  readonly isStacked?: boolean;
  series(): Series[];
}

const line = (name: string, value: (row: Row) => number, dash: number[] = []): Series => ({
  name,
  value,
  dash,
  color: () => palette().ink,
  style: 'var(--ink)',
});

/** Once the run's meters are known their ratios, 1 where the paper's bound is met. */
function costs(): PlotSpec {
  const known = meters.value;
  const names = Object.keys(known.at(-1)?.ratios ?? {});
  if (names.length === 0) return { title: 'Cost of messages', series: () => [line('cost', (row) => row.cost)] };
  const times = known.map(({ at }) => at);
  const ratios = names
    .slice(0, 6)
    .map((name, i) => line(name, (row) => known[lastAtMost(times, row.at)]?.ratios[name] ?? 0, DASHES[i]));
  return { title: 'Cost against bound', series: () => [...ratios, line('bound', () => 1, [1, 5])] };
}

const DASHES = [[], [8, 3], [3, 3], [8, 3, 2, 3], [14, 4], [14, 4, 2, 4]];
const SERIES_MAX = 8;

const messagesSent = (): Series[] =>
  recording.value.tally.types.names.slice(0, SERIES_MAX).map((name, i) => ({
    name,
    color: () => messageColor(i),
    style: colorStyle('message', i),
    value: (row) => row.sent[i] ?? 0,
  }));

/** The states that share a color with an earlier one are one area. */
function nodesByState(): Series[] {
  const names = stateNames.value;
  const shown = names.slice(0, SERIES_MAX).map((name, i): Series => ({
    name,
    color: () => stateColor(i),
    style: colorStyle('state', i),
    value: (row) => row.inState[i] ?? 0,
  }));
  if (names.length <= SERIES_MAX) return shown;
  const others = line('other states', (row) => row.inState.slice(SERIES_MAX).reduce((sum, count) => sum + count, 0));
  return [...shown, others];
}

export const plots = computed((): readonly PlotSpec[] => [
  { title: 'Nodes by state', isStacked: true, series: nodesByState },
  { title: 'Messages sent', series: messagesSent },
  costs(),
  {
    title: 'In flight and wrong',
    series: () => [
      line('messages in flight', (row) => row.inFlight),
      { name: 'wrong', color: () => palette().wrong, style: 'var(--wrong-edge)', value: (row) => row.wrong },
    ],
  },
]);

const shownPlot = signal(0);

/** The library that draws them loads with the first plot. */
const library = signal<typeof uPlot | null>(null);
const loadProblem = signal<string | null>(null);

async function load(): Promise<void> {
  try {
    library.value = (await import('uplot')).default;
  } catch {
    loadProblem.value = 'The plots cannot be loaded, because the server of this page has stopped. Press "show as text".';
  }
}

const compact = new Intl.NumberFormat('en', { notation: 'compact' });

const xOfRow = (row: Row): number => (axis.value === 'time' ? row.at : row.line);

export function Plots() {
  useEffect(() => void load(), []);
  if (loadProblem.value !== null && library.value === null) return <p class="empty">{loadProblem.value}</p>;
  const shown = plots.value[shownPlot.value]!;
  return (
    <div class="plots">
      <div class="row" role="group" aria-label="plots">
        {plots.value.map(({ title }, i) => (
          <button
            key={title}
            type="button"
            class="small"
            aria-pressed={i === shownPlot.value}
            onClick={() => (shownPlot.value = i)}
          >
            {title}
          </button>
        ))}
      </div>
      <Plot key={shown.title} {...shown} />
    </div>
  );
}

/** The values of each series; if they are stacked, with those of the series below it. */
function valuesOf(series: readonly Series[], isStacked: boolean): number[][] {
  const values = series.map(({ value }) => rows.value.map(value));
  if (isStacked) for (const [i, own] of values.entries()) if (i > 0) for (const at of own.keys()) own[at]! += values[i - 1]![at]!;
  return values;
}

function Plot({ title, series, isStacked = false }: PlotSpec) {
  const ref = useRef<HTMLDivElement>(null);
  const line = useRef<HTMLElement>(document.createElement('i'));
  useEffect(() => {
    const host = ref.current!;
    line.current.className = 'plot-now';
    let plot: uPlot | null = null;
    const stopPlot = effect(() => {
      const Library = library.value;
      if (!Library) return;
      // The tallest area is painted first.
      const shown = isStacked ? series().reverse() : series();
      const values = valuesOf(series(), isStacked);
      const data = [rows.value.map(xOfRow), ...(isStacked ? values.reverse() : values)] as uPlot.AlignedData;
      if (plot && plot.series.length === shown.length + 1 && host.dataset['theme'] === theme.value) plot.setData(data);
      else {
        plot?.destroy();
        plot = new Library(options(Library, host, shown, isStacked), data, host);
        host.dataset['theme'] = theme.value;
      }
    });
    // A separate element moves, so that the plot is not painted again.
    const stopLine = effect(() => {
      growing();
      void library.value;
      const x = plot?.valToPos(playhead.value.x, 'x') ?? -1;
      line.current.style.transform = `translateX(${x}px)`;
      if (plot && line.current.parentElement !== plot.over) plot.over.append(line.current);
    });
    const observer = new ResizeObserver(() => plot?.setSize({ width: host.clientWidth, height: host.clientHeight }));
    observer.observe(host);
    return () => {
      stopPlot();
      stopLine();
      observer.disconnect();
      plot?.destroy();
    };
  }, []);
  const last = rows.value.at(-1);
  const shown = series();
  return (
    <figure
      class="plot"
      aria-label={`${title}: ${
        last ? shown.map(({ name, value }) => `${name} ${numberText(value(last))}`).join(', ') : 'nothing yet'
      }`}
    >
      <div class="plot-host" ref={ref} />
      <figcaption>
        <ul class="legend">
          {shown.map(({ name, style, dash = [] }) => (
            <li key={name}>
              {isStacked ? <span class="swatch" style={{ background: style }} /> : <Dash style={style} dash={dash} />}
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

const Dash = ({ style, dash }: { style: string; dash: readonly number[] }) => (
  <svg viewBox="0 0 24 8" aria-hidden="true">
    <path d="M0 4h24" fill="none" stroke-width="2" stroke-dasharray={dash.join(' ')} style={{ stroke: style }} />
  </svg>
);

function options({ paths }: typeof uPlot, host: HTMLElement, shown: readonly Series[], isStacked: boolean): uPlot.Options {
  const colors = palette();
  const stepped = paths.stepped!({ align: 1 });
  const ink = {
    stroke: colors.muted,
    grid: { stroke: colors.faint, width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  return {
    width: Math.max(host.clientWidth, 40),
    height: Math.max(host.clientHeight, 40),
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { x: { time: false } },
    axes: [
      { ...ink, size: 20, gap: 3, space: 70, values: (_, splits) => splits.map((value) => compact.format(value)) },
      { ...ink, size: 42, gap: 3, space: 28, values: (_, splits) => splits.map((value) => compact.format(value)) },
    ],
    series: [
      {},
      ...shown.map(({ color, dash = [] }) => ({
        stroke: isStacked ? colors.panel : color(),
        ...(isStacked ? { fill: color() } : { dash }),
        width: isStacked ? 1 : 1.8,
        paths: stepped,
        points: { show: false },
      })),
    ],
    hooks: {
      ready: [
        (plot) => {
          plot.over.addEventListener('click', () => {
            const value = plot.posToVal(plot.cursor.left ?? 0, 'x');
            pauseAt(axis.value === 'time' ? recording.value.lastLineAt(value) : Math.round(value));
          });
        },
      ],
    },
  };
}

export function PlotsText() {
  const last = rows.value.at(-1);
  return (
    <>
      {plots.value.map(({ title, series }) => (
        <table key={title}>
          <caption>{title}, at the end of what has been read</caption>
          <tbody>
            {series().map(({ name, value }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{last ? numberText(value(last)) : 0}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </>
  );
}
