/** Widths of the words in a chart as the browser draws them. Labels are measured at the weight of a taken transition. */
import type { Measure } from '../../model/chart-shapes.js';

export const FONT = 'Inter, system-ui, -apple-system, "Segoe UI", sans-serif';

const ctx = document.createElement('canvas').getContext('2d')!;
const known = new Map<string, number>();

export const measure: Measure = (text, size) => {
  const key = `${size} ${text}`;
  let width = known.get(key);
  if (width === undefined) {
    ctx.font = size === 'name' ? `600 13px ${FONT}` : `650 12px ${FONT}`;
    known.set(key, (width = ctx.measureText(text).width));
  }
  return width;
};
