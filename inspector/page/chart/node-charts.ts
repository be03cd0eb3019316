/** A node at a moment with its charts, and the transitions that its roles took last. */
import type { Chart } from '../../model/chart.js';
import { lastAtMost } from '../../model/columns.js';
import type { Moment, RoleNow } from '../../model/moment.js';
import type { ReadTrace } from '../../model/recording.js';
import { guessed, NOTHING_TAKEN, reportedBy, type TransitionsOfStep } from '../../model/taken.js';

export interface NodeCharts {
  readonly recording: ReadTrace;
  readonly moment: Moment;
  readonly node: number;
  readonly charts: ReadonlyMap<string, Chart>;
}

/** The most lines back that are searched for the last step of a role. */
const STEPS_BACK_MAX = 200;
/** Kinds of steps that put a node into a state without a transition. */
const PUT: ReadonlySet<string> = new Set(['start', 'corrupt', 'crash', 'restart', 'reload']);

/** The transitions that a role took most recently, and the line of the trace with them. */
export function takenLast(
  { recording, moment, node, charts }: NodeCharts,
  { role, view, since }: RoleNow,
): TransitionsOfStep & { readonly line: number } {
  const chart = charts.get(view.chart);
  const steps = recording.steps[node] ?? [];
  const last = lastAtMost(steps, moment.line);
  const nothing = { ...NOTHING_TAKEN, line: since };
  if (!chart) return nothing;
  for (let place = last; place >= 0 && steps[place]! >= since && place > last - STEPS_BACK_MAX; place--) {
    const line = steps[place]!;
    const step = recording.step(line)!;
    const recorded = reportedBy(step, role, chart);
    if (recorded && recorded.taken.length + recorded.refused.length > 0) return { ...recorded, line };
    if (recorded || line > since || PUT.has(step.kind)) continue;
    const event = step.role === undefined || step.role === role ? step.event.type : null;
    const before = moment.roleBefore(node, role, since);
    return { ...guessed(chart, event, before?.value ?? null, view.value), line };
  }
  return nothing;
}
