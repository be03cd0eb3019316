/** The space-time diagram at the playhead, as signals, and the painting of it. */
import { computed, signal } from '@preact/signals';
import { relationTo, type Relation } from '../../model/causality.js';
import { isTimed, xOf } from '../../model/playback.js';
import {
  lanesIn,
  layOut,
  type Arrow,
  type Diagram,
  type Dot,
  type LaneSlice,
  type Stretch,
  type Window,
} from '../../model/spacetime.js';
import { numberText } from '../../model/words.js';
import { hits, intervals } from '../ask.js';
import { chainLines } from '../asked-why.js';
import type { Size } from '../../model/chart-shapes.js';
import { fitted, labelFont, widthOf } from '../chart/measure.js';
import { messageColor, palette } from '../colors.js';
import { distanceToLine } from '../network/geometry.js';
import { nodeNames } from '../node-names.js';
import { stateNames } from '../state-names.js';
import { timeText } from '../time-text.js';
import { bandHeight, boxOf, drawSlices, writeNames, type LaneScale } from './draw-slices.js';
import { axis, currentLine, isPlaying, playhead, recording, growing, selectedMessage, selectedNode, way } from '../state.js';

const LANES_SHOWN_ALL = 24;
const HEAD = 20;
const TICK_FONT = labelFont(400);
/** Below this lanes run into each other, and the picture scrolls. */
const LANE_HEIGHT = { min: 6, max: 44 } as const;
const NAME_HEIGHT = 12;
/** How many lines of the trace one sees at first. */
const LINES_AT_FIRST = 36;

const size = signal<Size>({ width: 0, height: 0 });

/** The names of the lanes are as wide as the longest one, up to a part of the picture. */
const NAMES = { min: 40, part: 0.48, max: 220, pad: 8 } as const;
const nameFont = (isChosen: boolean): string => labelFont(isChosen ? 700 : 500);
export const namesWidth = computed(() => {
  const longest = Math.max(0, ...laneNodes.value.map((node) => widthOf(nodeNames.value[node] ?? '', nameFont(true))));
  const max = Math.min(size.value.width * NAMES.part, NAMES.max);
  return Math.max(Math.min(longest + 2 * NAMES.pad, max), NAMES.min);
});
/** The visible length of the time axis, as chosen by the viewer. `null` before that. */
export const chosenSpan = signal<number | null>(null);
/** The distance by which the viewer has moved the visible part away from the playhead. */
export const shift = signal(0);
export const scroll = signal(0);

export const span = computed(() => chosenSpan.value ?? naturalSpan());
export const shownWindow = computed((): Window => {
  const { first, end } = growing();
  const margin = span.value * 0.04;
  const [earliest, latest] = [
    xOf(recording.value, axis.value, first) - margin,
    xOf(recording.value, axis.value, end - 1) + margin - span.value,
  ];
  const from = Math.max(Math.min(playhead.value.x + shift.value - span.value * 0.62, latest), earliest);
  return { from, to: from + span.value };
});
/** Actors that run have a lane though they do nothing for a while, as far as there are few of them. */
const runningNodes = computed((): readonly number[] => {
  const { programs, running, nodes } = growing();
  const all = nodes.names.flatMap((_, node) =>
    programs[node] !== undefined && (running[node]!.at(-1) ?? 1) % 2 === 1 ? [node] : [],
  );
  return all.length <= LANES_SHOWN_ALL ? all : [];
});
const laneNodes = computed(() => {
  const always = selectedNode.value < 0 ? runningNodes.value : [selectedNode.value, ...runningNodes.value];
  return lanesIn(growing(), axis.value, settledRange.value, always, LANES_SHOWN_ALL);
});
/** The range in coarse steps, so that lanes do not come and go at every frame. */
const settledRange = computed((): Window => {
  const step = span.value / 2;
  const from = Math.floor(shownWindow.value.from / step) * step;
  return { from, to: from + 3 * step };
});
const laneOf = computed(() => new Map(laneNodes.value.map((node, lane) => [node, lane])));
export const diagram = computed((): Diagram => {
  return layOut(growing(), axis.value, settledRange.value, (node) => laneOf.value.get(node) ?? -1);
});
/** When what is asked about holds, of the lanes in sight. */
const held = computed(() =>
  (intervals.value ?? []).flatMap(({ node, from, to }) => {
    const lane = laneOf.value.get(node);
    const place = (line: number) => xOf(recording.value, axis.value, line);
    const [since, until] = [place(from), place(to ?? growing().end - 1)];
    const isInSight = lane !== undefined && until >= settledRange.value.from && since <= settledRange.value.to;
    return isInSight ? [{ lane, from: since, to: until }] : [];
  }),
);
const hitLines = computed(() => new Set(hits.value));
const relation = computed(() => {
  const line = currentLine.value;
  const focused = !isPlaying.value && line >= recording.value.first && recording.value.nodeOf(line) >= 0;
  return focused ? relationTo(recording.value, line) : null;
});

