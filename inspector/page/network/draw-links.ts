/** Paints what runs between nodes: links, pointers, and the way of a followed message. */
import { palette } from '../colors.js';
import type { Spot } from './geometry.js';
import { fillPath, radiusOf, spotOf, type Drawn, type Emphasis } from './ink.js';
import type { Scene, SceneLink } from './scene.js';

/** The dashes of the kinds of pointers, in the order of their appearance. */
export const POINTER_DASHES: readonly (readonly number[])[] = [[], [5, 4], [1.5, 3.5], [9, 3, 2, 3]];

export function drawLinks(drawn: Drawn, links: readonly SceneLink[]): void {
  const { ctx } = drawn;
  const colors = palette();
  ctx.lineWidth = Math.min(Math.max(1.6 * drawn.view.scale, 0.6), 2);
  strokeAll(
    drawn,
    links.filter(({ there, back }) => there && back),
    colors.line,
    [],
  );
  strokeAll(
    drawn,
    links.filter(({ there, back }) => !there && !back),
    colors.wrong,
    [2, 5],
  );
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

/** Draws the way of a followed message and the selected link as wide lines below everything else. */
export function drawWay(drawn: Drawn, { way, link }: Emphasis): void {
  const bands = link ? [...way, link] : way;
  if (bands.length === 0) return;
  const { ctx } = drawn;
  ctx.save();
  ctx.strokeStyle = palette().selected;
  ctx.globalAlpha = 0.28;
  ctx.lineWidth = 9;
  ctx.lineCap = 'round';
  ctx.beginPath();
  for (const [a, b] of bands) {
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
    ctx.strokeStyle = ctx.fillStyle = palette().muted;
    ctx.lineWidth = Math.min(Math.max(1.7 * drawn.view.scale, 0.8), 2);
    ctx.setLineDash([...POINTER_DASHES[kind % POINTER_DASHES.length]!]);
    ctx.beginPath();
    for (const pointer of pointers) {
      if (pointer.kind !== kind || pointer.from === pointer.to) continue;
      tracePointer(ctx, heads, spotOf(drawn, pointer.from), spotOf(drawn, pointer.to), radius, head, kind);
    }
    ctx.stroke();
    fillPath(ctx, heads);
  }
  ctx.setLineDash([]);
}

/** A slight bow, so that a pointer does not hide the link that it lies on, and two opposite ones do not hide each other. */
function tracePointer(
  ctx: CanvasRenderingContext2D,
  heads: Path2D,
  from: Spot,
  to: Spot,
  radius: number,
  head: number,
  kind: number,
): void {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  if (length < 2 * radius) return;
  const bow = Math.min(length * 0.12, 22) * (1 + kind * 0.8);
  const control = { x: (from.x + to.x) / 2 + (dy / length) * bow, y: (from.y + to.y) / 2 - (dx / length) * bow };
  const start = toward(from, control, radius + 1);
  const tip = toward(to, control, radius + 2);
  const base = toward(tip, control, head);
  ctx.moveTo(start.x, start.y);
  ctx.quadraticCurveTo(control.x, control.y, base.x, base.y);
  const [nx, ny] = [(base.y - tip.y) * 0.5, (tip.x - base.x) * 0.5];
  heads.moveTo(tip.x, tip.y);
  heads.lineTo(base.x + nx, base.y + ny);
  heads.lineTo(base.x - nx, base.y - ny);
  heads.closePath();
}

function toward(from: Spot, to: Spot, distance: number): Spot {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) / length) * distance, y: from.y + ((to.y - from.y) / length) * distance };
}
