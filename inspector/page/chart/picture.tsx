/** Draws one chart as SVG: states, transitions, the active states, the transitions last taken, and test coverage or visits if requested. */
import { FOLD_SIZE, HISTORY_WIDTH, INITIAL_WIDTH, LINE_HEIGHT, NAME_HEIGHT, PAD } from '../../model/chart-shapes.js';
import type { ChartLayout, Label, PlacedEdge, PlacedState } from '../../model/chart-shapes.js';
import { isOuter, type ChartTransition } from '../../model/chart.js';
import type { ChartPart } from '../../model/chart-search.js';
import type { TransitionsOfStep } from '../../model/taken.js';
import { stateCount, transitionCount, type Covered } from '../../model/coverage.js';
import { heatLevel, type Heat } from '../../model/visits.js';
import type { FoldedPaths } from '../../model/fold.js';
import { rounded } from './rounded.js';

interface ChartPictureProps {
  readonly layout: ChartLayout;
  /** Pixels of the screen for one of the layout. */
  readonly scale: number;
  readonly active: ReadonlySet<string>;
  readonly taken: TransitionsOfStep;
  /** True if the last transition belongs to the current line. */
  readonly isNow: boolean;
  readonly label: string;
  /** The color of the state that is active. */
  readonly color: string;
  /** The tests' coverage of the chart, or `null` if the trace does not contain it. */
  readonly covered: Covered | null;
  /** Visits of its parts; `null` if they are not shown. */
  readonly heat: Heat | null;
  /** The parts that another version of the chart lacks. */
  readonly differs?: ReadonlySet<ChartPart> | undefined;
  /** Handlers for the viewer's actions, or `null` for a picture without buttons. */
  readonly controls: ChartControls | null;
}

export interface ChartControls {
  readonly found: ReadonlySet<ChartPart>;
  readonly folded: FoldedPaths;
  readonly fold: (path: string) => void;
}

const NOTHING: ReadonlySet<ChartPart> = new Set();

/** How each transition is drawn. */
function appearanceOf({ taken, isNow, covered, heat, differs = NOTHING, controls }: ChartPictureProps): Appearance {
  const found = controls?.found ?? NOTHING;
  return {
    classOf: (one) =>
      [
        taken.taken.includes(one) && 'is-taken',
        isNow && taken.refused.includes(one) && 'is-refused',
        taken.possible.includes(one) && 'is-possible',
        covered !== null && transitionCount(covered, one) === 0 && 'is-missed',
        found.has(one) && 'is-found',
        differs.has(one) && 'is-different',
        heat && `heat-${heatLevel(heat.taken(one), heat.hottestTransition)}`,
      ]
        .filter(Boolean)
        .join(' '),
    found,
    differs,
    visits: (one) => (heat ? heat.taken(one) : null),
    covered,
  };
}

export function ChartPicture(props: ChartPictureProps) {
  const { layout, scale, active, taken, isNow, label, color, covered, heat, controls } = props;
  const appearance = appearanceOf(props);
  const isTaken = (one: ChartTransition) => taken.taken.includes(one);
  // Taken transitions are drawn over the others.
  const edges = [...layout.edges].sort((a, b) => Number(isTaken(a.transition)) - Number(isTaken(b.transition)));
  return (
    <svg
      class={`chart${isNow ? ' is-now' : ''}`}
      role={controls ? 'group' : 'img'}
      aria-label={label}
      style={{ '--state': color }}
      width={layout.width * scale}
      height={layout.height * scale}
      viewBox={`0 0 ${layout.width} ${layout.height}`}
    >
      <Arrows />
      {layout.states.map((placed) => (
        <State
          key={placed.state.path}
          placed={placed}
          isActive={active.has(placed.state.path)}
          isMissed={covered !== null && placed.state.path !== '' && stateCount(covered, placed.state.path) === 0}
          appearance={appearance}
          controls={controls}
          visits={heat && placed.state.path !== '' ? (heat.states.get(placed.state.path) ?? 0) : null}
          heat={heat ? heatLevel(heat.states.get(placed.state.path) ?? 0, heat.hottestState) : null}
        />
      ))}
      {layout.separators.map(([from, to]) => (
        <path key={`${from.x} ${from.y}`} class="separator" d={rounded([from, to])} />
      ))}
      {edges.map((edge) => (
        <path
          key={keyOf(edge)}
          class={`edge ${appearance.classOf(edge.transition)}`}
          data-transition={nameOf(edge.transition)}
          d={rounded(edge.points)}
          marker-end={edge.hasArrow ? (isTaken(edge.transition) ? 'url(#head-taken)' : 'url(#head)') : undefined}
        />
      ))}
      {layout.forks.map(({ transition, x, y, width, height }) => (
        <rect
          key={nameOf(transition)}
          class={`fork ${appearance.classOf(transition)}`}
          data-transition={nameOf(transition)}
          {...{ x, y, width, height }}
          rx={2}
        />
      ))}
      {edges.map((edge) => edge.label && <EdgeLabel key={keyOf(edge)} edge={edge} label={edge.label} appearance={appearance} />)}
    </svg>
  );
}

