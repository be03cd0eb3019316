/** The part of a chart that stays visible during playback. */
import type { Box, ChartLayout } from '../../model/chart-shapes.js';
import type { ChartTransition } from '../../model/chart.js';

const MARGIN = 16;

/**
 * The transition that was taken and the active states; if they are too far apart for the panel, the most important of them.
 *
 * @param panel The size of the panel in the units of the layout.
 */
export function focusOf(
  { states, edges }: ChartLayout,
  active: ReadonlySet<string>,
  taken: readonly ChartTransition[],
  panel: Pick<Box, 'width' | 'height'>,
): Box | null {
  const leaves = states.filter(({ state }) => state.children.length === 0 && active.has(state.path));
  const lines = edges.filter(({ transition }) => taken.includes(transition));
  const labels = lines.flatMap(({ label }) => label ?? []);
  const points = lines.flatMap((edge) => edge.points.map(({ x, y }) => ({ x, y, width: 0, height: 0 })));
  const choices = [[...leaves, ...labels, ...points], [...leaves, ...labels], leaves, leaves.slice(0, 1)];
  const around = choices.flatMap((boxes) => union(boxes) ?? []);
  return around.find(({ width, height }) => width <= panel.width && height <= panel.height) ?? around.at(-1) ?? null;
}

function union(boxes: readonly Box[]): Box | null {
  if (boxes.length === 0) return null;
  const left = Math.min(...boxes.map(({ x }) => x)) - MARGIN;
  const top = Math.min(...boxes.map(({ y }) => y)) - MARGIN;
  const right = Math.max(...boxes.map(({ x, width }) => x + width)) + MARGIN;
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + MARGIN;
  return { x: left, y: top, width: right - left, height: bottom - top };
}
