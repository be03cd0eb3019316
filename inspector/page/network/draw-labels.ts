/** Paints the words of the network's picture where they cover nothing: badges, names and states of nodes, and labels of links. */
import { palette } from '../colors.js';
import { labelFont, widthOf } from '../chart/measure.js';
import { gaugesWidth } from './draw.js';
import { along, between } from './geometry.js';
import { circle, fillText, LABELS_MAX, radiusOf, shorten, spotOf, type Drawn, type Emphasis } from './ink.js';
import { LABEL_HEIGHT, LabelPlaces, type CenteredBox } from './places.js';
import type { EdgeMark, Scene, SceneNode } from './scene.js';

/** A name inside of its node keeps this distance from the circle, at half of the height of its letters. */
const INSIDE = { pad: 1, half: 4.5 } as const;
/** From a node to the middle of the word below. */
const BELOW = 9.5;
const FONTS = { badge: labelFont(700), state: labelFont(450), mark: labelFont(600) } as const;
const BADGE_HEIGHT = 18;
const MARK_PARTS = [0.38, 0.5, 0.6, 0.3] as const;
/** The most labels of links. Beyond it, correct ones are only drawn for the selected node. */
const MARKS_MAX = 8;

/** Draws all labels and returns the areas that they cover. */
export function drawLabels(drawn: Drawn, scene: Scene, emphasis: Emphasis): LabelPlaces {
  const { ctx } = drawn;
  const isCrowd = drawn.count > LABELS_MAX;
  const places = isCrowd ? new LabelPlaces() : LabelPlaces.around(drawn);
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  const badges = badgeBoxes(drawn, scene.nodes, places);
  if (!isCrowd) keepOthers(drawn, scene, places);
  drawWrong(drawn, scene.marks);
  drawNames(drawn, scene.nodes, emphasis, places);
  drawMarks(drawn, scene.marks, emphasis, places);
  drawBadges(drawn, scene.nodes, badges);
  return places;
}

/** Gauges and words for what is folded have their places. */
function keepOthers(drawn: Drawn, { nodes }: Scene, places: LabelPlaces): void {
  const radius = radiusOf(drawn);
  for (const [node, { gauges }] of nodes.entries()) {
    const { x, y } = spotOf(drawn, node);
    const width = gaugesWidth(gauges);
    if (gauges.length > 0)
      places.keep({ x: x + radius + 5 + width / 2, y: y - 8, width: width + 8, height: 2 * radius + LABEL_HEIGHT });
  }
  for (const { nodes, description } of drawn.folds) {
    const { x, y } = spotOf(drawn, nodes[0]!);
    places.keep({ x, y: y + radius + BELOW, width: widthOf(description, labelFont(550)), height: LABEL_HEIGHT });
  }
}

function drawNames(drawn: Drawn, nodes: readonly SceneNode[], { node: selected, hovered }: Emphasis, places: LabelPlaces): void {
  const { names, count } = drawn;
  const isChosen = (node: number) => node === selected || node === hovered;
  const showsAll = count <= LABELS_MAX || drawn.view.scale > 1.6;
  const isFolded = new Set(drawn.folds.flatMap((fold) => fold.nodes));
  const shown = [...names.keys()].filter(
    (node) => (showsAll || isChosen(node)) && !isFolded.has(node) && nodes[node]?.isHere !== false,
  );
  // There is always room for the chosen ones.
  for (const node of shown.filter(isChosen)) drawName(drawn, node, nodes[node], true, places);
  for (const node of shown) if (!isChosen(node)) drawName(drawn, node, nodes[node], false, places);
}

