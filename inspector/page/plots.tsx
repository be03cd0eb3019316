/** Four small plots over the whole trace. A click goes to that moment. */
import { computed, effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { lastAtMost } from '../model/columns.js';
import type { Row } from '../model/tally.js';
import { numberText } from '../model/words.js';
import { kindColor, kindStyle, palette } from './colors.js';
import { meters } from './reach.js';
import { theme } from './shell.js';
import { stateNames } from './state-names.js';
import { axis, pauseAt, playhead, recording, growing } from './state.js';

interface Series {
  readonly name: string;
  /** The number of its color. */
  readonly kind: number;
  value(row: Row): number;
}

const rows = computed(() => growing().tally.rows());

const byCount = (names: readonly string[], count: (row: Row, i: number) => number): Series[] =>
  names.slice(0, 8).map((name, i) => ({ name, kind: i, value: (row) => count(row, i) }));

interface PlotSpec {
  readonly title: string;
  series(): Series[];
}

/** Once the run's meters are known their ratios, 1 where the paper's bound is met. */
function costs(): PlotSpec {
  const known = meters.value;
  const names = Object.keys(known.at(-1)?.ratios ?? {});
  if (names.length === 0)
    return { title: 'Cost of messages', series: () => [{ name: 'cost', kind: 0, value: (row) => row.cost }] };
  const times = known.map(({ at }) => at);
  const ratios = names.slice(0, 6).map((name, i) => ({
    name,
    kind: i,
    value: (row: Row) => known[lastAtMost(times, row.at)]?.ratios[name] ?? 0,
  }));
  return { title: 'Cost against bound', series: () => [...ratios, { name: 'bound', kind: 4, value: () => 1 }] };
}

export const plots = computed((): readonly PlotSpec[] => [
  { title: 'Messages sent', series: () => byCount(recording.value.tally.types.names, (row, i) => row.sent[i] ?? 0) },
  { title: 'Nodes by state', series: () => byCount(stateNames.value, (row, i) => row.inState[i] ?? 0) },
  costs(),
  {
    title: 'Unsettled',
    series: () => [
      { name: 'on their way', kind: 1, value: (row) => row.inFlight },
      { name: 'wrong', kind: 4, value: (row) => row.wrong },
    ],
  },
]);

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
  return (
    <div class="plots">
      {plots.value.map((plot) => (
        <Plot key={plot.title} {...plot} />
      ))}
    </div>
  );
}

function Plot({ title, series }: PlotSpec) {
  const ref = useRef<HTMLDivElement>(null);
  const line = useRef<HTMLElement>(document.createElement('i'));
  useEffect(() => {
    const host = ref.current!;
    line.current.className = 'plot-now';
    let plot: uPlot | null = null;
    const stopPlot = effect(() => {
      const Library = library.value;
      if (!Library) return;
      const shown = series();
      const data = [rows.value.map(xOfRow), ...shown.map(({ value }) => rows.value.map(value))] as uPlot.AlignedData;
      if (plot && plot.series.length === shown.length + 1 && host.dataset['theme'] === theme.value) plot.setData(data);
      else {
        plot?.destroy();
        plot = new Library(options(Library, host, shown), data, host);
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
      <figcaption>
        {title}
        <ul class="legend" title={shown.map(({ name }) => name).join(', ')}>
          {shown.length > 1 &&
            shown.map(({ name, kind }) => (
              <li key={name}>
                <span class="swatch" style={{ background: kindStyle(kind) }} />
                {name}
              </li>
            ))}
        </ul>
      </figcaption>
      <div class="plot-host" ref={ref} />
    </figure>
  );
}

function options({ paths }: typeof uPlot, host: HTMLElement, shown: readonly Series[]): uPlot.Options {
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
      ...shown.map(({ kind }) => ({
        stroke: kindColor(kind),
        width: 1.6,
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