const Arrows = () => (
  <defs>
    <Arrow id="head" />
    <Arrow id="head-taken" />
  </defs>
);

const Arrow = ({ id }: { id: string }) => (
  <marker id={id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
    <path d="M0 .8 7.5 4 0 7.2z" class={id} />
  </marker>
);

/** In an attribute a space stays what it is; a line break would not. */
const nameOf = ({ source, event, index }: ChartTransition): string => `${source} ${event} ${index}`;

const keyOf = ({ transition, points }: PlacedEdge): string => `${nameOf(transition)} ${points.at(-1)?.x} ${points.at(-1)?.y}`;

interface Appearance {
  /** Classes of a transition: taken last, missed by tests, found by the search, and how often it was taken. */
  readonly classOf: (transition: ChartTransition) => string;
  readonly found: ReadonlySet<ChartPart>;
  readonly differs: ReadonlySet<ChartPart>;
  /** Number of times that a transition was taken; `null` if it is not shown. */
  readonly visits: (transition: ChartTransition) => number | null;
  readonly covered: Covered | null;
}

interface StateProps {
  readonly placed: PlacedState;
  readonly controls: ChartControls | null;
  /** Number of times that it was entered; `null` if it is not shown. */
  readonly visits: number | null;
  readonly heat: number | null;
  readonly isActive: boolean;
  readonly isMissed: boolean;
  readonly appearance: Appearance;
}

function State({ placed, controls, isActive, isMissed, appearance, visits, heat }: StateProps) {
  const { state, x, y, width, height, internal, notes, isInitial, wordsX } = placed;
  const isFound = appearance.found.has(state.path);
  const isOuterBox = state.children.length > 0 || state.parent === null;
  const classes = [
    `state ${isOuterBox ? 'outer' : 'leaf'} ${state.kind}`,
    isActive && 'is-active',
    isMissed && 'is-missed',
    isFound && 'is-found',
    appearance.differs.has(state.path) && 'is-different',
    heat !== null && `heat-${heat}`,
  ];
  return (
    <g
      class={classes.filter(Boolean).join(' ')}
      data-state={state.path || undefined}
      data-active={state.path === '' ? undefined : isActive}
    >
      {state.description !== null && <title>{state.description}</title>}
      {isInitial && <Initial x={x} y={y} />}
      <rect x={x} y={y} width={width} height={height} rx={isOuterBox ? 10 : 7} />
      {state.kind === 'final' && <rect class="inner" x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx={5} />}
      {state.history && <HistoryMark x={x} y={y} depth={state.history.depth} />}
      <text class="name" x={wordsX + (state.history ? HISTORY_WIDTH : 0)} y={y + 18} data-found={isFound || undefined}>
        {state.key}
      </text>
      {visits !== null && (
        <text class="visits" x={x + width - 2} y={y - 4}>
          {visits}×
        </text>
      )}
      {controls && isOuter(state) && state.parent !== null && <FoldButton placed={placed} controls={controls} />}
      <Notes lines={notes} x={wordsX} y={y + NAME_HEIGHT} />
      <Words labels={internal} x={wordsX} y={y + NAME_HEIGHT + notes.length * LINE_HEIGHT} appearance={appearance} />
    </g>
  );
}

/** The dot and the arrow before an initial state. */
const Initial = ({ x, y }: { x: number; y: number }) => (
  <>
    <circle class="initial-dot" cx={x - INITIAL_WIDTH + 4} cy={y + 9} r={4} />
    <path class="initial" d={`M${x - INITIAL_WIDTH + 4} ${y + 9}H${x}`} marker-end="url(#head)" />
  </>
);

const HistoryMark = ({ x, y, depth }: { x: number; y: number; depth: 'shallow' | 'deep' }) => (
  <>
    <circle class="history-mark" cx={x + PAD + 8} cy={y + 14} r={10} />
    <text class="history-letter" x={x + PAD + 8} y={y + 18}>
      {depth === 'deep' ? 'H*' : 'H'}
    </text>
  </>
);

function FoldButton({ placed: { state, x, y, width, isCollapsed }, controls }: { placed: PlacedState; controls: ChartControls }) {
  const press = () => controls.fold(state.path);
  const [left, top] = [x + width - FOLD_SIZE - 2, y + 2];
  const middle = FOLD_SIZE / 2;
  return (
    <g
      class="fold"
      role="button"
      // Attributes of SVG keep their case.
      tabindex={0}
      aria-expanded={!isCollapsed}
      aria-label={`states inside of ${state.path}`}
      onClick={press}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        event.stopPropagation();
        press();
      }}
    >
      <rect x={left} y={top} width={FOLD_SIZE} height={FOLD_SIZE} rx={6} />
      <path d={`M${left + middle - 5} ${top + middle}h10${isCollapsed ? `M${left + middle} ${top + middle - 5}v10` : ''}`} />
    </g>
  );
}

