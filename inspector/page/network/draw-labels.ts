/** Paints the words of the network's picture where they cover nothing: badges, names and states of nodes, and labels of links. */
import { palette } from '../colors.js';
import { labelFont, widthOf } from '../chart/measure.js';
import { gaugesWidth } from './draw.js';
import { drawFolds, writeProgramNames } from './draw-programs.js';
import { along, between, type Spot } from './geometry.js';
import { circle, fillText, LABELS_MAX, radiusOf, shorten, spotOf, type Drawn, type Emphasis } from './ink.js';
import { LABEL_HEIGHT, LabelPlaces, type CenteredBox } from './places.js';
import type { ProgramNodes } from './programs.js';
import type { EdgeMark, Scene, SceneNode } from './scene.js';

/** A name inside of its node keeps this distance from the circle, at half of the height of its letters. */
const INSIDE = { pad: 1, half: 4.5 } as const;
const LEADER = '★';
/** From a node to the middle of the word below. */
const BELOW = 9.5;
const FONTS = { badge: labelFont(700), state: labelFont(450), mark: labelFont(600) } as const;
const BADGE_HEIGHT = 18;
/** The most characters of a state. */
const STATE_MAX = 32;
const MARK_PARTS = [0.38, 0.5, 0.6, 0.3] as const;
/** The most labels of links. Beyond it, correct ones are only drawn for the selected node. */
const MARKS_MAX = 8;

/** The content of a picture that has labels. */
export interface Labeled {
  readonly scene: Scene;
  readonly programs: readonly ProgramNodes[];
  readonly emphasis: Emphasis;
}

/** Draws all labels and returns the areas that they cover. Where not all have room, the first ones win. */
export function drawLabels(drawn: Drawn, { scene, programs, emphasis }: Labeled): LabelPlaces {
  const { ctx } = drawn;
  const isCrowd = drawn.count > LABELS_MAX;
  const places = isCrowd ? LabelPlaces.on(drawn) : LabelPlaces.around(drawn);
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  if (!isCrowd) keepGauges(drawn, scene, places);
  drawWrong(drawn, scene.marks);
  const { chosen, others } = namedNodes(drawn, scene.nodes, emphasis);
  // There is always room for the chosen ones.
  for (const node of chosen) drawName(drawn, node, scene.nodes[node], true, places);
  const badged = badgedNodes(scene.nodes);
  for (const [node, shown] of badged) if (chosen.includes(node)) drawBadge(drawn, node, shown, places);
  drawFolds(drawn, drawn.folds, places);
  writeProgramNames(drawn, programs, places);
  for (const node of others) drawName(drawn, node, scene.nodes[node], false, places);
  for (const [node, shown] of badged) if (!chosen.includes(node)) drawBadge(drawn, node, shown, places);
  drawMarks(drawn, scene.marks, emphasis, places);
  return places;
}

/** Gauges have their places. */
function keepGauges(drawn: Drawn, { nodes }: Scene, places: LabelPlaces): void {
  const radius = radiusOf(drawn);
  for (const [node, { gauges }] of nodes.entries()) {
    const { x, y } = spotOf(drawn, node);
    const width = gaugesWidth(gauges);
    if (gauges.length > 0)
      places.keep({ x: x + radius + 5 + width / 2, y: y - 8, width: width + 8, height: 2 * radius + LABEL_HEIGHT });
  }
}

function namedNodes(drawn: Drawn, nodes: readonly SceneNode[], { node: selected, hovered }: Emphasis) {
  const isChosen = (node: number) => node === selected || node === hovered;
  const showsAll = drawn.count <= LABELS_MAX || drawn.view.scale > 1.6;
  const isFolded = new Set(drawn.folds.flatMap((fold) => fold.nodes));
  const shown = [...drawn.names.keys()].filter(
    (node) => (showsAll || isChosen(node)) && !isFolded.has(node) && nodes[node]?.isHere !== false,
  );
  return { chosen: shown.filter(isChosen), others: shown.filter((node) => !isChosen(node)) };
}

interface Line {
  readonly text: string;
  readonly font: string;
  readonly color: string;
}

/** Inside of the node if it fits, otherwise below it or next to it, with the state of the node if there is room for both. */
function drawName(drawn: Drawn, node: number, shown: SceneNode | undefined, isChosen: boolean, places: LabelPlaces): void {
  const { ctx } = drawn;
  const colors = palette();
  const radius = radiusOf(drawn);
  const { x, y } = spotOf(drawn, node);
  const name = shorten(drawn.names[node]!);
  const font = labelFont(isChosen ? 700 : 550);
  const width = widthOf(name, labelFont(700));
  const isInside = radius > INSIDE.half && width / 2 + INSIDE.pad <= Math.sqrt(radius ** 2 - INSIDE.half ** 2);
  const state = shorten(stateText(shown), STATE_MAX);
  const words = { text: name, font, color: isChosen || drawn.count <= 40 ? colors.ink : colors.muted };
  const lines: Line[] = [
    ...(isInside ? [] : [words]),
    ...(state === '' ? [] : [{ text: state, font: FONTS.state, color: colors.muted }]),
  ];
  if (isInside) {
    ctx.font = font;
    fillText(ctx, name, x, y + 0.5, colors.tones[shown?.tone ?? 'plain'].text, null);
  }
  if (lines.length === 0) return;
  const around = (some: readonly Line[]) => boxesAround(drawn, node, some);
  const free = places.take(around(lines)) ?? places.take(around(lines.slice(0, 1)));
  // The chosen node may cover others.
  const box = free ?? (isChosen ? LabelPlaces.on(drawn).take(around(lines)) : null);
  if (!box) return;
  if (!free) places.keep(box);
  const rows = lines.slice(0, Math.round(box.height / LABEL_HEIGHT));
  // Next to the node, the lines begin or end at it.
  const side = box.y === y ? Math.sign(box.x - x) : 0;
  for (const [i, { text, font, color }] of rows.entries()) {
    ctx.font = font;
    fillText(
      ctx,
      text,
      box.x - (side * (box.width - widthOf(text, font))) / 2,
      box.y + (i + 0.5) * LABEL_HEIGHT - box.height / 2,
      color,
      colors.panel,
    );
  }
}

