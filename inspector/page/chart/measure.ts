/** Fonts and widths of the words on pictures. Labels of charts are measured at the weight of a taken transition. */
import type { Measure } from '../../model/chart-shapes.js';

export const FONT = 'Inter, system-ui, -apple-system, "Segoe UI", sans-serif';

/** The font size of labels in pictures, in pixels. */
export const LABEL_SIZE = 12;
export const labelFont = (weight: number): string => `${weight} ${LABEL_SIZE}px ${FONT}`;

const ctx = document.createElement('canvas').getContext('2d')!;
const known = new Map<string, number>();

/** The width of a text in pixels. Each text is measured only once, because measuring takes longer than drawing. */
export function widthOf(text: string, font: string): number {
  const key = `${font} ${text}`;
  let width = known.get(key);
  if (width === undefined) {
    ctx.font = font;
    known.set(key, (width = ctx.measureText(text).width));
  }
  return width;
}

export const measure: Measure = (text, size) => widthOf(text, size === 'name' ? `600 13px ${FONT}` : labelFont(650));

/** The text, or its start and its end if it is wider than `room`. The end of a name identifies it better than its middle does. */
export function fitted(text: string, font: string, room: number): string {
  let shown = text;
  for (let kept = text.length - 1; kept > 1 && widthOf(shown, font) > room; kept--)
    shown = `${text.slice(0, Math.floor(kept * 0.4))}…${text.slice(-Math.ceil(kept * 0.6))}`;
  return shown;
}
