/** Paints the network. Everything of one kind and colour is one path: that, and not the count of things, is what a frame costs. */
import { palette, kindColor, TONES } from '../colors.js';
import { along, lengthOf, radiusAt, toCanvas, type Spot, type View } from './geometry.js';
import type { Scene, SceneLink } from './scene.js';

export interface Drawn {
  readonly ctx: CanvasRenderingContext2D;
  readonly view: View;
  readonly xs: ArrayLike<number>;
  readonly ys: ArrayLike<number>;
  readonly names: readonly string[];
}

export interface MovingMessage {
  readonly ordinal: number;
  readonly chain: readonly Spot[];
  readonly part: number;
  readonly color: string;
  readonly label: string;
}

export interface Emphasis {
  readonly node: number;
  readonly hovered: number;
  readonly message: number;
  /** Pairs of nodes that a followed message went between. */
  readonly way: readonly (readonly [number, number])[];
}

const FONT = '"Inter", system-ui, -apple-system, "Segoe UI", sans-serif';
/** Pointers beyond the first kind begin at a colour that no message has yet. */
export const POINTER_COLORS = 4;
/** More words than this nobody reads. */
const LABELS_MAX = 120;

const spotOf = ({ view, xs, ys }: Drawn, node: number): Spot => toCanvas(view, xs[node]!, ys[node]!);
export const radiusOf = ({ view, names }: Drawn): number => radiusAt(view.scale, names.length);

export function drawLinks(drawn: Drawn, links: readonly SceneLink[]): void {
  const { ctx } = drawn;
  const colors = palette();
  ctx.lineWidth = Math.min(Math.max(1.6 * drawn.view.scale, 0.6), 2);
  strokeAll(drawn, links.filter(({ there, back }) => there && back), colors.line, []);
  strokeAll(drawn, links.filter(({ there, back }) => !there && !back), colors.wrong, [2, 5]);
  for (const { a, b, there, back } of links) {
    if (there === back) continue;
    const [from, to] = [spotOf(drawn, there ? a : b), spotOf(drawn, there ? b : a)];
    const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
    strokeLine(ctx, from, middle, colors.line, []);
    strokeLine(ctx, middle, to, colors.line, []);
    strokeLine(ctx, middle, to, colors.wrong, [3, 4]);
  }
  ctx.setLineDash([]);
}

function strokeAll(drawn: Drawn, links: readonly SceneLink[], color: string, dash: number[]): void {
  if (links.length === 0) return;
  const { ctx } = drawn;
  ctx.strokeStyle = color;
  ctx.setLineDash(dash);
  ctx.beginPath();
  for (const { a, b } of links) {
    const [from, to] = [spotOf(drawn, a), spotOf(drawn, b)];
    ctx.moveTo(from.x, from.y);
    ctx.lineTo(to.x, to.y);
  }
  ctx.stroke();
}

function strokeLine(ctx: CanvasRenderingContext2D, from: Spot, to: Spot, color: string, dash: number[]): void {
  ctx.strokeStyle = color;
  ctx.setLineDash(dash);
  ctx.beginPath();
  ctx.moveTo(from.x, from.y);
  ctx.lineTo(to.x, to.y);
  ctx.stroke();
}

/** The way of a followed message, as a broad band under everything that moves. */
export function drawWay(drawn: Drawn, { way }: Emphasis): void {
  if (way.length === 0) return;
  const { ctx } = drawn;
  ctx.save();
  ctx.strokeStyle = palette().accent;
  ctx.globalAlpha = 0.28;
  ctx.lineWidth = 9;
  ctx.lineCap = 'round';
  ctx.beginPath();
  for (const [a, b] of way) {
    const [from, to] = [spotOf(drawn, a), spotOf(drawn, b)];
    ctx.moveTo(from.x, from.y);
    ctx.lineTo(to.x, to.y);
  }
  ctx.stroke();
  ctx.restore();
}