function naturalSpan(): number {
  const { first, end } = growing();
  if (axis.value === 'lines' || !isTimed(recording.value)) return Math.min(LINES_AT_FIRST, Math.max(end - first, 1));
  const perLine = (recording.value.at(end - 1) - recording.value.at(first)) / Math.max(end - first, 1);
  return Math.max(perLine * Math.min(LINES_AT_FIRST, end - first), 1e-6);
}

/** The height that is left for the lanes below the ticks. */
const room = computed(() => Math.max(size.value.height - HEAD - 8, 0));
const laneHeight = computed(() =>
  Math.min(Math.max(room.value / Math.max(laneNodes.value.length, 1), LANE_HEIGHT.min), LANE_HEIGHT.max),
);
const scrollMax = computed(() => Math.max(laneNodes.value.length * laneHeight.value - room.value, 0));

export function scrollTo(y: number): void {
  scroll.value = Math.min(Math.max(y, 0), scrollMax.peek());
}

/** Scrolls the diagram, as little as necessary, until the lane of the selected node is visible. */
export function showLaneOfSelected(): void {
  const lane = laneOf.value.get(selectedNode.value);
  if (lane === undefined) return;
  const top = lane * laneHeight.value;
  const margin = 2 * laneHeight.value;
  const now = scroll.peek();
  scrollTo(Math.min(Math.max(now, top + laneHeight.value + margin - room.value), Math.max(top - margin, 0)));
}

function scaleFor({ width }: Size): LaneScale {
  const { from, to } = shownWindow.value;
  const top = HEAD + 4 - Math.min(scroll.value, scrollMax.value);
  return {
    x: (value) => namesWidth.value + ((value - from) / (to - from)) * (width - namesWidth.value),
    y: (lane) => top + (lane + 0.5) * laneHeight.value,
    laneHeight: laneHeight.value,
    left: namesWidth.value,
  };
}

export const nameOfState = (state: number): string => stateNames.value[state] ?? '';

export function paintSpacetime(ctx: CanvasRenderingContext2D, given: Size): void {
  if (given.width !== size.peek().width || given.height !== size.peek().height) size.value = given;
  const scale = scaleFor(given);
  ctx.save();
  ctx.beginPath();
  ctx.rect(namesWidth.value, 0, given.width, given.height);
  ctx.clip();
  drawGrid(ctx, given, scale);
  // A lane that is half in sight does not reach into the times above.
  ctx.beginPath();
  ctx.rect(0, HEAD - 3, given.width, given.height);
  ctx.clip();
  drawSlices(ctx, given, scale, diagram.value.slices);
  for (const stretch of diagram.value.stretches) drawStretch(ctx, scale, stretch);
  drawHeld(ctx, scale);
  const arrows = diagram.value.arrows.filter(({ from, to }) => isInSight(given, scale, from, to));
  const dots = diagram.value.dots.filter((dot) => isInSight(given, scale, dot, dot));
  writeNames(ctx, given, scale, diagram.value.slices, {
    nameOf: nameOfState,
    covered: coveredIn(scale, dots, arrows),
    top: HEAD,
  });
  for (const arrow of arrows) drawArrow(ctx, scale, arrow);
  for (const dot of dots) drawDot(ctx, scale, dot);
  drawPlayhead(ctx, given, scale);
  ctx.restore();
  drawNames(ctx, given, scale);
}