/** Inside of the node if it fits, otherwise below it, with the state of the node. */
function drawName(drawn: Drawn, node: number, shown: SceneNode | undefined, isChosen: boolean, places: LabelPlaces): void {
  const { ctx } = drawn;
  const colors = palette();
  const radius = radiusOf(drawn);
  const { x, y } = spotOf(drawn, node);
  const name = shorten(drawn.names[node]!);
  const font = labelFont(isChosen ? 700 : 550);
  const width = widthOf(name, labelFont(700));
  const isInside = radius > INSIDE.half && width / 2 + INSIDE.pad <= Math.sqrt(radius ** 2 - INSIDE.half ** 2);
  const state = shorten(stateText(shown));
  const lines = [
    ...(isInside ? [] : [{ text: name, font, color: isChosen || drawn.count <= 40 ? colors.ink : colors.muted }]),
    ...(state === '' ? [] : [{ text: state, font: FONTS.state, color: colors.muted }]),
  ];
  if (isInside) {
    ctx.font = font;
    fillText(ctx, name, x, y + 0.5, colors.tones[shown?.tone ?? 'plain'].text, null);
  }
  if (lines.length === 0) return;
  const height = lines.length * LABEL_HEIGHT;
  const widest = Math.max(...lines.map(({ text, font }) => widthOf(text, font)));
  const box = { x, y: y + radius + BELOW + (height - LABEL_HEIGHT) / 2, width: widest, height };
  if (!places.take(box) && !isChosen) return;
  for (const [i, { text, font, color }] of lines.entries()) {
    ctx.font = font;
    fillText(ctx, text, x, box.y + (i + 0.5) * LABEL_HEIGHT - height / 2, color, colors.panel);
  }
}

/** The states of a node of a program, or why it does not act. */
function stateText({ life, state }: Pick<SceneNode, 'life' | 'state'> = { life: 'alive', state: '' }): string {
  return life === 'alive' ? state : life;
}

/** The areas of badges with words, by node: next to, above or below the node, where they cover no other node and no other badge if possible. */
function badgeBoxes(drawn: Drawn, nodes: readonly SceneNode[], places: LabelPlaces): ReadonlyMap<number, CenteredBox> {
  const radius = radiusOf(drawn);
  const right = drawn.ctx.canvas.width / drawn.ctx.getTransform().a;
  const shown = [...nodes.entries()]
    .filter(([, { badge }]) => badge !== null && badge !== '' && badge !== '●')
    .slice(0, LABELS_MAX);
  const boxes = new Map<number, CenteredBox>();
  for (const [node, { badge }] of shown) {
    const spot = spotOf(drawn, node);
    const { x, y } = spot;
    const width = Math.max(widthOf(shorten(badge!), FONTS.badge) + 10, BADGE_HEIGHT);
    const away = radius * 0.86 - 6 + width / 2;
    const candidates = [
      { x: x + away, y: y - radius * 0.86 - 1 },
      { x: x - away, y: y - radius * 0.86 - 1 },
      { x, y: y - radius - BADGE_HEIGHT / 2 },
      { x, y: y + radius + BADGE_HEIGHT / 2 },
    ].map((middle) => ({ ...middle, width, height: BADGE_HEIGHT }));
    const isSeen = (box: CenteredBox) => box.x - width / 2 >= 0 && box.x + width / 2 <= right;
    const free = candidates.find((box) => isSeen(box) && places.take(box, spot));
    const box = free ?? candidates.find(isSeen) ?? candidates[0]!;
    if (!free) places.keep(box);
    boxes.set(node, box);
  }
  return boxes;
}

function drawBadges(drawn: Drawn, nodes: readonly SceneNode[], boxes: ReadonlyMap<number, CenteredBox>): void {
  const { ctx } = drawn;
  const radius = radiusOf(drawn);
  const colors = palette();
  ctx.font = FONTS.badge;
  for (const [node, { badge }] of nodes.entries()) {
    if (badge === null || badge === '') continue;
    if (badge === '●') {
      const { x, y } = spotOf(drawn, node);
      circle(ctx, { x: x + radius * 0.86, y: y - radius * 0.86 }, Math.max(radius * 0.46, 4), colors.ink, colors.panel);
    } else if (boxes.has(node)) {
      const { x, y, width, height } = boxes.get(node)!;
      ctx.fillStyle = colors.ink;
      ctx.beginPath();
      ctx.roundRect(x - width / 2, y - height / 2, width, height, height / 2);
      ctx.fill();
      fillText(ctx, shorten(badge), x, y + 0.5, colors.panel, null);
    }
  }
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
    const spots = MARK_PARTS.map((part) => along([spotOf(drawn, from), spotOf(drawn, to)], part));
    const at = spots.find(({ x, y }) => places.take({ x, y, width: width + 4, height: LABEL_HEIGHT }));
    if (at) fillText(ctx, text, at.x, at.y, wrong ? colors.wrong : colors.muted, colors.panel);
  }
}
