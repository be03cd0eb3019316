/**
 * Draws each program of a live network as an area around its nodes with its name. A label counts the stopped nodes, shown at one
 * place.
 */
import { polygonHull } from 'd3-polygon';
import { labelFont, widthOf } from '../chart/measure.js';
import { palette } from '../colors.js';
import { fillText, LABELS_MAX, radiusOf, shorten, spotOf, type Drawn } from './ink.js';
import { LABEL_HEIGHT, type LabelPlaces } from './places.js';
import type { FoldedNodes, ProgramNodes } from './programs.js';

/** Between a node and the outline, and from a node to the end of the words below it. Both shrink with the picture, as the gaps between programs do. */
const PAD = 22;
const WORDS = 24;
const NAME_FONT = labelFont(650);
const FOLD_FONT = labelFont(550);

type Point = [x: number, y: number];

/** The corners around the nodes of a program, and how far the outline is from them. */
function outlineOf(drawn: Drawn, { nodes }: ProgramNodes): { readonly hull: readonly Point[]; readonly pad: number } {
  const part = Math.min(drawn.view.scale, 1);
  const spots = nodes.flatMap((node): Point[] => {
    const { x, y } = spotOf(drawn, node);
    return [
      [x, y],
      [x, y + part * WORDS],
    ];
  });
  return { hull: polygonHull(spots) ?? spots, pad: radiusOf(drawn) + part * PAD };
}

export function drawPrograms(drawn: Drawn, programs: readonly ProgramNodes[]): void {
  const { ctx } = drawn;
  const { line, faint } = palette();
  ctx.lineJoin = ctx.lineCap = 'round';
  for (const program of programs) {
    if (program.name === null) continue;
    const { hull, pad } = outlineOf(drawn, program);
    const ground = new Path2D();
    for (const [x, y] of hull) ground.lineTo(x, y);
    // A spot alone is a line that has a length, too.
    ground.lineTo(hull[0]![0] + 0.01, hull[0]![1]);
    ground.closePath();
    for (const [color, width] of [
      [line, 2 * pad + 2.5],
      [faint, 2 * pad],
    ] as const) {
      ctx.strokeStyle = ctx.fillStyle = color;
      ctx.lineWidth = width;
      ctx.stroke(ground);
      ctx.fill(ground);
    }
  }
}

/** Writes the names of programs above, below or next to their outlines. */
export function writeProgramNames(drawn: Drawn, programs: readonly ProgramNodes[], places: LabelPlaces): void {
  const { ctx } = drawn;
  const { panel, ink } = palette();
  ctx.font = NAME_FONT;
  for (const program of programs.slice(0, LABELS_MAX)) {
    if (program.name === null) continue;
    const { hull, pad } = outlineOf(drawn, program);
    const [xs, ys] = [hull.map(([x]) => x), hull.map(([, y]) => y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const name = shorten(program.name);
    const [width, height] = [widthOf(name, NAME_FONT), LABEL_HEIGHT];
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const away = pad + 9;
    const aside = pad + 4 + width / 2;
    const box = places.take(
      [
        { x, y: top - away },
        { x, y: bottom + away },
        { x: right + aside, y },
        { x: left - aside, y },
        { x, y: top - pad + LABEL_HEIGHT / 2 },
      ].map((middle) => ({ ...middle, width, height })),
    );
    if (box) fillText(ctx, name, box.x, box.y, ink, panel);
  }
}

/** Writes the number of stopped nodes at a place, instead of their names. */
export function drawFolds(drawn: Drawn, folds: readonly FoldedNodes[], places: LabelPlaces): void {
  const { ctx } = drawn;
  const colors = palette();
  ctx.font = FOLD_FONT;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  for (const { nodes, description } of folds.slice(0, LABELS_MAX)) {
    const { x, y } = spotOf(drawn, nodes[0]!);
    const size = { width: widthOf(description, FOLD_FONT), height: LABEL_HEIGHT };
    const away = radiusOf(drawn) + 10;
    const box = places.take([
      { x, y: y + away, ...size },
      { x, y: y - away, ...size },
    ]);
    if (box) fillText(ctx, description, box.x, box.y, colors.ink, colors.panel);
  }
}
