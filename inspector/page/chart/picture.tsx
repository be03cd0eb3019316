/** One chart as SVG. */
import {
  LINE_HEIGHT,
  NAME_HEIGHT,
  SCALE_READABLE,
  type ChartLayout,
  type Label,
  type PlacedEdge,
  type PlacedState,
  type ChartPoint,
} from '../../model/chart-shapes.js';
import type { TransitionsOfStep } from '../../model/taken.js';
import { stateCount, transitionCount, type Covered } from '../../model/coverage.js';
import { scrollWithin } from '../sight.js';

interface ChartPictureProps {
  readonly layout: ChartLayout;
  readonly width: number;
  readonly height: number;
  readonly active: ReadonlySet<string>;
  readonly taken: TransitionsOfStep;
  /** Whether the last transition is that of the current line. */
  readonly isNow: boolean;
  /** Whether to bring the active states into sight. */
  readonly follows: boolean;
  readonly label: string;
  /** What tests cover of it; `null` where the trace does not say. */
  readonly covered: Covered | null;
}

export function ChartPicture({ layout, width, height, active, taken, isNow, follows, label, covered }: ChartPictureProps) {
  const scale = Math.min(Math.max(Math.min(width / layout.width, height / layout.height), SCALE_READABLE), 1);
  const isTaken = (one: Label) => taken.taken.includes(one.transition);
  const isRefused = (one: Label) => isNow && taken.refused.includes(one.transition);
  const isPossible = (one: Label) => taken.possible.includes(one.transition);
  const isMissed = (one: Label) => covered !== null && transitionCount(covered, one.transition) === 0;
  const classOf = (one: Label) =>
    `${isTaken(one) ? ' is-taken' : ''}${isRefused(one) ? ' is-refused' : ''}${isPossible(one) ? ' is-possible' : ''}${isMissed(one) ? ' is-missed' : ''}`;
  const edges = [...layout.edges].sort((a, b) => Number(isTaken(a.label)) - Number(isTaken(b.label)));
  return (
    <svg
      class={`chart${isNow ? ' is-now' : ''}`}
      role="img"
      aria-label={label}
      width={layout.width * scale}
      height={layout.height * scale}
      viewBox={`0 0 ${layout.width} ${layout.height}`}
    >
      <defs>
        <marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
          <path d="M0 .8 7.5 4 0 7.2z" class="head" />
        </marker>
        <marker id="head-taken" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
          <path d="M0 .8 7.5 4 0 7.2z" class="head-taken" />
        </marker>
      </defs>
      <Notes lines={layout.notes} x={12} y={0} />
      <Words labels={layout.always} x={12} y={layout.notes.length * LINE_HEIGHT} classOf={classOf} />
      {layout.states.map((placed) => (
        <State
          key={placed.state.path}
          placed={placed}
          isActive={active.has(placed.state.path)}
          isMissed={covered !== null && stateCount(covered, placed.state.path) === 0}
          follows={follows}
          classOf={classOf}
        />
      ))}
      {edges.map((edge) => (
        <path
          key={keyOf(edge)}
          class={`edge${classOf(edge.label)}`}
          d={smooth(edge.points)}
          marker-end={isTaken(edge.label) ? 'url(#head-taken)' : 'url(#head)'}
        />
      ))}
      {edges.map((edge) => (
        <EdgeLabel
          key={keyOf(edge)}
          edge={edge}
          more={classOf(edge.label)}
          count={covered && transitionCount(covered, edge.label.transition)}
        />
      ))}
    </svg>
  );
}

const keyOf = ({ label: { transition, lines }, points }: PlacedEdge): string =>
  `${transition.source} ${lines.join()} ${points[0]?.x} ${points.at(-1)?.y}`;

interface StateProps {
  readonly placed: PlacedState;
  readonly isActive: boolean;
  readonly isMissed: boolean;
  /** Whether to bring it into sight when it is active. */
  readonly follows: boolean;
  readonly classOf: ClassOf;
}

