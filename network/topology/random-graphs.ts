/**
 * Random topologies, drawn from their own seed until they are connected.
 *
 * Each attempt has its own stream, so that a topology depends only on its parameters and seed, not on the run's seed.
 */
import { UsageError } from '../../machines/errors.js';
import { Random } from '../random.js';
import type { Shape } from './kinds.js';

/** The maximum number of attempts; fewer if one takes long, so that the error comes soon. */
const ATTEMPTS_MAX = 100;
const ATTEMPTS_MIN = 3;
/** Limit of a generator's work, in steps: about half a second. */
const WORK_MAX = 50_000_000;

type Links = [number, number][];

/** A connected graph in which every pair is linked with probability p. It is drawn again until it is connected. */
export function erdosRenyi(n: number, p: number, seed: number): Shape {
  const sought = { what: `erdos-renyi with n ${n} and p ${p}`, fix: 'Raise p', work: (n * n) / 2 };
  return drawConnected(n, seed, sought, (random) => {
    const links: Links = [];
    const isLinked = new Uint8Array(n);
    for (let i = 0; i < n; i++) {
      for (let j = i + 1; j < n; j++) {
        if (!random.chance(p)) continue;
        links.push([i, j]);
        isLinked[i] = isLinked[j] = 1;
      }
      // All its pairs are drawn: an isolated node stays isolated, so the rest of the draw can be skipped.
      if (!isLinked[i] && n > 1) return null;
    }
    return links;
  });
}

/** Points in the unit square, linked when at most `radius` apart. */
export function geometric(n: number, radius: number, seed: number): Shape {
  const sought = { what: `geometric with n ${n} and radius ${radius}`, fix: 'Raise radius', work: 50 * n };
  return drawConnected(n, seed, sought, (random) => {
    const points = Array.from({ length: n }, () => [random.unit(), random.unit()] as const);
    return closePairs(points, radius);
  });
}

interface Sought {
  readonly what: string;
  readonly fix: string;
  /** Steps of one attempt. */
  readonly work: number;
}

/** Returns the first connected draw. A draw may return `null` early if it cannot become connected. */
function drawConnected(n: number, seed: number, { what, fix, work }: Sought, draw: (random: Random) => Links | null): Shape {
  const attempts = Math.max(ATTEMPTS_MIN, Math.min(ATTEMPTS_MAX, Math.floor(WORK_MAX / work)));
  for (let attempt = 0; attempt < attempts; attempt++) {
    const links = draw(new Random(seed, `topology ${attempt}`));
    if (links && connects(n, links)) return { n, links };
  }
  throw new UsageError(
    `topology of kind ${what}: none of ${attempts} random graphs is connected. ${fix}, or set another seed in the topology.`,
  );
}

/** The pairs in the order of their nodes. The square is divided into cells at least a radius wide, so that only nine cells are visited. */
export function closePairs(points: readonly (readonly [number, number])[], radius: number): Links {
  const cells = Math.max(1, Math.min(Math.floor(1 / radius), Math.ceil(Math.sqrt(points.length))));
  const cellOf = (x: number) => Math.min(cells - 1, Math.floor(x * cells));
  const inCell = Array.from({ length: cells * cells }, (): number[] => []);
  points.forEach(([x, y], i) => inCell[cellOf(x) * cells + cellOf(y)]!.push(i));
  const links: Links = [];
  points.forEach(([x, y], i) => {
    const near: number[] = [];
    for (let column = Math.max(0, cellOf(x) - 1); column <= Math.min(cells - 1, cellOf(x) + 1); column++) {
      for (let row = Math.max(0, cellOf(y) - 1); row <= Math.min(cells - 1, cellOf(y) + 1); row++) {
        for (const j of inCell[column * cells + row]!) {
          const [a, b] = points[j]!;
          if (j > i && (a - x) ** 2 + (b - y) ** 2 <= radius ** 2) near.push(j);
        }
      }
    }
    for (const j of near.sort((a, b) => a - b)) links.push([i, j]);
  });
  return links;
}

/** Union-find: true if the links connect all nodes. */
function connects(n: number, links: Links): boolean {
  const parent = Int32Array.from({ length: n }, (_, i) => i);
  const find = (i: number): number => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]!]!;
    return i;
  };
  let components = n;
  for (const [i, j] of links) {
    const [a, b] = [find(i), find(j)];
    if (a === b) continue;
    parent[a] = b;
    components--;
  }
  return components <= 1;
}
