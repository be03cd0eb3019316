/** The charts of the selected node: every role's, with its active states lit and the transition that it took last. */
import { computed, signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { depthOf, type Chart, type ChartTransition } from '../../model/chart.js';
import type { Box, ChartLayout } from '../../model/chart-shapes.js';
import type { RoleNow } from '../../model/moment.js';
import { activePaths, valueText } from '../../model/values.js';
import { numberText } from '../../model/words.js';
import { tab } from '../tab.js';
import { IconButton, Panel } from '../panel.js';
import { isChartWide } from '../shell.js';
import { askWhyState, askWhyValue } from '../asked-why.js';
import { currentLine, moment, recording, growing, selectedNode } from '../state.js';
import { stateStyle } from '../state-names.js';
import { charts } from './charts.js';
import { takenLast, type NodeCharts } from './node-charts.js';
import { ChartPicture } from './picture.js';
import { differences, PinButton, pinned, PinnedCharts } from './pinned.js';
import { AllNodes } from './all-nodes.js';
import { ChartText } from './text.js';
import { ContextTable } from './context.js';
import { CHART_DEPTH_MAX, fittingScale, isTooLarge, layoutError, layoutOf, CHART_STATES_MAX } from './layouts.js';
import { foldedIn, foundIn, showsAll, showsHeat, shownScale, toggleFold, zoom } from './view-options.js';
import { keepPoint, usePan } from './pan.js';
import { ChartTools } from './tools.js';

const size = signal({ width: 440, height: 560 });

const header = computed(() => growing().header);

function thumbnailOf(name: string): ChartLayout | null {
  const chart = charts.value.get(name);
  return chart ? layoutOf(chart, new Set()) : null;
}

const roles = computed(() => (selectedNode.value < 0 ? [] : moment.value.roles(selectedNode.value)));

const selected = computed((): NodeCharts => ({
  recording: recording.value,
  moment: moment.value,
  node: selectedNode.value,
  charts: charts.value,
}));
const takenBy = (now: RoleNow) => takenLast(selected.value, now);

/** Visits of the parts of a role's chart, by any node; `null` if they are not shown. */
const heatOf = ({ view }: RoleNow) => (showsHeat.value ? growing().visits.of(view.chart) : null);

const coveredOf = ({ view }: RoleNow) => header.value?.coverage?.[view.chart] ?? null;

export function ChartView() {
  const name = recording.value.nodes.names[selectedNode.value];
  return (
    <Panel
      view="chart"
      tools={
        <>
          {header.value?.coverage && <span class="hint">struck out: not covered</span>}
          <PinButton />
          <IconButton
            label="half the page for the chart"
            shortcut="c"
            pressed={isChartWide.value}
            icon="M4 5h16v14H4zM12 5v14"
            onPress={() => (isChartWide.value = !isChartWide.value)}
          />
        </>
      }
      title={
        showsAll.value ? (
          'Statecharts of all nodes'
        ) : name === undefined ? (
          'Statechart'
        ) : (
          <>
            Statechart of <b>{name}</b>
          </>
        )
      }
      text={() =>
        showsAll.value ? (
          <AllNodes layoutOf={() => null} />
        ) : (
          roles.value.map((now) => (
            <ChartText
              key={now.role}
              now={now}
              chart={charts.value.get(now.view.chart)}
              taken={takenBy(now)}
              covered={coveredOf(now)}
              heat={heatOf(now)}
            />
          ))
        )
      }
    >
      <ChartTools charts={roles.value.flatMap(({ view }) => charts.value.get(view.chart) ?? [])} />
      {showsAll.value ? (
        <AllNodes layoutOf={thumbnailOf} />
      ) : (
        <>
          <div class="chart-pair">
            <Charts name={name} />
            {pinned.value && <PinnedCharts pinned={pinned.value} />}
          </div>
          <ContextTable
            roles={roles.value}
            before={(now) => moment.value.roleBefore(selectedNode.value, now.role, now.since)}
            line={currentLine.value}
            why={why}
          />
        </>
      )}
    </Panel>
  );
}

/** The charts in a container that scrolls. It is absent while the charts are shown as text. */
function Charts({ name }: { name: string | undefined }) {
  const body = useRef<HTMLDivElement>(null);
  const handlers = usePan(body);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry) size.value = { width: Math.floor(entry.contentRect.width), height: Math.floor(entry.contentRect.height) };
    });
    observer.observe(body.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="chart-scroll" ref={body} tabIndex={0} role="group" aria-label="statecharts of the selected node" {...handlers}>
      {roles.value.map((now) => (
        <RoleChart key={now.role} now={now} alone={roles.value.length === 1} />
      ))}
      {roles.value.length === 0 && (
        <p class="empty">{name === undefined ? 'Select a node to see its statechart.' : `${name} has no open role here.`}</p>
      )}
    </div>
  );
}

function why(role: string, key: string | null): void {
  tab.value = 'why';
  if (key === null) askWhyState(role);
  else askWhyValue(role, key);
}

function shownLayout(name: string): ChartLayout | null {
  const chart = charts.value.get(name);
  return chart ? layoutOf(chart, foldedIn(chart)) : null;
}

