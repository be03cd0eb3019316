/** The charts of all nodes as small pictures, one for each state that contains nodes, with these nodes. */
import type { ChartLayout } from '../../model/chart-shapes.js';
import { groupsByState, type StateGroup } from '../../model/by-state.js';
import { activePaths, valueText } from '../../model/values.js';
import { moment, recording, selectedNode } from '../state.js';
import { stateStyle } from '../state-names.js';
import { charts } from './charts.js';
import { showsAll } from './view-options.js';
import { More } from '../more.js';
import { rounded } from './rounded.js';

/** To look up the states of more takes longer than a frame. */
const NODES_MAX = 1000;
const NAMES_MAX = 12;

interface AllNodesProps {
  /** Returns `null` before the layout exists, or if words are sufficient. */
  readonly layoutOf: (chart: string) => ChartLayout | null;
}

export function AllNodes({ layoutOf }: AllNodesProps) {
  const { size } = recording.value.nodes;
  const groups = groupsByState(moment.value, Math.min(size, NODES_MAX), charts.value);
  return (
    <div class="all-nodes" tabIndex={0} role="group" aria-label="all nodes by their states">
      {size > NODES_MAX && (
        <p class="hint">
          The first {NODES_MAX} of {size.toLocaleString('en-US')} nodes.
        </p>
      )}
      {groups.map((group) => (
        <Group key={`${group.chart} ${valueText(group.value)}`} group={group} layout={layoutOf(group.chart)} />
      ))}
      {groups.length === 0 && <p class="empty">No node has an open role here.</p>}
    </div>
  );
}

function Group({ group: { chart, value, nodes }, layout }: { group: StateGroup; layout: ChartLayout | null }) {
  const { names } = recording.value.nodes;
  const hasSelected = nodes.includes(selectedNode.value);
  const shown = hasSelected ? [selectedNode.value, ...nodes.filter((node) => node !== selectedNode.value)] : nodes;
  return (
    <figure class={hasSelected ? 'is-selected' : ''} data-state={valueText(value)}>
      <figcaption>
        {charts.value.size > 1 && <span>{chart}: </span>}
        <b>{valueText(value)}</b> <span class="count is-calm">{nodes.length}</span>
      </figcaption>
      {layout && <Thumbnail layout={layout} active={activePaths(value)} color={stateStyle(chart, valueText(value))} />}
      <p>
        {shown.slice(0, NAMES_MAX).map((node) => (
          <button
            key={node}
            type="button"
            class="link"
            aria-current={node === selectedNode.value}
            onClick={() => {
              selectedNode.value = node;
              showsAll.value = false;
            }}
          >
            {names[node]}
          </button>
        ))}
        <More names={shown.slice(NAMES_MAX).map((node) => names[node]!)} />
      </p>
    </figure>
  );
}

/** The chart without words: the active states are visible within a few millimeters. */
const Thumbnail = ({ layout, active, color }: { layout: ChartLayout; active: ReadonlySet<string>; color: string }) => (
  <svg class="chart thumbnail" aria-hidden="true" style={{ '--state': color }} viewBox={`0 0 ${layout.width} ${layout.height}`}>
    {layout.states.map(({ state, x, y, width, height }) => (
      <g
        key={state.path}
        class={`${state.children.length > 0 ? 'outer' : 'leaf'} ${state.kind}${active.has(state.path) ? ' is-active' : ''}`}
      >
        <rect x={x} y={y} width={width} height={height} rx={8} />
      </g>
    ))}
    {layout.edges.map(({ points }, i) => (
      <path key={i} class="edge" d={rounded(points)} />
    ))}
  </svg>
);