/** The classes that say whether a transition was taken last, and whether tests miss it. */
type ClassOf = (label: Label) => string;

function State({ placed, isActive, isMissed, follows, classOf }: StateProps) {
  const { state, x, y, width, height, internal, notes, isInitial } = placed;
  const isOuter = state.children.length > 0;
  return (
    <g
      ref={follows && isActive && !isOuter ? scrollWithin : null}
      class={`state ${isOuter ? 'outer' : 'leaf'} ${state.kind}${isActive ? ' is-active' : ''}${isMissed ? ' is-missed' : ''}`}
      data-state={state.path}
      data-active={isActive}
    >
      {state.description !== null && <title>{state.description}</title>}
      {isInitial && <path class="initial" d={`M${x - 7} ${y + 5}q0 8 5 8`} />}
      {isInitial && <circle class="initial-dot" cx={x - 7} cy={y + 4} r={3} />}
      <rect x={x} y={y} width={width} height={height} rx={isOuter ? 10 : 7} />
      {state.kind === 'final' && <rect class="inner" x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx={5} />}
      <text class="name" x={x + 12} y={y + 17}>
        {state.key}
      </text>
      <Notes lines={notes} x={x + 12} y={y + NAME_HEIGHT} />
      <Words labels={internal} x={x + 12} y={y + NAME_HEIGHT + notes.length * LINE_HEIGHT} classOf={classOf} />
    </g>
  );
}

const Notes = ({ lines, x, y }: { lines: readonly string[]; x: number; y: number }) => (
  <>
    {lines.map((line, i) => (
      <text key={i} class="words note" x={x} y={y + 11 + LINE_HEIGHT * i}>
        {line}
      </text>
    ))}
  </>
);

function Words({ labels, x, y, classOf }: { labels: readonly Label[]; x: number; y: number; classOf: ClassOf }) {
  let line = 0;
  return (
    <>
      {labels.map((label) =>
        label.lines.map((text) => (
          <text
            key={`${text}${line}`}
            class={`words${isAction(text) ? ' action' : ''}${classOf(label)}`}
            x={x}
            y={y + 11 + LINE_HEIGHT * line++}
          >
            {text}
          </text>
        )),
      )}
    </>
  );
}

function EdgeLabel({ edge: { label, at }, more, count }: { edge: PlacedEdge; more: string; count: number | null }) {
  const top = at.y - (label.lines.length * LINE_HEIGHT) / 2 + 11;
  const { actions, description } = label.transition;
  const hint = [
    ...(description === null ? [] : [description]),
    ...actions,
    ...(count === null ? [] : [`covered ${count} times`]),
  ].join(', ');
  return (
    <g class={`edge-label${more}`}>
      {hint !== '' && <title>{hint}</title>}
      {label.lines.map((text, i) => (
        <text key={text} class={isAction(text) ? 'action' : undefined} x={at.x} y={top + i * LINE_HEIGHT}>
          {text}
        </text>
      ))}
    </g>
  );
}

/** Actions stand below the event and its guard, after a stroke. */
const isAction = (line: string): boolean => /^[/ ]/.test(line);

/** A line through points with its bends rounded. */
function smooth(points: readonly ChartPoint[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${first.x} ${first.y}`;
  for (const [i, point] of rest.entries()) {
    const next = rest[i + 1];
    if (!next) {
      path += `L${point.x} ${point.y}`;
      break;
    }
    const before = i === 0 ? first : rest[i - 1]!;
    const [enter, leave] = [toward(point, before), toward(point, next)];
    path += `L${enter.x} ${enter.y}Q${point.x} ${point.y} ${leave.x} ${leave.y}`;
  }
  return path;
}

function toward(from: ChartPoint, to: ChartPoint): ChartPoint {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const part = Math.min(14, length / 2) / length;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
