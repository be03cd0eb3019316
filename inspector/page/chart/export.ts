/** The chart as a file: a picture as it is on the page, or its text for Mermaid. */
import { mermaidOf } from '../../model/chart-mermaid.js';
import type { Chart } from '../../model/chart.js';
import { download } from '../download.js';

export type ExportFormat = 'SVG' | 'PNG' | 'Mermaid';

/** Downloads a file for each chart of the selected node. */
export async function exportCharts(charts: readonly Chart[], format: ExportFormat): Promise<void> {
  for (const chart of new Set(charts)) {
    const name = chart.name.replaceAll(/[^\w-]+/g, '-');
    if (format === 'Mermaid') {
      download(`${name}.mmd`, [mermaidOf(chart)]);
      continue;
    }
    const picture = document.querySelector<SVGSVGElement>(`.role[data-chart="${CSS.escape(chart.name)}"] svg.chart`);
    if (!picture) continue;
    const svg = svgText(picture);
    download(`${name}.${format.toLowerCase()}`, [format === 'SVG' ? svg : await pngOf(svg, picture.viewBox.baseVal)]);
  }
}

/** The properties of the page's style sheets that pictures use. */
const PROPERTIES = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linejoin',
  'paint-order',
  'opacity',
  'font-family',
  'font-size',
  'font-style',
  'font-weight',
  'text-anchor',
  'text-decoration',
  'rx',
] as const;

/** The picture as a separate file, in the colors of the page: every element contains its style. */
function svgText(picture: SVGSVGElement): string {
  const copy = picture.cloneNode(true) as SVGSVGElement;
  const copies = [...copy.querySelectorAll('*')];
  for (const [i, element] of [...picture.querySelectorAll('*')].entries()) {
    const style = getComputedStyle(element);
    for (const property of PROPERTIES) {
      const value = style.getPropertyValue(property);
      const isColor = property === 'fill' || property === 'stroke';
      if (value !== '' && value !== 'auto') copies[i]!.setAttribute(property, isColor ? plainColor(value) : value);
    }
  }
  for (const button of copy.querySelectorAll('.fold')) button.remove();
  const { width, height } = picture.viewBox.baseVal;
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const color = plainColor(getComputedStyle(picture.closest('.panel')!).backgroundColor);
  for (const [name, value] of Object.entries({ width, height, fill: color })) ground.setAttribute(name, String(value));
  copy.prepend(ground);
  copy.removeAttribute('style');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  return new XMLSerializer().serializeToString(copy);
}

const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
const plain = new Map<string, string>();

/** A color that every viewer of SVG reads: mixed colors are computed here. */
function plainColor(value: string): string {
  if (!value.startsWith('color')) return value;
  const known = plain.get(value);
  if (known) return known;
  pixel.fillStyle = value;
  pixel.fillRect(0, 0, 1, 1);
  const [red, green, blue] = pixel.getImageData(0, 0, 1, 1).data;
  const color = `rgb(${red}, ${green}, ${blue})`;
  plain.set(value, color);
  return color;
}

const PIXELS_PER_UNIT = 2;
/** Browsers refuse larger canvases. */
const SIDE_MAX = 8_000;

async function pngOf(svg: string, { width, height }: DOMRect): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = Math.min(PIXELS_PER_UNIT, SIDE_MAX / Math.max(width, height));
  const canvas = new OffscreenCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: 'image/png' });
}
