/** One chart as SVG. */
import {
  FOLD_WIDTH,
  LINE_HEIGHT,
  NAME_HEIGHT,
  SCALE_READABLE,
  type ChartLayout,
  type Label,
  type PlacedEdge,
  type PlacedState,
} from '../../model/chart-shapes.js';
import { isOuter } from '../../model/chart.js';
import type { ChartPart } from '../../model/chart-search.js';
import type { TransitionsOfStep } from '../../model/taken.js';
import { stateCount, transitionCount, type Covered } from '../../model/coverage.js';
import { heatLevel, type Heat } from '../../model/visits.js';
import { scrollWithin } from '../sight.js';
import type { FoldedPaths } from '../../model/fold.js';
import { smooth } from './smooth.js';

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
  /** How often its parts were visited; `null` where that is not shown. */
  readonly heat: Heat | null;
  /** What its viewer does with it; `null` for a picture that stands by itself. */
  readonly controls: ChartControls | null;
}

export interface ChartControls {
  /** Times the size that fits. */
  readonly zoom: number;
  readonly found: ReadonlySet<ChartPart>;
  readonly folded: FoldedPaths;
  readonly fold: (path: string) => void;
}

const NOTHING_FOUND: ReadonlySet<ChartPart> = new Set();

export function ChartPicture(props: ChartPictureProps) {
  const { layout, width, height, active, taken, isNow, follows, label, covered, heat, controls } = props;
  const fitting = Math.min(Math.max(Math.min(width / layout.width, height / layout.height), SCALE_READABLE), 1);
  const scale = fitting * (controls?.zoom ?? 1);
  const found = controls?.found ?? NOTHING_FOUND;
  const isTaken = (one: Label) => taken.taken.includes(one.transition);
  const isRefused = (one: Label) => isNow && taken.refused.includes(one.transition);
  const isPossible = (one: Label) => taken.possible.includes(one.transition);
  const isMissed = (one: Label) => covered !== null && transitionCount(covered, one.transition) === 0;
  const heatOf = (one: Label) => (heat ? ` heat-${heatLevel(heat.taken(one.transition), heat.hottestTransition)}` : '');
  const looks: Looks = {
    classOf: (one) =>
      `${isTaken(one) ? ' is-taken' : ''}${isRefused(one) ? ' is-refused' : ''}${isPossible(one) ? ' is-possible' : ''}${isMissed(one) ? ' is-missed' : ''}${found.has(one.transition) ? ' is-found' : ''}${heatOf(one)}`,
    found,
    visits: (one) => (heat ? heat.taken(one.transition) : null),
  };
  const { classOf } = looks;
  const edges = [...layout.edges].sort((a, b) => Number(isTaken(a.label)) - Number(isTaken(b.label)));
  return (
    <svg
      class={`chart${isNow ? ' is-now' : ''}`}
      role={controls ? 'group' : 'img'}
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
      <Words labels={layout.always} x={12} y={layout.notes.length * LINE_HEIGHT} looks={looks} />
      {layout.states.map((placed) => (
        <State
          key={placed.state.path}
          placed={placed}
          isActive={active.has(placed.state.path)}
          isMissed={covered !== null && stateCount(covered, placed.state.path) === 0}
          follows={follows}
          looks={looks}
          controls={controls}
          visits={heat && (heat.states.get(placed.state.path) ?? 0)}
          heat={heat ? heatLevel(heat.states.get(placed.state.path) ?? 0, heat.hottestState) : null}
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
          looks={looks}
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
  readonly controls: ChartControls | null;
  /** How often it was entered; `null` where that is not shown. */
  readonly visits: number | null;
  readonly heat: number | null;
  readonly isActive: boolean;
  readonly isMissed: boolean;
  /** Whether to bring it into sight when it is active. */
  readonly follows: boolean;
  readonly looks: Looks;
}

interface Looks {
  /** The classes that say whether a transition was taken last, whether tests miss it, whether it is sought, and how often it was taken. */
  readonly classOf: (label: Label) => string;
  readonly found: ReadonlySet<ChartPart>;
  /** How often a transition was taken; `null` where that is not shown. */
  readonly visits: (label: Label) => number | null;
}

function State({ placed, controls, isActive, isMissed, follows, looks, visits, heat }: StateProps) {
  const { state, x, y, width, height, internal, notes, isInitial } = placed;
  const isFound = looks.found.has(state.path);
  const hasInside = state.children.length > 0;
  return (
    <g
      ref={follows && isActive && !hasInside ? scrollWithin : null}
      class={`state ${hasInside ? 'outer' : 'leaf'} ${state.kind}${isActive ? ' is-active' : ''}${isMissed ? ' is-missed' : ''}${isFound ? ' is-found' : ''}${heat === null ? '' : ` heat-${heat}`}`}
      data-state={state.path}
      data-active={isActive}
    >
      {state.description !== null && <title>{state.description}</title>}
      {isInitial && <path class="initial" d={`M${x - 7} ${y + 5}q0 8 5 8`} />}
      {isInitial && <circle class="initial-dot" cx={x - 7} cy={y + 4} r={3} />}
      <rect x={x} y={y} width={width} height={height} rx={hasInside ? 10 : 7} />
      {state.kind === 'final' && <rect class="inner" x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx={5} />}
      <text class="name" x={x + 12} y={y + 17} data-found={isFound || undefined}>
        {state.key}
      </text>
      {visits !== null && (
        <text class="visits" x={x + width - 2} y={y - 3}>
          {visits}×
        </text>
      )}
      {controls && isOuter(state) && <FoldButton placed={placed} controls={controls} />}
      <Notes lines={notes} x={x + 12} y={y + NAME_HEIGHT} />
      <Words labels={internal} x={x + 12} y={y + NAME_HEIGHT + notes.length * LINE_HEIGHT} looks={looks} />
    </g>
  );
}

function FoldButton({ placed: { state, x, y, width }, controls }: { placed: PlacedState; controls: ChartControls }) {
  const isFolded = controls.folded.has(state.path);
  const press = () => controls.fold(state.path);
  const [left, top] = [x + width - FOLD_WIDTH - 4, y + 5];
  return (
    <g
      class="fold"
      role="button"
      // Attributes of SVG keep their case.
      tabindex={0}
      aria-expanded={!isFolded}
      aria-label={`states inside of ${state.path}`}
      onClick={press}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        event.stopPropagation();
        press();
      }}
    >
      <rect x={left} y={top} width={FOLD_WIDTH} height={FOLD_WIDTH} rx={4} />
      <path d={`M${left + 4} ${top + 8}h8${isFolded ? `M${left + 8} ${top + 4}v8` : ''}`} />
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

function Words({ labels, x, y, looks }: { labels: readonly Label[]; x: number; y: number; looks: Looks }) {
  let line = 0;
  return (
    <>
      {labels.map((label) =>
        label.lines.map((text, i) => (
          <text
            key={`${text}${line}`}
            class={`words${isAction(text) ? ' action' : ''}${looks.classOf(label)}`}
            data-found={(i === 0 && looks.found.has(label.transition)) || undefined}
            x={x}
            y={y + 11 + LINE_HEIGHT * line++}
          >
            {text}
            {i === 0 && <Count of={looks.visits(label)} />}
          </text>
        )),
      )}
    </>
  );
}

/** How often a transition was taken, after its event. */
const Count = ({ of }: { of: number | null }) => (of === null ? null : <tspan class="visits"> {of}×</tspan>);

function EdgeLabel({ edge: { label, at }, looks, count }: { edge: PlacedEdge; looks: Looks; count: number | null }) {
  const top = at.y - (label.lines.length * LINE_HEIGHT) / 2 + 11;
  const { actions, description } = label.transition;
  const hint = [
    ...(description === null ? [] : [description]),
    ...actions,
    ...(count === null ? [] : [`covered ${count} times`]),
  ].join(', ');
  return (
    <g class={`edge-label${looks.classOf(label)}`} data-found={looks.found.has(label.transition) || undefined}>
      {hint !== '' && <title>{hint}</title>}
      {label.lines.map((text, i) => (
        <text key={text} class={isAction(text) ? 'action' : undefined} x={at.x} y={top + i * LINE_HEIGHT}>
          {text}
          {i === 0 && <Count of={looks.visits(label)} />}
        </text>
      ))}
    </g>
  );
}

/** Actions stand below the event and its guard, after a stroke. */
const isAction = (line: string): boolean => /^[/ ]/.test(line);
