/** The charts of the selected node: every role's, with its active states lit and the transition that it took last. */
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Chart } from '../../model/chart.js';
import type { ChartLayout } from '../../model/chart-shapes.js';
import type { RoleNow } from '../../model/moment.js';
import { lastAtMost } from '../../model/columns.js';
import { guessed, NOTHING_TAKEN, toldBy, type TransitionsOfStep } from '../../model/taken.js';
import { activePaths, valueText } from '../../model/values.js';
import { tab } from '../tab.js';
import { IconButton, Panel } from '../panel.js';
import { isChartWide } from '../shell.js';
import { askWhyState, askWhyValue } from '../why.js';
import { currentLine, moment, recording, growing, selectedNode } from '../state.js';
import { charts } from './charts.js';
import { ChartPicture } from './picture.js';
import { ChartText } from './text.js';
import { ContextTable } from './context.js';
import { measure } from './measure.js';

type FitChart = typeof import('../../model/chart-layout.js').fitChart;

const size = signal({ width: 440, height: 560 });
const fitChart = signal<FitChart | null>(null);

/** dagre is a third of the page's weight, and no other view needs it. */
const loadLayout = (): void => void import('../../model/chart-layout.js').then((module) => (fitChart.value = module.fitChart));

const header = computed(() => growing().header);

const fits = new WeakMap<Chart, ReturnType<FitChart>>();

function layoutOf(chart: Chart | undefined): ChartLayout | null {
  const make = fitChart.value;
  if (!make || !chart || chart.states.size <= 1) return null;
  const fit = fits.get(chart) ?? make(chart, measure);
  fits.set(chart, fit);
  const { width, height } = size.value;
  return fit({ width: width - 8, height: height - 8 });
}

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
        name === undefined ? (
          'Statechart'
        ) : (
          <>
            Statechart of <b>{name}</b>
          </>
        )
      }
      text={() =>
        roles.value.map((now) => (
          <ChartText
            key={now.role}
            now={now}
            chart={charts.value.get(now.view.chart)}
            taken={takenBy(now)}
            covered={coveredOf(now)}
          />
        ))
      }
    >
      <Charts name={name} />
      <ContextTable
        roles={roles.value}
        before={(now) => moment.value.roleBefore(selectedNode.value, now.role, now.since)}
        line={currentLine.value}
        why={why}
      />
    </Panel>
  );
}

/** It is not there while the charts are read as text. */
function Charts({ name }: { name: string | undefined }) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry) size.value = { width: Math.round(entry.contentRect.width), height: Math.round(entry.contentRect.height) };
    });
    observer.observe(body.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="chart-scroll" ref={body} tabIndex={0} role="group" aria-label="statecharts of the selected node">
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
  const layout = layoutOf(charts.value.get(view.chart));
  return (
    <figure class="role">
      {!alone && (
        <figcaption>
          <b>{role}</b> {valueText(view.value)}
        </figcaption>
      )}
      {layout ? (
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
        />
      ) : (
        <p class="state-alone">{valueText(view.value)}</p>
      )}
    </figure>
  );
}
