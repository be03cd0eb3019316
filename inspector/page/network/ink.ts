/** Shared parts of the functions that draw the network's picture: their input, sizes and positions of nodes, circles and text. */
import type { FoldedNodes } from './programs.js';
import { radiusAt, toCanvas, type Spot, type Viewport } from './geometry.js';

export interface Drawn {
  readonly ctx: CanvasRenderingContext2D;
  readonly view: Viewport;
  readonly xs: ArrayLike<number>;
  readonly ys: ArrayLike<number>;
  readonly names: readonly string[];
  /** How many spots have a node: nodes that lie on one spot count once. */
  readonly count: number;
  /** Nodes that share one spot and have no names. */
  readonly folds: readonly FoldedNodes[];
}

export interface Emphasis {
  readonly node: number;
  readonly hovered: number;
  readonly message: number;
  readonly link: readonly [number, number] | null;
  /** The range of the selected node, if links depend on places. */
  readonly range: number | null;
  /** Pairs of nodes that a followed message went between. */
  readonly way: readonly (readonly [number, number])[];
}

/** The largest number of nodes that are drawn with names. With more, names would not be readable. */
export const LABELS_MAX = 120;

export const spotOf = ({ view, xs, ys }: Drawn, node: number): Spot => toCanvas(view, xs[node]!, ys[node]!);
export const radiusOf = ({ view, count }: Drawn): number => radiusAt(view.scale, count);

export function circle(ctx: CanvasRenderingContext2D, { x, y }: Spot, radius: number, fill: string | null, stroke: string): void {
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

export const fillPath = (ctx: CanvasRenderingContext2D, path: Path2D): void => ctx.fill(path);

/** Draws text with a border in the background color, so that lines do not cross the letters. */
export function fillText(
  ctx: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  color: string,
  halo: string | null,
): void {
  if (halo !== null) {
    ctx.lineWidth = 3.5;
    ctx.lineJoin = 'round';
    ctx.strokeStyle = halo;
    ctx.strokeText(text, x, y);
  }
  ctx.fillStyle = color;
  ctx.fillText(text, x, y);
}

/** Shortens a name in the middle, because its end is often what distinguishes it. */
export const shorten = (text: string, max = 24): string =>
  text.length > max ? `${text.slice(0, max / 2 - 1)}…${text.slice(-max / 2)}` : text;
