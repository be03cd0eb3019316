/** Paints nodes and messages. Everything of one kind and color is one path: that, and not the count of things, is what a frame costs. */
import { groupColor, palette, stateColor, TONES } from '../colors.js';
import { along, type Spot } from './geometry.js';
import { labelFont, widthOf } from '../chart/measure.js';
import { circle, fillText, LABELS_MAX, radiusOf, shorten, spotOf, type Drawn, type Emphasis } from './ink.js';
import { LABEL_HEIGHT, type LabelPlaces } from './places.js';
import type { Life } from '../../model/moment.js';
import type { Scene, SceneLink } from './scene.js';

/** The fills of the kinds of gauges, in the order of their appearance. */
export const GAUGE_FILLS = ['muted', 'ink', 'line'] as const;

export interface MovingMessage {
  readonly ordinal: number;
  /** From the rim of its sender to the rim of its receiver. */
  readonly chain: readonly Spot[];
  readonly part: number;
  readonly color: string;
  readonly label: string;
}

interface Look {
  readonly isFilled: boolean;
  readonly edge: 'tone' | 'wrong' | 'muted';
  readonly dash: number[];
}

/** Sample nodes for the legend. The border of a node shows whether it runs, and its fill shows its state. */
export const SAMPLES: readonly (readonly [Life, Look])[] = [
  ['alive', { isFilled: true, edge: 'tone', dash: [] }],
  ['suspected', { isFilled: true, edge: 'wrong', dash: [7, 3] }],
  ['crashed', { isFilled: false, edge: 'wrong', dash: [3, 3] }],
  ['failed', { isFilled: false, edge: 'wrong', dash: [6, 2] }],
  ['gone', { isFilled: false, edge: 'wrong', dash: [1, 4] }],
  ['ended', { isFilled: false, edge: 'muted', dash: [] }],
];

/** Smaller nodes are dots, and many dots are squares: they look the same, at a tenth of the cost of circles. */
const DOT = { radius: 3, many: 2000 } as const;

export function drawNodes(drawn: Drawn, scene: Scene): void {
  if (radiusOf(drawn) <= DOT.radius && scene.nodes.length > DOT.many) drawDots(drawn, scene);
  else drawCircles(drawn, scene);
}

/** Draws usual nodes below remarkable ones. */
function drawDots(drawn: Drawn, { nodes }: Scene): void {
  const { ctx } = drawn;
  const radius = radiusOf(drawn);
  const colors = palette();
  const edges = new Map(SAMPLES.map(([life, { edge }]) => [life, edge]));
  for (const isPlain of [true, false])
    for (const [node, { tone, life }] of nodes.entries()) {
      if ((tone === 'plain' && life === 'alive') !== isPlain) continue;
      const edge = edges.get(life)!;
      const size = isPlain ? radius : radius + 1;
      const { x, y } = spotOf(drawn, node);
      ctx.fillStyle = edge === 'tone' ? colors.tones[tone].edge : colors[edge];
      ctx.fillRect(x - size, y - size, 2 * size, 2 * size);
    }
}

function drawCircles(drawn: Drawn, { nodes }: Scene): void {
  const { ctx } = drawn;
  const radius = radiusOf(drawn);
  const colors = palette();
  ctx.lineWidth = radius > 6 ? 1.8 : 1;
  for (const tone of TONES) {
    for (const [life, look] of SAMPLES) {
      ctx.beginPath();
      let any = false;
      for (let node = 0; node < nodes.length; node++) {
        if (nodes[node]!.tone !== tone || nodes[node]!.life !== life || !nodes[node]!.isHere) continue;
        const { x, y } = spotOf(drawn, node);
        ctx.moveTo(x + radius, y);
        ctx.arc(x, y, radius, 0, 2 * Math.PI);
        any = true;
      }
      if (!any) continue;
      ctx.fillStyle = look.isFilled ? colors.tones[tone].fill : colors.panel;
      ctx.strokeStyle = look.edge === 'tone' ? colors.tones[tone].edge : colors[look.edge];
      ctx.setLineDash(look.dash);
      ctx.fill();
      ctx.stroke();
    }
  }
  ctx.setLineDash([]);
  drawStates(drawn, nodes);
}

/** A node of a program is filled with the color of its state. */
function drawStates(drawn: Drawn, nodes: Scene['nodes']): void {
  const { ctx } = drawn;
  for (const [node, { stateNumber, tone, life, isHere }] of nodes.entries()) {
    if (stateNumber < 0 || tone !== 'plain' || life !== 'alive' || !isHere) continue;
    circle(ctx, spotOf(drawn, node), radiusOf(drawn), stateColor(stateNumber), palette().muted);
  }
}

/** Draws a background for each group, which also connects nodes of the group along these links. */
export function drawGroups(drawn: Drawn, { nodes }: Scene, links: readonly SceneLink[]): void {
  const { ctx } = drawn;
  const radius = radiusOf(drawn);
  ctx.save();
  ctx.lineCap = 'round';
  ctx.lineWidth = radius * 2.6;
  for (const group of new Set(nodes.map((node) => node.group))) {
    if (group < 0) continue;
    const ground = new Path2D();
    for (const [node, { group: own }] of nodes.entries()) {
      if (own !== group) continue;
      const { x, y } = spotOf(drawn, node);
      ground.moveTo(x, y);
      ground.lineTo(x + 0.01, y);
    }
    for (const { a, b, there, back } of links) {
      if (nodes[a]?.group !== group || nodes[b]?.group !== group || !(there || back)) continue;
      const [from, to] = [spotOf(drawn, a), spotOf(drawn, b)];
      ground.moveTo(from.x, from.y);
      ground.lineTo(to.x, to.y);
    }
    ctx.strokeStyle = groupColor(group);
    ctx.stroke(ground);
  }
  ctx.restore();
}