/** By lane: where dots and arrows cover it. */
function coveredIn({ x }: LaneScale, dots: readonly Dot[], arrows: readonly Arrow[]): ReadonlyMap<number, readonly number[]> {
  const covered = new Map<number, number[]>(laneNodes.value.map((_, lane) => [lane, []]));
  for (const dot of dots) covered.get(dot.lane)?.push(x(dot.x));
  for (const { from, to } of arrows) {
    const [first, last] = [Math.min(from.lane, to.lane), Math.max(from.lane, to.lane)];
    for (let lane = first + 1; lane < last; lane++) {
      const part = (lane - from.lane) / (to.lane - from.lane);
      covered.get(lane)?.push(x(from.x) + part * (x(to.x) - x(from.x)));
    }
  }
  for (const xs of covered.values()) xs.sort((a, b) => a - b);
  return covered;
}

type Place = { readonly x: number; readonly lane: number };

function isInSight({ width, height }: Size, { x, y }: LaneScale, from: Place, to: Place): boolean {
  const isBefore = Math.max(x(from.x), x(to.x)) < namesWidth.value - 8;
  const isAfter = Math.min(x(from.x), x(to.x)) > width + 8;
  return !isBefore && !isAfter && Math.max(y(from.lane), y(to.lane)) > 0 && Math.min(y(from.lane), y(to.lane)) < height;
}

function drawGrid(ctx: CanvasRenderingContext2D, { width, height }: Size, scale: LaneScale): void {
  const colors = palette();
  ctx.strokeStyle = colors.faint;
  ctx.fillStyle = colors.muted;
  ctx.lineWidth = 1;
  ctx.font = TICK_FONT;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.beginPath();
  /** From here on there is room for a time. */
  let free = scale.left;
  for (const value of ticks(shownWindow.value, Math.max(Math.floor(width / 90), 2))) {
    const x = Math.round(scale.x(value)) + 0.5;
    ctx.moveTo(x, HEAD);
    ctx.lineTo(x, height);
    const text = axis.value === 'lines' ? numberText(value + 1) : timeText(value);
    const half = widthOf(text, TICK_FONT) / 2;
    if (x - half < free || x + half > width) continue;
    ctx.fillText(text, x, HEAD / 2 + 1);
    free = x + half + NAMES.pad;
  }
  ctx.stroke();
  ctx.strokeStyle = colors.line;
  ctx.beginPath();
  for (let lane = 0; lane < laneNodes.value.length; lane++) {
    const y = Math.round(scale.y(lane)) + 0.5;
    if (y < HEAD || y > height) continue;
    ctx.moveTo(0, y);
    ctx.lineTo(width, y);
  }
  ctx.stroke();
}

/** Round numbers in a range. */
function ticks({ from, to }: Window, count: number): number[] {
  const raw = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const nice = [1, 2, 5, 10].find((factor) => factor * power >= raw)! * power;
  const step = axis.value === 'lines' ? Math.max(Math.round(nice), 1) : nice;
  const values: number[] = [];
  for (let value = Math.ceil(from / step) * step; value <= to; value += step) values.push(Number(value.toPrecision(12)));
  return values;
}

/** A bar while the node is marked as one that holds, and nothing but dots of its line while it does not run. */
function drawStretch(ctx: CanvasRenderingContext2D, scale: LaneScale, { lane, from, to, kind }: Stretch): void {
  const colors = palette();
  const y = Math.round(scale.y(lane)) + 0.5;
  ctx.beginPath();
  ctx.moveTo(scale.x(from), y);
  ctx.lineTo(scale.x(to), y);
  ctx.strokeStyle = kind === 'held' ? colors.tones.held.edge : colors.panel;
  ctx.lineWidth = kind === 'held' ? Math.min(6, 2 + laneHeight.value / 6) : 2;
  ctx.globalAlpha = kind === 'held' ? 0.55 : 1;
  ctx.setLineDash(kind === 'held' ? [] : [5, 3]);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
}

/** A line under the band for as long as what is asked about holds. */
function drawHeld(ctx: CanvasRenderingContext2D, scale: LaneScale): void {
  ctx.strokeStyle = palette().found;
  ctx.lineWidth = 2;
  ctx.beginPath();
  for (const { lane, from, to } of held.value) {
    const y = scale.y(lane) + bandHeight(laneHeight.value) / 2 + 1;
    ctx.moveTo(scale.x(from), y);
    ctx.lineTo(Math.max(scale.x(to), scale.x(from) + 2), y);
  }
  ctx.stroke();
}

