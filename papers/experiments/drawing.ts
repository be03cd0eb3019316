/** States of a run as SVG: nodes, their links, pointers and messages in flight; one panel for each state. */
import { escapeMarkup } from './markup.js';

/** A node, with its place on a grid. */
export interface DrawnNode {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  /** Text next to the node. */
  readonly note?: string;
}

export interface DrawnArrow {
  readonly from: string;
  readonly to: string;
  /** A link of the network, a pointer of a node (possibly to itself), a message in flight, or an edge that represents one. */
  readonly kind: 'link' | 'pointer' | 'message' | 'stand-in';
}

export interface DrawnPanel {
  readonly caption: string;
  readonly nodes: readonly DrawnNode[];
  readonly arrows: readonly DrawnArrow[];
}

export interface Drawing {
  readonly name: string;
  readonly title: string;
  readonly panels: readonly DrawnPanel[];
  readonly note?: string;
}

const UNIT = 56;
const RADIUS = 13;
const MARGIN = 34;
const COLUMNS = 3;

export function drawPanels({ title, panels }: Drawing): string {
  const across = Math.max(...panels.flatMap(({ nodes }) => nodes.map(({ x }) => x))) * UNIT + 2 * MARGIN;
  const down = Math.max(...panels.flatMap(({ nodes }) => nodes.map(({ y }) => y))) * UNIT + 2 * MARGIN + 34;
  const columns = Math.min(COLUMNS, panels.length);
  const rows = Math.ceil(panels.length / columns);
  const drawn = panels.map(
    (panel, i) => `<g transform="translate(${(i % columns) * across} ${Math.floor(i / columns) * down})">${drawPanel(panel)}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${columns * across} ${rows * down}" role="img" aria-label="${escapeMarkup(title)}">
<style>text{font:12px system-ui,sans-serif;fill:#6b7280}circle{fill:none;stroke:#6b7280;stroke-width:1.5}.id{text-anchor:middle;font-weight:600}.link{stroke:#9ca3af;stroke-opacity:.5;stroke-width:1}.pointer{stroke:#2563eb;fill:none;stroke-width:2}.message{stroke:#dc2626;fill:none;stroke-width:2;stroke-dasharray:5 3}.stand-in{stroke:#059669;fill:none;stroke-width:2}</style>
<defs>${(['pointer', 'message', 'stand-in'] as const).map(arrowHead).join('')}</defs>
${drawn.join('\n')}
</svg>
`;
}

const COLORS = { pointer: '#2563eb', message: '#dc2626', 'stand-in': '#059669' } as const;

const arrowHead = (kind: keyof typeof COLORS): string =>
  `<marker id="head-${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="${COLORS[kind]}"/></marker>`;

function drawPanel({ caption, nodes, arrows }: DrawnPanel): string {
  const at = new Map(nodes.map((node) => [node.id, [MARGIN + node.x * UNIT, MARGIN + 24 + node.y * UNIT] as const]));
  const order = ['link', 'pointer', 'stand-in', 'message'];
  const lines = arrows
    .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
    .map(({ from, to, kind }) => drawArrow(at.get(from)!, at.get(to)!, kind));
  const circles = nodes.map(({ id, note }) => {
    const [x, y] = at.get(id)!;
    const remark = note === undefined ? '' : `<text x="${x + RADIUS + 3}" y="${y - RADIUS + 2}">${escapeMarkup(note)}</text>`;
    return `<circle cx="${x}" cy="${y}" r="${RADIUS}"/><text x="${x}" y="${y + 4}" class="id">${escapeMarkup(id)}</text>${remark}`;
  });
  return `<text x="8" y="16">${escapeMarkup(caption)}</text>${lines.join('')}${circles.join('')}`;
}

type Place = readonly [x: number, y: number];

/** Pointers are drawn on one side of a link and messages on the other, so that both are visible. */
function drawArrow(from: Place, to: Place, kind: DrawnArrow['kind']): string {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy);
  if (length === 0) {
    const [x, y] = [from[0] + RADIUS * 0.7, from[1] + RADIUS * 0.7];
    return `<path d="M${x} ${y}C${x + 16} ${y + 2} ${x + 2} ${y + 18} ${x - 6} ${y + 4}" class="${kind}" marker-end="url(#head-${kind})"/>`;
  }
  const side = kind === 'link' ? 0 : kind === 'message' ? -5 : 5;
  const [ux, uy] = [dx / length, dy / length];
  const shift = (place: Place, along: number): string =>
    `${(place[0] + ux * along - uy * side).toFixed(1)} ${(place[1] + uy * along + ux * side).toFixed(1)}`;
  const head = kind === 'link' ? '' : ` marker-end="url(#head-${kind})"`;
  return `<path d="M${shift(from, RADIUS)}L${shift(to, -RADIUS)}" class="${kind}"${head}/>`;
}
