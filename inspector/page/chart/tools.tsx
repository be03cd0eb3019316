/** The row above the charts: what is sought in them, how large they are, and what is painted on them. */
import type { MutableRef } from 'preact/hooks';
import { useRef } from 'preact/hooks';
import type { Chart } from '../../model/chart.js';
import { IconButton } from '../panel.js';
import { scrollWithin } from '../sight.js';
import { foundIn, showsAll, showsHeat, soughtText, unfoldFound, zoom } from './looks.js';
import { farther, fitAgain, nearer } from './pan.js';

export function ChartTools({ charts }: { charts: readonly Chart[] }) {
  const next = useRef(0);
  const count = charts.reduce((sum, chart) => sum + foundIn(chart).size, 0);
  const goToNext = () => {
    charts.forEach(unfoldFound);
    // What was folded is drawn by then.
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
      {!showsAll.value && <Looks count={count} next={next} />}
      <button type="button" class="small" aria-pressed={showsAll.value} onClick={() => (showsAll.value = !showsAll.value)}>
        all nodes
      </button>
    </form>
  );
}

/** What is of use for one node. */
function Looks({ count, next }: { count: number; next: MutableRef<number> }) {
  return (
    <>
      <input
        type="text"
        aria-label="seek states, events, guards and actions"
        placeholder="seek in the chart"
        value={soughtText.value}
        onInput={(event) => {
          soughtText.value = event.currentTarget.value;
          next.current = 0;
        }}
      />
      <output aria-label="parts found">{soughtText.value === '' ? '' : `${count} found`}</output>
      <IconButton label="smaller" icon="M5 12h14" onPress={farther} />
      <button type="button" class="small" title="as large as fits" onClick={fitAgain}>
        {Math.round(zoom.value * 100)} %
      </button>
      <IconButton label="larger" icon="M5 12h14M12 5v14" onPress={nearer} />
      <button type="button" class="small" aria-pressed={showsHeat.value} onClick={() => (showsHeat.value = !showsHeat.value)}>
        visits
      </button>
    </>
  );
}
