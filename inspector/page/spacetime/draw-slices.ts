/**
 * Paints the lanes of the space-time diagram by the states of their roles, like Perfetto. A slice lasts as long as a role is in a state,
 * has the color of the state in the plots, and shows its name if it fits.
 */
import type { LaneSlice } from '../../model/spacetime.js';
import type { Size } from '../../model/chart-shapes.js';
import { labelFont, widthOf } from '../chart/measure.js';
import { palette, stateColor } from '../colors.js';
import { fillText } from '../network/ink.js';
import type { CenteredBox } from '../network/places.js';

export interface LaneScale {
  x(value: number): number;
  /** The middle of a lane. */
  y(lane: number): number;
  readonly laneHeight: number;
  /** Where the lanes begin, right of their names. */
  readonly left: number;
}

/** The part of a lane that its band takes, and the most pixels. */
const BAND = { part: 0.74, max: 30 } as const;
/** Rows of roles are set apart where there is room for it. */
const GAP = { from: 4, size: 1 } as const;
const EDGE = 1;
/** The height of a name, and its distance from everything else. */
const NAME = { height: 13, gap: 7 } as const;
const FONT = labelFont(500);

export const bandHeight = (laneHeight: number): number => Math.min(laneHeight * BAND.part, BAND.max);

/** The rectangle of a slice, visible or not. */
export function boxOf({ x, y, laneHeight }: LaneScale, { lane, row, rows, from, to }: LaneSlice): CenteredBox {
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

interface SliceNames {
  /** The name of a state by its number. */
  readonly nameOf: (state: number) => string;
  /** By lane, in ascending order: where something else is drawn on it. */
  readonly covered: ReadonlyMap<number, readonly number[]>;
  /** Where the lanes begin. */
  readonly top: number;
}

/** Writes the names of states over their slices, where dots and arrows leave room for them. */
export function writeNames(
  ctx: CanvasRenderingContext2D,
  size: Size,
  scale: LaneScale,
  slices: readonly LaneSlice[],
  { nameOf, covered, top }: SliceNames,
): void {
  ctx.font = FONT;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  for (const { slice, box, tall } of inSight(size, scale, slices)) {
    const y = box.y + box.height / 2;
    if (tall < NAME.height || y - NAME.height / 2 < top || y + NAME.height / 2 > size.height) continue;
    // The lane of an actor has one chart, which needs no name.
    const name = slice.rows === 1 ? nameOf(slice.state).replace(/^.*?: /, '') : nameOf(slice.state);
    const [from, to] = [Math.max(box.x, scale.left), Math.min(box.x + box.width, size.width)];
    const x = freePlace(from + NAME.gap, to - NAME.gap, widthOf(name, FONT), covered.get(slice.lane) ?? []);
    if (x !== null) fillText(ctx, name, x, y, palette().ink, stateColor(slice.state));
  }
}

/** The first place between `from` and `to` for a width that none of the given points is close to. */
function freePlace(from: number, to: number, width: number, covered: readonly number[]): number | null {
  let start = from;
  for (const x of covered) {
    if (x + NAME.gap < start) continue;
    if (x - NAME.gap >= start + width) break;
    start = x + NAME.gap;
  }
  return start + width <= to ? start : null;
}