/** The places for lines at a node, the best one first: below it, above it, and on both sides. */
function boxesAround(drawn: Drawn, node: number, lines: readonly Line[]): CenteredBox[] {
  const radius = radiusOf(drawn);
  const { x, y } = spotOf(drawn, node);
  const height = lines.length * LABEL_HEIGHT;
  const width = Math.max(...lines.map(({ text, font }) => widthOf(text, font)));
  const away = radius + BELOW + (height - LABEL_HEIGHT) / 2;
  const aside = radius + 5 + width / 2;
  return [
    { x, y: y + away },
    { x: x + aside, y },
    { x: x - aside, y },
    { x, y: y - away },
  ].map((middle) => ({ ...middle, width, height }));
}

/** The states of a node of a program, or why it does not act. */
function stateText({ life, state }: Pick<SceneNode, 'life' | 'state'> = { life: 'alive', state: '' }): string {
  return life === 'alive' ? state : life;
}

const TOKEN = '●';

/** All nodes with a token, and the first ones with words. */
function badgedNodes(nodes: readonly SceneNode[]): (readonly [number, SceneNode])[] {
  let words = 0;
  return [...nodes.entries()].filter(([, { badge, isHere }]) => {
    if (badge === null || badge === '' || !isHere) return false;
    return badge === TOKEN || ++words <= LABELS_MAX;
  });
}

/** A badge with words: next to, above or below the node, where it covers no other node and no other words. Without room, its symbol remains. */
function drawBadge(drawn: Drawn, node: number, { badge }: SceneNode, places: LabelPlaces): void {
  if (badge === null) return;
  const { ctx } = drawn;
  const colors = palette();
  const radius = radiusOf(drawn);
  const spot = spotOf(drawn, node);
  if (badge === TOKEN) {
    const { x, y } = spot;
    circle(ctx, { x: x + radius * 0.86, y: y - radius * 0.86 }, Math.max(radius * 0.46, 4), colors.ink, colors.panel);
    return;
  }
  const texts = [shorten(badge), ...(badge.startsWith(LEADER) ? [LEADER] : [])];
  for (const text of texts) {
    const box = places.take(badgeBoxes(spot, radius, Math.max(widthOf(text, FONTS.badge) + 10, BADGE_HEIGHT)), spot);
    if (!box) continue;
    ctx.fillStyle = colors.ink;
    ctx.beginPath();
    ctx.roundRect(box.x - box.width / 2, box.y - box.height / 2, box.width, box.height, box.height / 2);
    ctx.fill();
    ctx.font = FONTS.badge;
    fillText(ctx, text, box.x, box.y + 0.5, colors.panel, null);
    return;
  }
}

function badgeBoxes({ x, y }: Spot, radius: number, width: number): CenteredBox[] {
  const away = radius * 0.86 - 6 + width / 2;
  const up = radius * 0.86 + 1;
  const outside = radius + BADGE_HEIGHT / 2;
  return [
    { x: x + away, y: y - up },
    { x: x - away, y: y - up },
    { x, y: y - outside },
    { x: x + away, y: y + up },
    { x: x - away, y: y + up },
    { x, y: y + outside },
    // Below a name and a state.
    { x, y: y + outside + 2 * LABEL_HEIGHT + 3 },
  ].map((middle) => ({ ...middle, width, height: BADGE_HEIGHT }));
}

/** Links with a wrong label are red. */
function drawWrong(drawn: Drawn, marks: readonly EdgeMark[]): void {
  const { ctx } = drawn;
  ctx.lineWidth = 2.4;
  ctx.strokeStyle = palette().wrong;
  ctx.beginPath();
  for (const { from, to, wrong } of marks) {
    if (!wrong) continue;
    const [start, end] = between([spotOf(drawn, from), spotOf(drawn, to)], radiusOf(drawn));
    ctx.moveTo(start!.x, start!.y);
    ctx.lineTo(end!.x, end!.y);
  }
  ctx.stroke();
}

/** Wrong ones come first. If there are many, correct ones are only drawn for the selected node. */
function drawMarks(drawn: Drawn, marks: readonly EdgeMark[], { node, hovered }: Emphasis, places: LabelPlaces): void {
  const { ctx } = drawn;
  const colors = palette();
  const isAsked = (end: number) => end === node || end === hovered;
  const shown = marks.slice(0, 4 * LABELS_MAX).sort((a, b) => Number(b.wrong) - Number(a.wrong));
  ctx.font = FONTS.mark;
  for (const { from, to, label, wrong } of shown) {
    if (!wrong && marks.length > MARKS_MAX && !isAsked(from) && !isAsked(to)) continue;
    const text = shorten(label);
    const width = widthOf(text, FONTS.mark);
    const size = { width: width + 4, height: LABEL_HEIGHT };
    const at = places.take(MARK_PARTS.map((part) => ({ ...along([spotOf(drawn, from), spotOf(drawn, to)], part), ...size })));
    if (at) fillText(ctx, text, at.x, at.y, wrong ? colors.wrong : colors.muted, colors.panel);
  }
}
