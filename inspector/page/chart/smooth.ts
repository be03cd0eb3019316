/** The lines of charts. */
import type { ChartPoint } from '../../model/chart-shapes.js';

/** A line through points with its bends rounded. */
export function smooth(points: readonly ChartPoint[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${first.x} ${first.y}`;
  for (const [i, point] of rest.entries()) {
    const next = rest[i + 1];
    if (!next) {
      path += `L${point.x} ${point.y}`;
      break;
    }
    const before = i === 0 ? first : rest[i - 1]!;
    const [enter, leave] = [toward(point, before), toward(point, next)];
    path += `L${enter.x} ${enter.y}Q${point.x} ${point.y} ${leave.x} ${leave.y}`;
  }
  return path;
}

function toward(from: ChartPoint, to: ChartPoint): ChartPoint {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const part = Math.min(14, length / 2) / length;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