function RoleChart({ now, alone }: { now: RoleNow; alone: boolean }) {
  const { role, view } = now;
  const chart = charts.value.get(view.chart);
  const layout = shownLayout(view.chart);
  return (
    <figure class="role" data-chart={view.chart}>
      {!alone && (
        <figcaption>
          <b>{role}</b> {valueText(view.value)}
        </figcaption>
      )}
      {chart && layout ? (
        <Picture now={now} chart={chart} layout={layout} />
      ) : (
        <>
          <p class="state-alone">{valueText(view.value)}</p>
          {chart && isTooLarge(chart) && (
            <p class="hint">
              {numberText(chart.states.size)} states, nested {depthOf(chart)} deep: too many to be drawn (at most{' '}
              {CHART_STATES_MAX} states, {CHART_DEPTH_MAX} deep).
            </p>
          )}
          {layoutError.value !== null && <p class="hint">The chart could not be laid out: {layoutError.value}</p>}
        </>
      )}
    </figure>
  );
}

/** The least scale at which words are as large as elsewhere on the page. */
const SCALE_READABLE = 1;
/** A small chart in a large panel is enlarged to this scale at most. */
const SCALE_MAX = 1.25;

function scaleOf(layout: ChartLayout): number {
  if (typeof zoom.value === 'number') return zoom.value;
  const fitting = Math.min(fittingScale(layout, size.value), SCALE_MAX);
  return zoom.value === 'fit' ? fitting : Math.max(fitting, SCALE_READABLE);
}

function Picture({ now, chart, layout }: { now: RoleNow; chart: Chart; layout: ChartLayout }) {
  const { role, view } = now;
  const taken = takenBy(now);
  const scale = scaleOf(layout);
  useEffect(() => void (shownScale.value = scale), [scale]);
  useLayoutEffect(keepPoint, [scale]);
  useFollow(now, layout, scale);
  return (
    <ChartPicture
      layout={layout}
      scale={scale}
      active={activePaths(view.value)}
      taken={taken}
      isNow={taken.line === currentLine.value}
      label={`${role}: ${valueText(view.value)}`}
      color={stateStyle(chart.name, valueText(view.value))}
      covered={coveredOf(now)}
      heat={heatOf(now)}
      differs={differences.value.here.get(chart.name)}
      controls={{ found: foundIn(chart), folded: foldedIn(chart), fold: (path) => toggleFold(chart, path) }}
    />
  );
}

/** Keeps the active states and the taken transition in sight, for the role that acted last. Zooming does not move the chart. */
function useFollow(now: RoleNow, layout: ChartLayout, scale: number): void {
  const [latest] = [...roles.value].sort((a, b) => b.since - a.since);
  const zoomed = useRef(zoom.value);
  // The charts of other roles move this one when their layouts arrive.
  const heights = roles.value.map(({ view }) => shownLayout(view.chart)?.height).join();
  useLayoutEffect(() => {
    const isZooming = zoom.value !== zoomed.current && typeof zoom.value === 'number';
    zoomed.current = zoom.value;
    const container = document.querySelector<HTMLElement>('.chart-scroll');
    const picture = container?.querySelectorAll('.role')[roles.value.indexOf(now)]?.querySelector('.chart');
    if (isZooming || now !== latest || !container || !picture) return;
    const panel = { width: size.value.width / scale, height: size.value.height / scale };
    const focus = focusOf(layout, activePaths(now.view.value), takenBy(now).taken, panel);
    if (focus) scrollTo(container, picture, focus, scale);
  }, [currentLine.value, selectedNode.value, heights, size.value, typeof zoom.value]);
}

/** Scrolls a part of a picture into the middle of its container, unless it is completely visible. */
function scrollTo(container: HTMLElement, picture: Element, { x, y, width, height }: Box, scale: number): void {
  const [own, around] = [picture.getBoundingClientRect(), container.getBoundingClientRect()];
  const left = own.left - around.left + container.scrollLeft + x * scale;
  const top = own.top - around.top + container.scrollTop + y * scale;
  const { scrollLeft, scrollTop, clientWidth, clientHeight } = container;
  const isSeen =
    left >= scrollLeft &&
    left + width * scale <= scrollLeft + clientWidth &&
    top >= scrollTop &&
    top + height * scale <= scrollTop + clientHeight;
  if (!isSeen) container.scrollTo(left - (clientWidth - width * scale) / 2, top - (clientHeight - height * scale) / 2);
}

/** The room around the part of a chart that stays visible during playback. */
const MARGIN = 16;

/**
 * The transition that was taken and the active states; if they are too far apart for the panel, the most important of them.
 *
 * @param panel The size of the panel in the units of the layout.
 */
function focusOf(
  { states, edges }: ChartLayout,
  active: ReadonlySet<string>,
  taken: readonly ChartTransition[],
  panel: Pick<Box, 'width' | 'height'>,
): Box | null {
  const leaves = states.filter(({ state }) => state.children.length === 0 && active.has(state.path));
  const lines = edges.filter(({ transition }) => taken.includes(transition));
  const labels = lines.flatMap(({ label }) => label ?? []);
  const points = lines.flatMap((edge) => edge.points.map(({ x, y }) => ({ x, y, width: 0, height: 0 })));
  const choices = [[...leaves, ...labels, ...points], [...leaves, ...labels], leaves, leaves.slice(0, 1)];
  const around = choices.flatMap((boxes) => union(boxes) ?? []);
  return around.find(({ width, height }) => width <= panel.width && height <= panel.height) ?? around.at(-1) ?? null;
}

function union(boxes: readonly Box[]): Box | null {
  if (boxes.length === 0) return null;
  const left = Math.min(...boxes.map(({ x }) => x)) - MARGIN;
  const top = Math.min(...boxes.map(({ y }) => y)) - MARGIN;
  const right = Math.max(...boxes.map(({ x, width }) => x + width)) + MARGIN;
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + MARGIN;
  return { x: left, y: top, width: right - left, height: bottom - top };
}