const GAUGE = { width: 7, gap: 3 } as const;

/** The total width of a node's gauges, the small columns next to it. */
export const gaugesWidth = (gauges: readonly unknown[]): number => gauges.length * (GAUGE.width + GAUGE.gap) - GAUGE.gap;

/** Draws a node's gauges: small columns next to it, filled in proportion to their values. */
export function drawGauges(drawn: Drawn, { nodes }: Scene): void {
  const { ctx } = drawn;
  const radius = radiusOf(drawn);
  const height = radius * 2;
  const colors = palette();
  ctx.font = labelFont(600);
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  for (const [node, { gauges }] of nodes.entries()) {
    const { x, y } = spotOf(drawn, node);
    if (radius >= 7 && gauges.some(({ value }) => value > 0)) {
      const middle = x + radius + 5 + gaugesWidth(gauges) / 2;
      fillText(ctx, gauges.map(({ value }) => value).join(' '), middle, y - radius - 8, colors.ink, colors.panel);
    }
    for (const [i, { kind, value, of }] of gauges.entries()) {
      const left = x + radius + 5 + i * (GAUGE.width + GAUGE.gap);
      const filled = Math.min(Math.max(value / Math.max(of, 1), 0), 1) * height;
      ctx.fillStyle = colors.faint;
      ctx.fillRect(left, y - radius, GAUGE.width, height);
      ctx.fillStyle = colors[GAUGE_FILLS[kind % GAUGE_FILLS.length]!];
      ctx.fillRect(left, y + radius - filled, GAUGE.width, filled);
      ctx.strokeStyle = colors.muted;
      ctx.lineWidth = 1;
      ctx.strokeRect(left, y - radius, GAUGE.width, height);
    }
  }
}

export function drawMessages(
  drawn: Drawn,
  messages: readonly MovingMessage[],
  { message: selected }: Emphasis,
  places: LabelPlaces,
): void {
  const { ctx } = drawn;
  const size = Math.min(Math.max(radiusOf(drawn) * 0.42, 2.4), 6.5);
  const paths = new Map<string, Path2D>();
  const spots = messages.map((moving) => ({ moving, ...along(moving.chain, moving.part) }));
  for (const { moving, x, y, angle } of spots) {
    let path = paths.get(moving.color);
    if (!path) paths.set(moving.color, (path = new Path2D()));
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const point = (forward: number, aside: number) =>
      [x + size * (forward * cos - aside * sin), y + size * (forward * sin + aside * cos)] as const;
    path.moveTo(...point(1.7, 0));
    path.lineTo(...point(-1, 1));
    path.lineTo(...point(-0.5, 0));
    path.lineTo(...point(-1, -1));
    path.closePath();
  }
  ctx.lineWidth = 2.5;
  ctx.lineJoin = 'round';
  ctx.strokeStyle = palette().panel;
  for (const [color, path] of paths) {
    if (size > 3) ctx.stroke(path);
    ctx.fillStyle = color;
    ctx.fill(path);
  }
  writeLabels(drawn, spots, { size, selected, places: places.copy() });
}

type Moving = Spot & { readonly moving: MovingMessage };

/** Next to each message, if the word covers neither a node nor other words. A crowd of messages has no labels. */
function writeLabels(
  drawn: Drawn,
  spots: readonly Moving[],
  { size, selected, places }: { readonly size: number; readonly selected: number; readonly places: LabelPlaces },
): void {
  const { ctx } = drawn;
  const font = (ctx.font = labelFont(600));
  ctx.textAlign = 'left';
  const isCrowd = spots.length > LABELS_MAX / 4;
  for (const { moving, x, y } of spots) {
    const isChosen = moving.ordinal === selected;
    if (isChosen) circle(ctx, { x, y }, size * 2.4, null, palette().selected);
    if (isCrowd && !isChosen) continue;
    const text = shorten(moving.label);
    const width = widthOf(text, font);
    const away = size * 1.9;
    const middles = [1, -1].flatMap((up) =>
      [1, -1].map((right) => ({ x: x + right * (away + width / 2), y: y - up * away, width, height: LABEL_HEIGHT })),
    );
    const middle = places.take(middles) ?? (isChosen ? middles[0]! : null);
    if (middle) fillText(ctx, text, middle.x - width / 2, middle.y, moving.color, palette().panel);
  }
}

export function drawSelection(drawn: Drawn, { node, hovered, range }: Emphasis): void {
  const radius = radiusOf(drawn);
  if (hovered >= 0) circle(drawn.ctx, spotOf(drawn, hovered), radius + 3, null, palette().muted);
  if (node >= 0) circle(drawn.ctx, spotOf(drawn, node), radius + 4, null, palette().selected);
  if (node >= 0 && range !== null) circle(drawn.ctx, spotOf(drawn, node), range * drawn.view.scale, null, palette().muted);
}
