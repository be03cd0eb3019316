/** The charts of the selected node: every role's, with its active states lit and the transition that it took last. */
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { depthOf, type Chart } from '../../model/chart.js';
import type { ChartPanel } from '../../model/chart-layout.js';
import type { ChartLayout } from '../../model/chart-shapes.js';
import type { FoldedPaths } from '../../model/fold.js';
import type { RoleNow } from '../../model/moment.js';
import { lastAtMost } from '../../model/columns.js';
import { guessed, NOTHING_TAKEN, toldBy, type TransitionsOfStep } from '../../model/taken.js';
import { activePaths, valueText } from '../../model/values.js';
import { numberText } from '../../model/words.js';
import { tab } from '../tab.js';
import { IconButton, Panel } from '../panel.js';
import { isChartWide } from '../shell.js';
import { askWhyState, askWhyValue } from '../asked-why.js';
import { currentLine, moment, recording, growing, selectedNode } from '../state.js';
import { charts } from './charts.js';
import { ChartPicture } from './picture.js';
import { AllNodes } from './all-nodes.js';
import { ChartText } from './text.js';
import { ContextTable } from './context.js';
import { foldedIn, foundIn, showsAll, showsHeat, toggleFold, zoom } from './looks.js';
import { usePan } from './pan.js';
import { ChartTools } from './tools.js';
import { measure } from './measure.js';

type FitChart = typeof import('../../model/chart-layout.js').fitChart;

const size = signal({ width: 440, height: 560 });
const fitChart = signal<FitChart | null>(null);

/** dagre is a third of the page's weight, and no other view needs it. */
const loadLayout = (): void => void import('../../model/chart-layout.js').then((module) => (fitChart.value = module.fitChart));

const header = computed(() => growing().header);

const fits = new WeakMap<Chart, Map<string, ReturnType<FitChart>>>();

function layoutIn(chart: Chart | undefined, { width, height }: ChartPanel, folded: FoldedPaths): ChartLayout | null {
  const make = fitChart.value;
  if (!make || !chart || chart.states.size <= 1 || isTooLarge(chart)) return null;
  const known = fits.get(chart) ?? new Map<string, ReturnType<FitChart>>();
  fits.set(chart, known);
  const key = [...folded].sort().join('\n');
  const fit = known.get(key) ?? make(chart, measure, folded);
  known.set(key, fit);
  return fit({ width: width - 8, height: height - 8 });
}

/** To lay out more states, or deeper ones, takes the page too long. */
const STATES_MAX = 1_000;
const DEPTH_MAX = 50;

const isTooLarge = (chart: Chart): boolean => chart.states.size > STATES_MAX || depthOf(chart) > DEPTH_MAX;

/** Of a chart that is drawn small, whole. */
const THUMBNAIL: ChartPanel = { width: 180, height: 130 };

const thumbnailOf = (name: string): ChartLayout | null => layoutIn(charts.value.get(name), THUMBNAIL, new Set());

const roles = computed(() => (selectedNode.value < 0 ? [] : moment.value.roles(selectedNode.value)));

/** So far back it is looked for the step that a role took last. */
const STEPS_BACK_MAX = 200;
/** What puts a node into a state without a transition. */
const PUT: ReadonlySet<string> = new Set(['start', 'corrupt', 'crash', 'restart', 'reload']);

/** The transitions that a role took last, and the line that took them. */
function takenBy({ role, view, since }: RoleNow): TransitionsOfStep & { readonly line: number } {
  const chart = charts.value.get(view.chart);
  const steps = recording.value.steps[selectedNode.value] ?? [];
  const last = lastAtMost(steps, currentLine.value);
  const nothing = { ...NOTHING_TAKEN, line: since };
  if (!chart) return nothing;
  for (let place = last; place >= 0 && steps[place]! >= since && place > last - STEPS_BACK_MAX; place--) {
    const line = steps[place]!;
    const step = recording.value.step(line)!;
    const told = toldBy(step, role, chart);
    if (told && told.taken.length + told.refused.length > 0) return { ...told, line };
    if (told || line > since || PUT.has(step.kind)) continue;
    const event = step.role === undefined || step.role === role ? step.event.type : null;
    const before = moment.value.roleBefore(selectedNode.value, role, since);
    return { ...guessed(chart, event, before?.value ?? null, view.value), line };
  }
  return nothing;
}

/** How often the parts of a role's chart were visited, by any node; `null` where that is not asked for. */
const heatOf = ({ view }: RoleNow) => (showsHeat.value ? growing().visits.of(view.chart) : null);

const coveredOf = ({ view }: RoleNow) => header.value?.coverage?.[view.chart] ?? null;

export function ChartView() {
  useEffect(loadLayout, []);
  const name = recording.value.nodes.names[selectedNode.value];
  return (
    <Panel
      view="chart"
      tools={
        <>
          {header.value?.coverage && <span class="hint">struck out: not covered</span>}
          <IconButton
            label="half the page for the chart"
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
          <Charts name={name} />
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

/** It is not there while the charts are read as text. */
function Charts({ name }: { name: string | undefined }) {
  const body = useRef<HTMLDivElement>(null);
  const handlers = usePan(body);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry) size.value = { width: Math.round(entry.contentRect.width), height: Math.round(entry.contentRect.height) };
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

function RoleChart({ now, alone }: { now: RoleNow; alone: boolean }) {
  const { role, view } = now;
  const taken = takenBy(now);
  const isNow = taken.line === currentLine.value;
  const chart = charts.value.get(view.chart);
  const layout = chart ? layoutIn(chart, size.value, foldedIn(chart)) : null;
  return (
    <figure class="role">
      {!alone && (
        <figcaption>
          <b>{role}</b> {valueText(view.value)}
        </figcaption>
      )}
      {chart && layout ? (
        <ChartPicture
          layout={layout}
          width={size.value.width}
          height={alone ? size.value.height : Infinity}
          active={activePaths(view.value)}
          taken={taken}
          isNow={isNow}
          follows={isNow || alone}
          label={`${role}: ${valueText(view.value)}`}
          covered={coveredOf(now)}
          heat={heatOf(now)}
          controls={{ zoom: zoom.value, found: foundIn(chart), folded: foldedIn(chart), fold: (path) => toggleFold(chart, path) }}
        />
      ) : (
        <>
          <p class="state-alone">{valueText(view.value)}</p>
          {chart && isTooLarge(chart) && (
            <p class="hint">
              {numberText(chart.states.size)} states, nested {depthOf(chart)} deep: too many to be drawn (at most {STATES_MAX}{' '}
              states, {DEPTH_MAX} deep).
            </p>
          )}
        </>
      )}
    </figure>
  );
}
