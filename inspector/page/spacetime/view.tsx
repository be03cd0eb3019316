/** The space-time diagram: a lane for each node, time to the right, and an arrow for each message. It shows which steps caused which. */
import type { TargetedPointerEvent } from 'preact';
import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { numberText, sentence } from '../../model/words.js';
import { Canvas } from '../canvas.js';
import { colorStyle } from '../colors.js';
import type { Dot } from '../../model/spacetime.js';
import { LegendList } from '../legend-list.js';
import { More } from '../more.js';
import { IconButton, Panel } from '../panel.js';
import { currentLine, isPlaying, recording, selectedNode, selectMessage, showLine } from '../state.js';
import {
  chosenSpan,
  diagram,
  hit,
  nameOfState,
  paintSpacetime,
  scroll,
  scrollTo,
  shift,
  showLaneOfSelected,
  sliceText,
  span,
  wordsAt,
} from './picture.js';

/** While it plays, and after a jump, the playhead is in sight, and the lane of a node that is selected. */
function keepInSight(): () => void {
  const ends = [currentLine.subscribe(() => void (shift.value = 0)), effect(showLaneOfSelected)];
  return () => ends.forEach((end) => end());
}

let drag: { x: number; y: number; shift: number; scroll: number; moved: boolean } | null = null;

const handlers = {
  onPointerDown(event: TargetedPointerEvent<HTMLElement>) {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag = { x: event.offsetX, y: event.offsetY, shift: shift.value, scroll: scroll.value, moved: false };
  },
  onPointerMove(event: TargetedPointerEvent<HTMLElement>) {
    if (!drag) return describe(event);
    const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    drag.moved = true;
    shift.value = drag.shift - (dx / event.currentTarget.clientWidth) * span.value;
    scrollTo(drag.scroll - dy);
  },
  onPointerUp(event: TargetedPointerEvent<HTMLElement>) {
    const canvas = event.currentTarget;
    if (drag && !drag.moved) {
      const { line, message, node } = hit(
        { x: event.offsetX, y: event.offsetY },
        { width: canvas.clientWidth, height: canvas.clientHeight },
      );
      if (line !== undefined) showLine(line);
      if (message !== undefined) selectMessage(message);
      if (node !== undefined) selectedNode.value = node;
    }
    drag = null;
  },
  onWheel(event: WheelEvent) {
    event.preventDefault();
    if (event.shiftKey) scrollTo(scroll.value + event.deltaY);
    else zoomBy(Math.exp(event.deltaY * 0.0015));
  },
};

/** Shows the item under the pointer as the title of the picture. */
function describe(event: TargetedPointerEvent<HTMLElement>): void {
  const canvas = event.currentTarget;
  const words = wordsAt({ x: event.offsetX, y: event.offsetY }, { width: canvas.clientWidth, height: canvas.clientHeight });
  if (canvas.title !== words) canvas.title = words;
}

/** Limits zooming out to the whole trace. */
function zoomBy(factor: number): void {
  if (factor > 1 && diagram.value.thinned) return;
  chosenSpan.value = Math.max(span.value * factor, 1e-6);
}

/** Along the lane of the selected node with the arrow keys, to the nodes above and below with up and down. */
function onKeyDown(event: KeyboardEvent): void {
  const { steps, nodes } = recording.value;
  const node = Math.max(selectedNode.value, 0);
  const own = steps[node] ?? [];
  const here = currentLine.value;
  const to =
    event.key === 'ArrowRight'
      ? own.find((line) => line > here)
      : event.key === 'ArrowLeft'
        ? own.findLast((line) => line < here)
        : undefined;
  const isVertical = event.key === 'ArrowUp' || event.key === 'ArrowDown';
  if (event.shiftKey || (to === undefined && !isVertical)) return;
  event.preventDefault();
  event.stopPropagation();
  if (to !== undefined) showLine(to);
  else if (isVertical) selectedNode.value = (node + (event.key === 'ArrowUp' ? -1 : 1) + nodes.size) % Math.max(nodes.size, 1);
}

export function SpaceTimeView() {
  useEffect(keepInSight, []);
  const tools = (
    <>
      <IconButton label="wider" icon="M5 12h14" onPress={() => zoomBy(1.5)} />
      <IconButton label="closer" icon="M5 12h14M12 5v14" onPress={() => zoomBy(1 / 1.5)} />
    </>
  );
  return (
    <Panel view="space-time" title="Space and time" tools={tools} text={() => <SpaceTimeText />}>
      <Canvas
        class="picture"
        paint={paintSpacetime}
        label={`Space-time diagram around line ${currentLine.value + 1}${isPlaying.value ? ', playing' : ''}`}
        onKeyDown={onKeyDown}
        {...handlers}
      />
      <States />
      {diagram.value.thinned && <p class="notice-inline">more lines here than can be drawn</p>}
    </Panel>
  );
}

/** The most states that are distinguishable. */
const STATES_MAX = 8;

/** The states that are in sight, with the colors that they have in the plots, too. */
function States() {
  const states = [...new Set(diagram.value.slices.map(({ state }) => state))].sort((a, b) => a - b);
  return (
    <LegendList label="states in sight">
      {states.slice(0, STATES_MAX).map((state) => (
        <li key={state}>
          <span class="swatch" style={{ background: colorStyle('state', state) }} />
          {nameOfState(state)}
        </li>
      ))}
      {states.length > STATES_MAX && (
        <li>
          <More names={states.slice(STATES_MAX).map(nameOfState)} />
        </li>
      )}
    </LegendList>
  );
}

const ROWS_MAX = 300;

function SpaceTimeText() {
  const { dots, slices } = diagram.value;
  return (
    <>
      <h3>What happened</h3>
      <Happened dots={dots} />
      <h3>States</h3>
      <ul>
        {slices.slice(0, ROWS_MAX).map((slice) => (
          <li key={`${slice.lane} ${slice.row} ${slice.from} ${slice.state}`}>{sliceText(slice)}</li>
        ))}
        {slices.length > ROWS_MAX && <li>and {numberText(slices.length - ROWS_MAX)} more in sight</li>}
      </ul>
    </>
  );
}

function Happened({ dots }: { dots: readonly Dot[] }) {
  return (
    <ol>
      {dots.slice(0, ROWS_MAX).map(({ line }) => (
        <li key={line} value={line + 1} aria-current={line === currentLine.value ? 'step' : undefined}>
          <button type="button" class="link" onClick={() => showLine(line)}>
            {sentence(recording.value.line(line))}
          </button>
        </li>
      ))}
      {dots.length > ROWS_MAX && <li>and {numberText(dots.length - ROWS_MAX)} more in sight</li>}
    </ol>
  );
}
