/**
 * The charts of a second node next to those of the selected one: of another actor, or of a node of the trace that was open before. Parts in
 * which two versions of a chart differ are marked.
 */
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isObject } from '../../../machines/checks.js';
import { partsMissingIn } from '../../model/chart-difference.js';
import type { ChartPart } from '../../model/chart-search.js';
import type { Size } from '../../model/chart-shapes.js';
import { readChart, type Chart } from '../../model/chart.js';
import { Moment, type RoleNow } from '../../model/moment.js';
import type { ReadTrace } from '../../model/recording.js';
import { activePaths, valueText } from '../../model/values.js';
import { IconButton } from '../panel.js';
import { isChartWide } from '../shell.js';
import { currentLine, growing, moment, recording, selectedNode } from '../state.js';
import { stateStyle } from '../state-names.js';
import { charts } from './charts.js';
import { fittingScale, layoutOf } from './layouts.js';
import { foldedIn, zoom } from './view-options.js';
import { takenLast, type NodeCharts } from './node-charts.js';
import { ChartPicture } from './picture.js';

interface Pin {
  readonly recording: ReadTrace;
  readonly name: string;
  /** Where its trace was; its charts stay there once another trace is open. */
  readonly line: number;
}

const kept = signal<Pin | null>(null);

/** Keeps the charts of the selected node, or closes those that are kept. */
function pin(): void {
  const name = recording.value.nodes.names[selectedNode.value];
  const isClosing = kept.value !== null || name === undefined;
  kept.value = isClosing ? null : { recording: recording.value, name, line: currentLine.value };
  isChartWide.value = !isClosing;
}

export const PinButton = () => (
  <IconButton
    label={kept.value ? 'close the second chart' : 'keep this chart next to another one'}
    pressed={kept.value !== null}
    disabled={!kept.value && selectedNode.value < 0}
    icon="M9 4h6l-1 6 3 3H7l3-3zM12 13v7"
    onPress={pin}
  />
);

const chartsText = ({ header }: ReadTrace): string => JSON.stringify(header?.charts);

/** The trace that was open before, with its charts. A run that was made again has the same charts, and is not another trace. */
const before = computed(() => {
  const run = kept.value?.recording;
  if (!run || run === growing() || chartsText(run) === chartsText(recording.value)) return null;
  const all = Object.entries(run.header?.charts ?? {}).filter(([, config]) => isObject(config));
  return { run, charts: new Map(all.map(([name, config]) => [name, readChart(name, config)])) };
});

interface PinnedNode extends NodeCharts {
  readonly name: string;
  readonly isBefore: boolean;
}

export const pinned = computed((): PinnedNode | null => {
  if (!kept.value) return null;
  const { name, line } = kept.value;
  const { run, charts: own } = before.value ?? { run: recording.value, charts: charts.value };
  const now = before.value ? new Moment(run, line) : moment.value;
  return { recording: run, name, moment: now, node: run.nodes.find(name), charts: own, isBefore: before.value !== null };
});

/** For each chart, the parts that are missing or different in the other version. */
export const differences = computed(() => {
  const here = new Map<string, ReadonlySet<ChartPart>>();
  const there = new Map<string, ReadonlySet<ChartPart>>();
  for (const [name, other] of before.value?.charts ?? []) {
    const chart = charts.value.get(name);
    if (!chart) continue;
    here.set(name, partsMissingIn(chart, other));
    there.set(name, partsMissingIn(other, chart));
  }
  return { here, there };
});

const size = signal<Size>({ width: 300, height: 400 });

export function PinnedCharts({ pinned }: { pinned: PinnedNode }) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && (size.value = entry.contentRect));
    observer.observe(body.current!);
    return () => observer.disconnect();
  }, []);
  const { name, isBefore } = pinned;
  const roles = pinned.node < 0 ? [] : pinned.moment.roles(pinned.node);
  return (
    <div class="chart-pinned" ref={body} tabIndex={0} role="group" aria-label={`statecharts of ${name}`}>
      <p class="hint">
        <b>{name}</b>
        {isBefore && ' in the trace before'}
        {isBefore && differences.value.there.size > 0 && '; differences are dotted'}
      </p>
      {roles.map((now) => (
        <figure key={now.role} class="role">
          {roles.length > 1 && <figcaption>{now.role}</figcaption>}
          <Picture now={now} node={pinned} />
        </figure>
      ))}
      {roles.length === 0 && <p class="empty">It has no open role at this moment.</p>}
    </div>
  );
}

function Picture({ now, node }: { now: RoleNow; node: PinnedNode }) {
  const { view, role } = now;
  const chart: Chart | undefined = node.charts.get(view.chart);
  const layout = chart ? layoutOf(chart, foldedIn(chart)) : null;
  if (!chart || !layout) return <p class="state-alone">{valueText(view.value)}</p>;
  const taken = takenLast(node, now);
  return (
    <ChartPicture
      layout={layout}
      scale={typeof zoom.value === 'number' ? zoom.value : Math.min(fittingScale(layout, size.value), 1)}
      active={activePaths(view.value)}
      taken={taken}
      isNow={taken.line === node.moment.line}
      label={`${node.name}, ${role}: ${valueText(view.value)}`}
      color={stateStyle(chart.name, valueText(view.value))}
      covered={null}
      heat={null}
      differs={differences.value.there.get(chart.name)}
      controls={null}
    />
  );
}