const Notes = ({ lines, x, y }: { lines: readonly string[]; x: number; y: number }) => (
  <>
    {lines.map((line, i) => (
      <text key={i} class="words note" x={x} y={y + 12 + LINE_HEIGHT * i}>
        {line}
      </text>
    ))}
  </>
);

function Words({ labels, x, y, appearance }: { labels: readonly Label[]; x: number; y: number; appearance: Appearance }) {
  let line = 0;
  return (
    <>
      {labels.map(({ transition, lines }) => (
        <g key={nameOf(transition)} class="internal" data-transition={nameOf(transition)}>
          {lines.map((text, i) => (
            <text
              key={i}
              class={`words${isAction(text) ? ' action' : ''} ${appearance.classOf(transition)}`}
              data-found={(i === 0 && appearance.found.has(transition)) || undefined}
              x={x}
              y={y + 12 + LINE_HEIGHT * line++}
            >
              {text}
              {i === 0 && <Count of={appearance.visits(transition)} />}
            </text>
          ))}
        </g>
      ))}
    </>
  );
}

/** How often a transition was taken, after its event. */
const Count = ({ of }: { of: number | null }) => (of === null ? null : <tspan class="visits"> {of}×</tspan>);

interface EdgeLabelProps {
  readonly edge: PlacedEdge;
  readonly label: NonNullable<PlacedEdge['label']>;
  readonly appearance: Appearance;
}

function EdgeLabel({ edge: { transition }, label: { x, y, width, height, lines }, appearance }: EdgeLabelProps) {
  const hint = hintOf(transition, appearance.covered);
  return (
    <g
      class={`edge-label ${appearance.classOf(transition)}`}
      data-transition={nameOf(transition)}
      data-found={appearance.found.has(transition) || undefined}
    >
      {hint !== '' && <title>{hint}</title>}
      <rect {...{ x, y, width, height }} rx={4} />
      {lines.map((text, i) => (
        <text key={i} class={isAction(text) ? 'action' : undefined} x={x + width / 2} y={y + 13 + i * LINE_HEIGHT}>
          {text}
          {i === 0 && <Count of={appearance.visits(transition)} />}
        </text>
      ))}
    </g>
  );
}

const hintOf = (transition: ChartTransition, covered: Covered | null): string =>
  [
    ...(transition.event === '*' ? ['any other event'] : []),
    ...(transition.description === null ? [] : [transition.description]),
    ...(covered === null ? [] : [`covered ${transitionCount(covered, transition)} times`]),
  ].join(', ');

/** Actions follow the event and its guard on their own line, after a slash. */
const isAction = (line: string): boolean => /^[/ ]/.test(line);
