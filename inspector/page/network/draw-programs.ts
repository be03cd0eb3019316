/**
 * Draws each program of a live network as an area around its nodes with its name. A label counts the stopped nodes, shown at one
 * place.
 */
import { polygonHull } from 'd3-polygon';
import { labelFont } from '../chart/measure.js';
import { palette } from '../colors.js';
import { fillText, LABELS_MAX, radiusOf, shorten, spotOf, type Drawn } from './ink.js';
import type { FoldedNodes, ProgramNodes } from './programs.js';

/** Between a node and the outline, names of nodes included. */
const PAD = 22;
/** From a node to the end of the words below it. */
const WORDS = 24;

export function drawPrograms(drawn: Drawn, programs: readonly ProgramNodes[]): void {
  const { ctx } = drawn;
  const { panel, ink, line, faint } = palette();
  const pad = radiusOf(drawn) + PAD;
  ctx.lineJoin = ctx.lineCap = 'round';
  let names = 0;
  for (const { name, nodes } of programs) {
    if (name === null) continue;
    const spots = nodes.flatMap((node): [number, number][] => {
      const { x, y } = spotOf(drawn, node);
      return [
        [x, y],
        [x, y + WORDS],
      ];
    });
    const hull = polygonHull(spots) ?? spots;
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
    if (names++ > LABELS_MAX) continue;
    const xs = hull.map(([x]) => x);
    const top = Math.min(...hull.map(([, y]) => y));
    const middle = (Math.min(...xs) + Math.max(...xs)) / 2;
    ctx.font = labelFont(650);
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    fillText(ctx, shorten(name), middle, top - pad - 9, ink, panel);
  }
}

/** Draws the number of stopped nodes at a place, instead of their names. */
export function drawFolds(drawn: Drawn, folds: readonly FoldedNodes[]): void {
  const { ctx } = drawn;
  const colors = palette();
  ctx.font = labelFont(550);
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  for (const { nodes, description } of folds.slice(0, LABELS_MAX)) {
    const { x, y } = spotOf(drawn, nodes[0]!);
    fillText(ctx, description, x, y + radiusOf(drawn) + 10, colors.ink, colors.panel);
  }
}
