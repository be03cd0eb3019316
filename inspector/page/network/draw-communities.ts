/** Paints the communities of a large network: circles with the number of their nodes, colored by the states of these nodes. */
import { labelFont } from '../chart/measure.js';
import { palette, stateColor, TONES } from '../colors.js';
import { stateNames } from '../state-names.js';
import { SAMPLES } from './draw.js';
import type { Community } from './communities.js';
import { circle, fillText, shorten, spotOf, type Drawn, type Emphasis } from './ink.js';
import type { Scene, SceneLink, SceneNode } from './scene.js';

/** A part of a community's circle: its nodes of the same look. */
interface Slice {
  readonly color: string;
  readonly name: string;
  count: number;
}

/** The slice of a wrong node is at least this part of the circle, so that one of a thousand is seen. */
const WRONG_PART_MIN = 0.08;
const TEXT_RADIUS_MIN = 11;

/** Draws each pair of communities with links between them as one line, wider for more links. Channels that are down are red. */
export function drawRoads(drawn: Drawn, links: readonly SceneLink[]): void {
  const { ctx, xs, ys } = drawn;
  const roads = new Map<string, { a: number; b: number; count: number; isDown: boolean }>();
  for (const { a, b, there, back } of links) {
    if (xs[a] === xs[b] && ys[a] === ys[b]) continue;
    const ends = [`${xs[a]} ${ys[a]}`, `${xs[b]} ${ys[b]}`].sort();
    const isDown = !there || !back;
    const key = `${ends.join(' ')} ${isDown}`;
    const road = roads.get(key);
    if (road) road.count++;
    else roads.set(key, { a, b, count: 1, isDown });
  }
  for (const { a, b, count, isDown } of roads.values()) {
    const [from, to] = [spotOf(drawn, a), spotOf(drawn, b)];
    ctx.strokeStyle = isDown ? palette().wrong : palette().line;
    ctx.setLineDash(isDown ? [2, 5] : []);
    ctx.lineWidth = 1 + Math.log2(count);
    ctx.beginPath();
    ctx.moveTo(from.x, from.y);
    ctx.lineTo(to.x, to.y);
    ctx.stroke();
  }
  ctx.setLineDash([]);
}

export function drawCommunities(drawn: Drawn, communities: readonly Community[], scene: Scene, emphasis: Emphasis): void {
  const { ctx, view } = drawn;
  const colors = palette();
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  for (const community of communities) {
    const { nodes } = community;
    const spot = spotOf(drawn, nodes[0]!);
    const radius = community.radius * view.scale;
    const slices = slicesOf(nodes, scene);
    const isWrong = nodes.some((node) => scene.nodes[node]?.tone === 'wrong');
    drawSlices(ctx, spot, radius, slices, nodes.length);
    circle(ctx, spot, radius, null, isWrong ? colors.wrong : colors.muted);
    if (nodes.includes(emphasis.node)) circle(ctx, spot, radius + 4, null, colors.selected);
    const marks = nodes.filter((node) => scene.nodes[node]?.badge);
    if (marks.length > 0)
      circle(ctx, { x: spot.x + radius * 0.72, y: spot.y - radius * 0.72 }, Math.max(radius * 0.16, 4), colors.ink, colors.panel);
    ctx.font = labelFont(650);
    if (nodes.length > 1 && radius >= TEXT_RADIUS_MIN)
      fillText(ctx, nodes.length.toLocaleString('en-US'), spot.x, spot.y + 0.5, colors.ink, colors.panel);
  }
  const own = communities.find(({ nodes }) => nodes.includes(emphasis.node));
  if (!own) return;
  const { x, y } = spotOf(drawn, emphasis.node);
  ctx.font = labelFont(700);
  fillText(ctx, shorten(drawn.names[emphasis.node]!), x, y + own.radius * view.scale + 13, colors.ink, colors.panel);
}

function drawSlices(
  ctx: CanvasRenderingContext2D,
  { x, y }: { readonly x: number; readonly y: number },
  radius: number,
  slices: readonly Slice[],
  count: number,
): void {
  const { wrong } = palette();
  const parts = slices.map((slice) => Math.max(slice.count / count, slice.color === wrong ? WRONG_PART_MIN : 0));
  const sum = parts.reduce((all, part) => all + part, 0);
  let angle = -Math.PI / 2;
  for (const [i, { color }] of slices.entries()) {
    const end = angle + (2 * Math.PI * parts[i]!) / sum;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.arc(x, y, radius, angle, end);
    ctx.closePath();
    ctx.fillStyle = color;
    ctx.fill();
    angle = end;
  }
}

/** The looks of the nodes in a fixed order, so that colors stay where they are while nodes change. */
function slicesOf(nodes: readonly number[], { nodes: all }: Scene): Slice[] {
  const slices = new Map<string, Slice & { readonly rank: number }>();
  for (const node of nodes) {
    const shown = all[node];
    if (!shown?.isHere) continue;
    const { name, color, rank } = lookOf(shown);
    const slice = slices.get(name);
    if (slice) slice.count++;
    else slices.set(name, { name, color, rank, count: 1 });
  }
  return [...slices.values()].sort((a, b) => a.rank - b.rank);
}

const EDGES = new Map(SAMPLES.map(([life, { edge }]) => [life, edge]));

/** How a node that is drawn alone looks: by its life, its tone, or its state. */
function lookOf({ life, tone, stateNumber }: SceneNode): Pick<Slice, 'name' | 'color'> & { rank: number } {
  const colors = palette();
  const edge = EDGES.get(life)!;
  if (edge !== 'tone') return { name: life, color: colors[edge], rank: 1000 + [...EDGES.keys()].indexOf(life) };
  if (tone !== 'plain' || stateNumber < 0)
    return { name: tone, color: colors.tones[tone][tone === 'plain' ? 'fill' : 'edge'], rank: TONES.indexOf(tone) };
  return { name: stateNames.peek()[stateNumber] ?? '', color: stateColor(stateNumber), rank: 10 + stateNumber };
}

/** The number of nodes of a community in each state, in words. */
export function communityText({ nodes }: Community, scene: Scene): string {
  const slices = slicesOf(nodes, scene).map(({ name, count }) => `${count} ${name}`);
  return `${nodes.length} node${nodes.length === 1 ? '' : 's'}: ${slices.join(', ')}`;
}
