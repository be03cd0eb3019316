/** A small picture of a story's network, for the list of stories. */
import type { Story } from '../../stories/story.js';

type Point = readonly [x: number, y: number];

interface Shape {
  readonly points: readonly Point[];
  readonly links: readonly (readonly [number, number])[];
}

const WIDTH = 96;
const HEIGHT = 56;

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

function circle(n: number): Point[] {
  return range(n).map((i) => {
    const angle = (2 * Math.PI * i) / n - Math.PI;
    return [WIDTH / 2 + 0.44 * WIDTH * Math.cos(angle), HEIGHT / 2 + 0.4 * HEIGHT * Math.sin(angle)];
  });
}

/** Rows of one, two, four … nodes. */
function tree(n: number): Point[] {
  const depth = (i: number) => Math.floor(Math.log2(i + 1));
  const rows = depth(n - 1) + 1;
  return range(n).map((i) => {
    const row = depth(i);
    return [(WIDTH * (i + 1.5 - 2 ** row)) / 2 ** row, (HEIGHT * (row + 0.5)) / rows];
  });
}

/** The network of a scenario. One of contacts has no fixed links: its nodes are shown without any. */
function shapeOf(topology: Readonly<Record<string, unknown>>): Shape {
  const n = Number(topology['n'] ?? 12);
  const { nodes, links } = topology as { nodes?: string[]; links?: [string, string][] };
  if (nodes && links) return { points: circle(nodes.length), links: links.map(([a, b]) => [nodes.indexOf(a), nodes.indexOf(b)]) };
  const next = range(n - 1).map((i) => [i, i + 1] as const);
  switch (topology['kind']) {
    case 'ring':
      return { points: circle(n), links: [...next, [n - 1, 0]] };
    case 'path':
      return { points: range(n).map((i) => [(WIDTH * (i + 0.5)) / n, HEIGHT * (i % 2 ? 0.62 : 0.38)]), links: next };
    case 'tree':
      return { points: tree(n), links: range(n - 1).map((i) => [i + 1, i >> 1]) };
    default:
      return { points: circle(n), links: [] };
  }
}

export function Thumbnail({ story }: { story: Story }) {
  const { scenario } = Object.values(story.runs)[0]!;
  const { points, links } = shapeOf(scenario['topology'] as Readonly<Record<string, unknown>>);
  return (
    <svg class="story-thumbnail" viewBox={`-6 -4 ${WIDTH + 12} ${HEIGHT + 8}`} aria-hidden="true">
      {links.map(([a, b]) => (
        <line key={`${a} ${b}`} x1={points[a]![0]} y1={points[a]![1]} x2={points[b]![0]} y2={points[b]![1]} />
      ))}
      {points.map(([x, y]) => (
        <circle key={`${x} ${y}`} cx={x} cy={y} r={3.6} />
      ))}
    </svg>
  );
}
