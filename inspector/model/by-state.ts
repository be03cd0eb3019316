/** All nodes by the states of their roles: one group for each state of each chart that contains a node. */
import type { StateValue } from 'xstate';
import type { Chart } from './chart.js';
import type { Moment } from './moment.js';
import { leavesOf, valueText } from './values.js';

export interface StateGroup {
  readonly chart: string;
  readonly value: StateValue;
  /** Numbers of nodes. A node is listed once, even with several roles in this state. */
  readonly nodes: readonly number[];
}

/** The groups in the order of charts and states, so that a group keeps its place while nodes come and go. */
export function groupsByState(moment: Moment, nodes: number, charts: ReadonlyMap<string, Chart>): StateGroup[] {
  const groups = new Map<string, { chart: string; value: StateValue; nodes: number[] }>();
  for (let node = 0; node < nodes; node++) {
    for (const { view } of moment.roles(node)) {
      const key = `${view.chart}\n${valueText(view.value)}`;
      const group = groups.get(key) ?? { chart: view.chart, value: view.value, nodes: [] };
      if (group.nodes.at(-1) !== node) group.nodes.push(node);
      groups.set(key, group);
    }
  }
  const chartsInOrder = [...charts.keys()];
  const placeOf = ({ chart, value }: StateGroup): readonly number[] => {
    const paths = [...(charts.get(chart)?.states.keys() ?? [])];
    return [chartsInOrder.indexOf(chart), ...leavesOf(value).map((path) => paths.indexOf(path))];
  };
  const placed = [...groups.values()].map((group) => ({ group, place: placeOf(group) }));
  return placed.sort((a, b) => compare(a.place, b.place)).map(({ group }) => group);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((one, i) => one !== b[i]);
  return at < 0 ? a.length - b.length : a[at]! - (b[at] ?? -1);
}