const VISIBLE: Readonly<Record<Relation, number>> = { self: 1, before: 1, after: 1, concurrent: 0.3 };
/** The opacity of lines outside of the chain of causes, so that their places stay visible. */
const NO_CAUSE = 0.1;

function drawArrow(ctx: CanvasRenderingContext2D, scale: LaneScale, { message, from, to }: Arrow): void {
  const colors = palette();
  const [x1, y1, x2, y2] = [scale.x(from.x), scale.y(from.lane), scale.x(to.x), scale.y(to.lane)];
  const isChosen = message.ordinal === selectedMessage.value || way.value.some(({ ordinal }) => ordinal === message.ordinal);
  const isFuture = message.sent > currentLine.value && chainLines.value === null;
  ctx.globalAlpha = (isChosen ? 1 : seenOfArrow(message)) * (isFuture ? 0.4 : 1);
  ctx.strokeStyle = ctx.fillStyle = isChosen ? colors.selected : messageColor(recording.value.messages.types.find(message.type));
  ctx.lineWidth = isChosen ? 2.8 : 1.4;
  ctx.setLineDash(message.ending === null || message.ending === 'unseen' ? [3, 4] : []);
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  if (from.lane === to.lane) ctx.quadraticCurveTo((x1 + x2) / 2, y1 - laneHeight.value * 0.7, x2, y2);
  else ctx.lineTo(x2, y2);
  ctx.stroke();
  ctx.setLineDash([]);
  if (message.ending === 'lost') drawCross(ctx, x2, y2);
  else if (message.ending === 'delivered') drawHead(ctx, x1, y1, x2, y2);
  ctx.globalAlpha = 1;
}

/** How much is seen of a line: all of it, unless others are looked at. */
function seenOf(line: number): number {
  if (chainLines.value !== null) return chainLines.value.has(line) ? 1 : NO_CAUSE;
  return relation.value === null || recording.value.nodeOf(line) < 0 ? 1 : VISIBLE[relation.value(line)];
}

/** A message that never arrives is not a cause. */
const seenOfArrow = ({ sent, ended }: Arrow['message']): number =>
  Math.min(seenOf(sent), ended >= 0 ? seenOf(ended) : chainLines.value === null ? 1 : NO_CAUSE);

function drawHead(ctx: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  const angle = Math.atan2(y2 - y1, x2 - x1);
  const [tx, ty] = [x2 - 4.5 * Math.cos(angle), y2 - 4.5 * Math.sin(angle)];
  ctx.beginPath();
  ctx.moveTo(tx, ty);
  ctx.lineTo(tx - 7 * Math.cos(angle - 0.42), ty - 7 * Math.sin(angle - 0.42));
  ctx.lineTo(tx - 7 * Math.cos(angle + 0.42), ty - 7 * Math.sin(angle + 0.42));
  ctx.closePath();
  ctx.fill();
}

function drawCross(ctx: CanvasRenderingContext2D, x: number, y: number): void {
  ctx.strokeStyle = palette().wrong;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(x - 4, y - 4);
  ctx.lineTo(x + 4, y + 4);
  ctx.moveTo(x + 4, y - 4);
  ctx.lineTo(x - 4, y + 4);
  ctx.stroke();
}

const FAULTS = new Set(['corrupt', 'crash', 'restart', 'reload', 'link', 'fault']);

