/** Rounds the corners of the lines that represent transitions in the picture of a chart. */
import type { ChartPoint } from '../../model/chart-shapes.js';

const RADIUS = 6;

/** A line through points with its bends rounded, as the path of an SVG. */
export function rounded(points: readonly ChartPoint[]): string {
  return points
    .map((point, i) => {
      const [before, after] = [points[i - 1], points[i + 1]];
      if (!before) return `M${point.x} ${point.y}`;
      if (!after) return `L${point.x} ${point.y}`;
      const [enter, leave] = [toward(point, before), toward(point, after)];
      return `L${enter.x} ${enter.y}Q${point.x} ${point.y} ${leave.x} ${leave.y}`;
    })
    .join('');
}

function toward(from: ChartPoint, to: ChartPoint): ChartPoint {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const part = Math.min(RADIUS, length / 2) / length;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
