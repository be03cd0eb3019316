/** The row above the charts: search, scale, collapsed states and visits. */
import type { MutableRef } from 'preact/hooks';
import { useRef } from 'preact/hooks';
import type { Chart } from '../../model/chart.js';
import { IconButton } from '../panel.js';
import { scrollWithin } from '../sight.js';
import { exportCharts, type ExportFormat } from './export.js';
import {
  foldedIn,
  foundIn,
  showsAll,
  showsHeat,
  shownScale,
  soughtText,
  toggleAllFolds,
  unfoldFound,
  zoom,
} from './view-options.js';
import { farther, zoomToFit, zoomToFollow, nearer } from './pan.js';

export function ChartTools({ charts }: { charts: readonly Chart[] }) {
  const next = useRef(0);
  const count = charts.reduce((sum, chart) => sum + foundIn(chart).size, 0);
  const goToNext = () => {
    charts.forEach(unfoldFound);
    // Expanded states are laid out in the worker first.
    requestAnimationFrame(() => {
      const found = [...document.querySelectorAll('.chart-scroll [data-found="true"]')];
      scrollWithin(found[next.current++ % found.length] ?? null);
    });
  };
  return (
    <form
      class="chart-tools"
      role="search"
      aria-label="in the statechart"
      onSubmit={(event) => {
        event.preventDefault();
        goToNext();
      }}
    >
      {!showsAll.value && <Appearance charts={charts} count={count} next={next} />}
      {!showsAll.value && <Export charts={charts} />}
      <button type="button" class="small" aria-pressed={showsAll.value} onClick={() => (showsAll.value = !showsAll.value)}>
        all nodes
      </button>
    </form>
  );
}

interface AppearanceProps {
  readonly charts: readonly Chart[];
  readonly count: number;
  readonly next: MutableRef<number>;
}

/** The tools for the charts of one node. */
function Appearance({ charts, count, next }: AppearanceProps) {
  return (
    <>
      <input
        type="text"
        aria-label="search states, events, guards and actions"
        placeholder="search"
        value={soughtText.value}
        onInput={(event) => {
          soughtText.value = event.currentTarget.value;
          next.current = 0;
        }}
      />
      <output aria-label="parts found">{soughtText.value === '' ? '' : `${count} found`}</output>
      <IconButton label="smaller" icon="M5 12h14" onPress={farther} />
      <output aria-label="scale">{Math.round(shownScale.value * 100)} %</output>
      <IconButton label="larger" icon="M5 12h14M12 5v14" onPress={nearer} />
      <IconButton
        label="fit the whole chart"
        shortcut="0"
        pressed={zoom.value === 'fit'}
        icon="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5M9 9h6v6H9z"
        onPress={zoomToFit}
      />
      <IconButton
        label="follow the active states"
        shortcut="1"
        pressed={zoom.value === 'follow'}
        icon="M12 3v4M12 17v4M3 12h4M17 12h4M12 9a3 3 0 1 0 .01 0"
        onPress={zoomToFollow}
      />
      <IconButton
        label="collapse or expand all states"
        pressed={charts.some((chart) => foldedIn(chart).size > 0)}
        icon="M5 6h14M5 18h14M9 12h6"
        onPress={() => charts.forEach(toggleAllFolds)}
      />
      <button type="button" class="small" aria-pressed={showsHeat.value} onClick={() => (showsHeat.value = !showsHeat.value)}>
        visits
      </button>
    </>
  );
}

const FORMATS: readonly ExportFormat[] = ['SVG', 'PNG', 'Mermaid'];

/** Saves the charts as they are drawn now: collapsed states remain collapsed. */
function Export({ charts }: { charts: readonly Chart[] }) {
  return (
    <details class="chart-export">
      <summary class="small" title="save the chart as a file">
        export
      </summary>
      <div>
        {FORMATS.map((format) => (
          <button
            key={format}
            type="button"
            class="small"
            onClick={(event) => {
              void exportCharts(charts, format);
              event.currentTarget.closest('details')!.open = false;
            }}
          >
            {format}
          </button>
        ))}
      </div>
    </details>
  );
}