function drawDot(ctx: CanvasRenderingContext2D, scale: LaneScale, { line, x, lane, kind }: Dot): void {
  const colors = palette();
  const isNow = line === currentLine.value;
  const isFuture = line > currentLine.value && relation.value === null && chainLines.value === null;
  ctx.globalAlpha = isFuture ? 0.4 : seenOf(line);
  ctx.beginPath();
  const radius = Math.min(3.6, 1 + laneHeight.value / 4);
  ctx.arc(scale.x(x), scale.y(lane), isNow ? radius + 2 : radius, 0, 2 * Math.PI);
  ctx.fillStyle = isNow ? colors.now : FAULTS.has(kind) ? colors.wrong : kind === 'deliver' ? colors.panel : colors.ink;
  ctx.strokeStyle = isNow ? colors.now : FAULTS.has(kind) ? colors.wrong : colors.ink;
  ctx.lineWidth = 1.5;
  ctx.fill();
  ctx.stroke();
  if (hitLines.value.has(line)) {
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colors.found;
    ctx.beginPath();
    ctx.arc(scale.x(x), scale.y(lane), radius + 3.5, 0, 2 * Math.PI);
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}

function drawPlayhead(ctx: CanvasRenderingContext2D, { height }: Size, scale: LaneScale): void {
  const x = scale.x(playhead.value.x);
  ctx.strokeStyle = palette().now;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.moveTo(x, HEAD - 3);
  ctx.lineTo(x, height);
  ctx.stroke();
}

function drawNames(ctx: CanvasRenderingContext2D, { height }: Size, scale: LaneScale): void {
  const colors = palette();
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, HEAD, namesWidth.value, height);
  ctx.clip();
  ctx.textAlign = 'right';
  ctx.textBaseline = 'middle';
  const chosen = laneOf.value.get(selectedNode.value);
  let last = -Infinity;
  for (const [lane, node] of laneNodes.value.entries()) {
    const y = scale.y(lane);
    const isChosen = lane === chosen;
    // Without room for all names, each represents those above it. The selected one always has its name.
    const isCovered = y - last < NAME_HEIGHT || (chosen !== undefined && Math.abs(y - scale.y(chosen)) < NAME_HEIGHT);
    if (y < HEAD + NAME_HEIGHT / 2 || y > height - NAME_HEIGHT / 2 || (isCovered && !isChosen)) continue;
    last = y;
    const font = (ctx.font = nameFont(isChosen));
    ctx.fillStyle = isChosen ? colors.selected : colors.ink;
    const name = fitted(nodeNames.value[node] ?? '', font, namesWidth.value - 2 * NAMES.pad);
    ctx.fillText(name, namesWidth.value - NAMES.pad, y);
  }
  ctx.restore();
}

/** The item under a point of the canvas: a step, a message, or a lane's name. */
export function hit(at: { x: number; y: number }, given: Size): { line?: number; message?: number; node?: number } {
  const scale = scaleFor(given);
  if (at.x < namesWidth.value) {
    const lane = laneNodes.value.findIndex((_, lane) => Math.abs(scale.y(lane) - at.y) < laneHeight.value / 2);
    return lane < 0 ? {} : { node: laneNodes.value[lane]! };
  }
  const spot = ({ x, lane }: Place) => ({ x: scale.x(x), y: scale.y(lane) });
  const distance = (dot: Dot) => Math.hypot(spot(dot).x - at.x, spot(dot).y - at.y);
  const near = diagram.value.dots.filter((dot) => distance(dot) < 8);
  if (near.length > 0) return { line: near.reduce((a, b) => (distance(b) < distance(a) ? b : a)).line };
  const arrow = diagram.value.arrows.find(({ from, to }) => distanceToLine(at, spot(from), spot(to)) < 5);
  if (arrow) return { message: arrow.message.ordinal };
  const lane = sliceAt(at, given)?.lane;
  return lane === undefined ? {} : { node: laneNodes.value[lane]! };
}

function sliceAt(at: { x: number; y: number }, given: Size): LaneSlice | undefined {
  if (at.x < namesWidth.value) return undefined;
  const scale = scaleFor(given);
  return diagram.value.slices.find((slice) => {
    const { x, y, width, height } = boxOf(scale, slice);
    return at.x >= x && at.x < x + width && at.y >= y && at.y < y + height;
  });
}

/** The label of a place on the axis. */
const placeText = (x: number): string => (axis.value === 'time' ? numberText(Number(x.toFixed(2))) : `line ${Math.round(x) + 1}`);

export function sliceText({ lane, role, state, from, to }: LaneSlice): string {
  const node = recording.value.nodes.names[laneNodes.value[lane]!];
  return `${node}, ${role}: ${nameOfState(state)} from ${placeText(from)} to ${placeText(to)}`;
}

/** The tooltip for the item at a point of the canvas, because many slices are too short for their names. */
export function wordsAt(at: { x: number; y: number }, given: Size): string {
  if (at.x < namesWidth.value) return recording.value.nodes.names[hit(at, given).node ?? -1] ?? '';
  const slice = sliceAt(at, given);
  return slice ? sliceText(slice) : '';
}
