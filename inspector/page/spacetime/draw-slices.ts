/**
 * Paints the lanes of the space-time diagram by the states of their roles, like Perfetto. A slice lasts as long as a role is in a state,
 * has the color of the state in the plots, and shows its name if it fits.
 */
import type { LaneSlice } from '../../model/spacetime.js';
import type { Size } from '../../model/chart-shapes.js';
import { labelFont, LABEL_SIZE, widthOf } from '../chart/measure.js';
import { palette, stateColor } from '../colors.js';
import { fillText } from '../network/ink.js';

export interface LaneScale {
  x(value: number): number;
  /** The middle of a lane. */
  y(lane: number): number;
  readonly laneHeight: number;
  /** Where the lanes begin, right of their names. */
  readonly left: number;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The part of a lane that its band takes, and the most pixels. */
const BAND = { part: 0.74, max: 30 } as const;
/** Rows of roles are set apart where there is room for it. */
const GAP = { from: 4, size: 1 } as const;
const EDGE = 1;
const NAME = { height: 13, inset: 8 } as const;
/** From this height on, a name is at the bottom of its slice, below the dots of the lane. */
const BELOW_DOTS = 20;
const FONT = labelFont(500);

export const bandHeight = (laneHeight: number): number => Math.min(laneHeight * BAND.part, BAND.max);

/** The rectangle of a slice, visible or not. */
export function boxOf({ x, y, laneHeight }: LaneScale, { lane, row, rows, from, to }: LaneSlice): Box {
  const band = bandHeight(laneHeight);
  const height = band / rows;
  const left = x(from);
  return { x: left, y: y(lane) - band / 2 + row * height, width: Math.max(x(to) - left, 1), height };
}

/** The slices in sight, with their boxes, which are a little less tall where rows are set apart. */
function inSight({ width, height }: Size, scale: LaneScale, slices: readonly LaneSlice[]) {
  return slices.flatMap((slice) => {
    const box = boxOf(scale, slice);
    if (box.x > width || box.x + box.width < scale.left || box.y > height || box.y + box.height < 0) return [];
    return [{ slice, box, tall: box.height >= GAP.from ? box.height - GAP.size : box.height }];
  });
}

/** Draws the states of roles as colored slices of the nodes' lanes. */
export function drawSlices(ctx: CanvasRenderingContext2D, size: Size, scale: LaneScale, slices: readonly LaneSlice[]): void {
  for (const { slice, box, tall } of inSight(size, scale, slices)) {
    ctx.fillStyle = stateColor(slice.state);
    ctx.fillRect(box.x, box.y, box.width, tall);
    ctx.fillStyle = palette().muted;
    ctx.fillRect(box.x, box.y, Math.min(EDGE, box.width), tall);
  }
}

/** Writes the names of states over their slices. `nameOf` returns the name of a state by its number. */
export function writeNames(
  ctx: CanvasRenderingContext2D,
  size: Size,
  scale: LaneScale,
  slices: readonly LaneSlice[],
  nameOf: (state: number) => string,
): void {
  ctx.font = FONT;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  for (const { slice, box, tall } of inSight(size, scale, slices))
    if (tall >= NAME.height) drawName(ctx, size.width, scale.left, box, nameOf(slice.state), stateColor(slice.state));
}

/** Begins where the slice does, or where the picture does. */
function drawName(ctx: CanvasRenderingContext2D, right: number, left: number, box: Box, name: string, ground: string): void {
  const from = Math.max(box.x, left) + NAME.inset;
  const room = Math.min(box.x + box.width, right) - from - 3;
  if (room < LABEL_SIZE || widthOf(name, FONT) > room) return;
  const y = box.height < BELOW_DOTS ? box.y + box.height / 2 : box.y + box.height - NAME.height / 2;
  fillText(ctx, name, from, y, palette().ink, ground);
}