export function drawPointers(drawn: Drawn, { pointers }: Scene): void {
  const { ctx } = drawn;
  const radius = radiusOf(drawn);
  const head = Math.min(Math.max(radius * 0.62, 3), 9);
  for (const kind of new Set(pointers.map((pointer) => pointer.kind))) {
    const heads = new Path2D();
    ctx.strokeStyle = ctx.fillStyle = kind === 0 ? palette().muted : kindColor(kind + POINTER_COLORS);
    ctx.lineWidth = Math.min(Math.max(1.7 * drawn.view.scale, 0.8), 2);
    ctx.setLineDash(kind === 1 ? [5, 4] : []);
    ctx.beginPath();
    for (const pointer of pointers) {
      if (pointer.kind !== kind || pointer.from === pointer.to) continue;
      tracePointer(ctx, heads, spotOf(drawn, pointer.from), spotOf(drawn, pointer.to), radius, head, kind);
    }
    ctx.stroke();
    ctx.fill(heads);
  }
  ctx.setLineDash([]);
}

/** A slight bow, so that a pointer does not hide the link that it lies on, and two opposite ones do not hide each other. */
function tracePointer(ctx: CanvasRenderingContext2D, heads: Path2D, from: Spot, to: Spot, radius: number, head: number, kind: number): void {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  if (length < 2 * radius) return;
  const bow = Math.min(length * 0.12, 22) * (1 + kind * 0.8);
  const control = { x: (from.x + to.x) / 2 + (dy / length) * bow, y: (from.y + to.y) / 2 - (dx / length) * bow };
  const start = towards(from, control, radius + 1);
  const tip = towards(to, control, radius + 2);
  const base = towards(tip, control, head);
  ctx.moveTo(start.x, start.y);
  ctx.quadraticCurveTo(control.x, control.y, base.x, base.y);
  const [nx, ny] = [(base.y - tip.y) * 0.5, (tip.x - base.x) * 0.5];
  heads.moveTo(tip.x, tip.y);
  heads.lineTo(base.x + nx, base.y + ny);
  heads.lineTo(base.x - nx, base.y - ny);
  heads.closePath();
}

function towards(from: Spot, to: Spot, distance: number): Spot {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) / length) * distance, y: from.y + ((to.y - from.y) / length) * distance };
}

export function drawNodes(drawn: Drawn, { nodes }: Scene): void {
  const { ctx } = drawn;
  const radius = radiusOf(drawn);
  const colors = palette();
  ctx.lineWidth = radius > 6 ? 1.8 : 1;
  for (const tone of TONES) {
    for (const runs of [true, false]) {
      ctx.beginPath();
      let any = false;
      for (let node = 0; node < nodes.length; node++) {
        if (nodes[node]!.tone !== tone || nodes[node]!.runs !== runs) continue;
        const { x, y } = spotOf(drawn, node);
        ctx.moveTo(x + radius, y);
        ctx.arc(x, y, radius, 0, 2 * Math.PI);
        any = true;
      }
      if (!any) continue;
      ctx.fillStyle = runs ? colors.tones[tone].fill : colors.panel;
      ctx.strokeStyle = runs ? colors.tones[tone].edge : colors.wrong;
      ctx.setLineDash(runs ? [] : [3, 3]);
      ctx.fill();
      ctx.stroke();
    }
  }
  ctx.setLineDash([]);
}

export function drawNames(drawn: Drawn, { nodes }: Scene, { node: selected, hovered }: Emphasis): void {
  const { ctx, names } = drawn;
  const radius = radiusOf(drawn);
  const colors = palette();
  const all = names.length <= LABELS_MAX || drawn.view.scale > 1.6;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  for (const [node, name] of names.entries()) {
    const isChosen = node === selected || node === hovered;
    if (!all && !isChosen) continue;
    const { x, y } = spotOf(drawn, node);
    const inside = radius >= 11 && name.length <= 3;
    ctx.font = `${isChosen ? 650 : 550} ${inside ? 11 : 12}px ${FONT}`;
    if (inside) fillText(ctx, name, x, y + 0.5, colors.tones[nodes[node]?.tone ?? 'plain'].text, null);
    else fillText(ctx, shorten(name), x, y + radius + 11, colors.ink, colors.panel);
  }
  drawBadges(drawn, nodes);
}

