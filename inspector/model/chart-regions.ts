/**
 * The regions of parallel states, side by side: they fill the state that contains them, and a dashed line separates neighbors. ELK places
 * each region as small as its states allow; lines that end at the border of a region follow the border.
 */
import type { Box, ChartLayout, ChartPoint, PlacedEdge, PlacedState } from './chart-shapes.js';

export function fillRegions(layout: ChartLayout): ChartLayout {
  const grown = new Map<string, Box>();
  const separators: [ChartPoint, ChartPoint][] = [];
  for (const parallel of layout.states.filter(({ state }) => state.kind === 'parallel')) {
    const regions = layout.states.filter(({ state }) => state.parent === parallel.state.path);
    const across = fill(regions, 'x');
    const filled = across ?? fill(regions, 'y');
    if (!filled) continue;
    for (const [i, region] of regions.entries()) grown.set(region.state.path, filled.boxes[i]!);
    separators.push(...filled.separators);
  }
  const states = layout.states.map((placed): PlacedState => ({ ...placed, ...grown.get(placed.state.path) }));
  const edges = layout.edges.map((edge) => ends(edge, grown));
  return { ...layout, states, edges, separators };
}

type Axis = 'x' | 'y';
const sizeOf = { x: 'width', y: 'height' } as const;

/** The regions, enlarged up to their neighbors; `null` if they overlap along the axis. */
function fill(regions: readonly Box[], axis: Axis): { boxes: Box[]; separators: [ChartPoint, ChartPoint][] } | null {
  const size = sizeOf[axis];
  const other = axis === 'x' ? 'y' : 'x';
  const sorted = [...regions].sort((a, b) => a[axis] - b[axis]);
  const middles = sorted.slice(1).map((next, i) => (sorted[i]![axis] + sorted[i]![size] + next[axis]) / 2);
  const overlaps = sorted.slice(1).some((next, i) => sorted[i]![axis] + sorted[i]![size] > next[axis]);
  if (overlaps) return null;
  const begin = Math.min(...regions.map((region) => region[other]));
  const end = Math.max(...regions.map((region) => region[other] + region[sizeOf[other]]));
  const boxes = regions.map((region): Box => {
    const place = sorted.indexOf(region);
    const from = middles[place - 1] ?? region[axis];
    const to = middles[place] ?? region[axis] + region[size];
    return axis === 'x'
      ? { x: from, width: to - from, y: begin, height: end - begin }
      : { x: begin, width: end - begin, y: from, height: to - from };
  });
  const point = (along: number, across: number): ChartPoint => (axis === 'x' ? { x: along, y: across } : { x: across, y: along });
  return { boxes, separators: middles.map((middle) => [point(middle, begin), point(middle, end)]) };
}

/** The line of a transition whose source or target was enlarged. */
function ends(edge: PlacedEdge, grown: ReadonlyMap<string, Box>): PlacedEdge {
  const { source, targets } = edge.transition;
  const from = grown.get(source);
  const to = edge.hasArrow && targets.length === 1 ? grown.get(targets[0]!) : undefined;
  let points = edge.points;
  if (from) points = startAt(points, from);
  if (to) points = [...startAt([...points].reverse(), to)].reverse();
  return { ...edge, points };
}

/** The line from the border of an enlarged box that covers its beginning. */
function startAt(points: readonly ChartPoint[], box: Box): readonly ChartPoint[] {
  const outside = points.findIndex((point) => !holds(box, point));
  const [first, second] = points as [ChartPoint, ChartPoint];
  // A line that stays inside begins farther out.
  if (outside < 0) return [onBorder(box, second, first), ...points.slice(1)];
  if (outside === 0) return points;
  return [onBorder(box, points[outside - 1]!, points[outside]!), ...points.slice(outside)];
}

const holds = ({ x, y, width, height }: Box, point: ChartPoint): boolean =>
  point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height;

/** The point where the ray from an inner point through another one, along an axis, leaves the box. */
function onBorder({ x, y, width, height }: Box, inside: ChartPoint, through: ChartPoint): ChartPoint {
  const [dx, dy] = [through.x - inside.x, through.y - inside.y];
  if (Math.abs(dx) > Math.abs(dy)) return { x: dx > 0 ? x + width : x, y: through.y };
  return { x: through.x, y: dy > 0 ? y + height : y };
}