function drawBadges(drawn: Drawn, nodes: Scene['nodes']): void {
  const { ctx } = drawn;
  const radius = radiusOf(drawn);
  const colors = palette();
  ctx.font = `700 11px ${FONT}`;
  let words = 0;
  for (const [node, { badge }] of nodes.entries()) {
    if (badge === null || badge === '') continue;
    const { x, y } = spotOf(drawn, node);
    const at = { x: x + radius * 0.86, y: y - radius * 0.86 };
    if (badge === '●') {
      circle(ctx, at, Math.max(radius * 0.46, 4), colors.accent, colors.panel);
    } else if (words++ < LABELS_MAX) {
      const text = shorten(badge);
      const width = Math.max(ctx.measureText(text).width + 9, 16);
      ctx.fillStyle = colors.accent;
      ctx.beginPath();
      ctx.roundRect(at.x - 6, at.y - 9, width, 16, 8);
      ctx.fill();
      ctx.textAlign = 'left';
      fillText(ctx, text, at.x - 6 + 4.5, at.y - 0.5, colors.panel, null);
      ctx.textAlign = 'center';
    }
  }
}

export function drawMarks(drawn: Drawn, { marks }: Scene): void {
  const { ctx } = drawn;
  const colors = palette();
  ctx.font = `600 11px ${FONT}`;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  for (const { from, to, label, wrong } of marks.slice(0, 4 * LABELS_MAX)) {
    const { x, y } = along([spotOf(drawn, from), spotOf(drawn, to)], 0.38);
    fillText(ctx, shorten(label), x, y, wrong ? colors.wrong : colors.muted, colors.panel);
  }
}

/** Where a message is, from the rim of its sender to the rim of its receiver. */
export function spotOfMessage({ chain, part }: Pick<MovingMessage, 'chain' | 'part'>, radius: number): Spot & { angle: number } {
  const length = lengthOf(chain);
  const rim = Math.min((radius + 7) / Math.max(length, 1), 0.4);
  return along(chain, rim + (1 - 2 * rim) * part);
}

export function drawMessages(drawn: Drawn, messages: readonly MovingMessage[], { message: selected }: Emphasis): void {
  const { ctx } = drawn;
  const size = Math.min(Math.max(radiusOf(drawn) * 0.42, 2.4), 6.5);
  const paths = new Map<string, Path2D>();
  const spots = messages.map((moving) => ({ moving, ...spotOfMessage(moving, radiusOf(drawn)) }));
  for (const { moving, x, y, angle } of spots) {
    let path = paths.get(moving.color);
    if (!path) paths.set(moving.color, (path = new Path2D()));
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const point = (forward: number, aside: number) => [x + size * (forward * cos - aside * sin), y + size * (forward * sin + aside * cos)] as const;
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
  ctx.font = `600 11px ${FONT}`;
  ctx.textAlign = 'left';
  for (const { moving, x, y } of spots) {
    const isChosen = moving.ordinal === selected;
    if (isChosen) circle(ctx, { x, y }, size * 2.4, null, palette().accent);
    if (isChosen || messages.length <= LABELS_MAX / 4) fillText(ctx, shorten(moving.label), x + size * 1.9, y - size * 1.9, moving.color, palette().panel);
  }
}

export function drawSelection(drawn: Drawn, { node, hovered }: Emphasis): void {
  const radius = radiusOf(drawn);
  if (hovered >= 0) circle(drawn.ctx, spotOf(drawn, hovered), radius + 3, null, palette().muted);
  if (node >= 0) circle(drawn.ctx, spotOf(drawn, node), radius + 4, null, palette().accent);
}

function circle(ctx: CanvasRenderingContext2D, { x, y }: Spot, radius: number, fill: string | null, stroke: string): void {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.lineWidth = 2;
  ctx.strokeStyle = stroke;
  if (fill !== null) {
    ctx.fillStyle = fill;
    ctx.fill();
  }
  ctx.stroke();
}

/** Words on a picture stand on a halo of the ground, so that lines do not cut them. */
function fillText(ctx: CanvasRenderingContext2D, text: string, x: number, y: number, color: string, halo: string | null): void {
  if (halo !== null) {
    ctx.lineWidth = 3.5;
    ctx.lineJoin = 'round';
    ctx.strokeStyle = halo;
    ctx.strokeText(text, x, y);
  }
  ctx.fillStyle = color;
  ctx.fillText(text, x, y);
}

const shorten = (text: string): string => (text.length > 24 ? `${text.slice(0, 23)}…` : text);
