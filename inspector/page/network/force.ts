/**
 * Where the nodes stand: rings and complete graphs on a circle, as their papers draw them, everything else by forces.
 *
 * Small networks are settled at once; large ones in a worker, so that the page stays awake.
 */
import {
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from 'd3-force';
import { startPositions, type NumberedLink } from './start.js';

export interface Positions {
  readonly xs: Float64Array;
  readonly ys: Float64Array;
}

export interface Placement extends Positions {
  /** Improves the placement for some milliseconds; false when it is final. */
  settle(milliseconds: number): boolean;
  move(node: number, x: number, y: number): void;
  /** Stops the placement. */
  stop(): void;
}

interface Body extends SimulationNodeDatum {
  readonly number: number;
}

const LINK_LENGTH = 90;
/** The number of rounds. A slow round or a good start reduces it. */
const TICKS = 150;
const TICKS_OF_ALL_NODES = 300_000;

/** A link with its length, as d3 wants it. */
export interface LinkEnds extends NumberedLink, SimulationLinkDatum<Body> {
  readonly source: number;
  readonly target: number;
  readonly weight: number;
}

export function placeNodes(count: number, ends: readonly LinkEnds[]): Placement {
  const circle = circleOrder(count, ends);
  const bodies = circle ? Array.from({ length: count }, (_, number): Body => ({ number })) : spread(count, ends);
  const xs = new Float64Array(count);
  const ys = new Float64Array(count);
  const copy = () => {
    for (const { number, x = 0, y = 0 } of bodies) [xs[number], ys[number]] = [x, y];
  };
  if (circle) {
    const radius = Math.max((LINK_LENGTH * count) / (2 * Math.PI), LINK_LENGTH);
    circle.forEach((number, place) => {
      const angle = (2 * Math.PI * place) / circle.length - Math.PI / 2;
      Object.assign(bodies[number]!, { x: radius * Math.cos(angle), y: radius * Math.sin(angle) });
    });
  }
  const rounds = Math.min(TICKS, Math.ceil(TICKS_OF_ALL_NODES / Math.max(count, 1)));
  const simulation = circle ? null : simulate(bodies, ends, rounds);
  let ticks = circle ? rounds : 0;
  copy();
  return {
    xs,
    ys,
    settle(milliseconds) {
      const until = performance.now() + milliseconds;
      while (ticks < rounds && performance.now() < until) {
        simulation?.tick();
        ticks++;
        if (ticks === rounds && simulation && bodies.every(({ fx }) => fx === undefined)) layDown(bodies);
      }
      copy();
      return ticks < rounds;
    },
    move(node, x, y) {
      Object.assign(bodies[node]!, { x, y, fx: x, fy: y });
      copy();
    },
    stop() {},
  };
}

/** The starting positions, stretched until a link has about its length. */
function spread(count: number, ends: readonly LinkEnds[]): Body[] {
  const start = startPositions(count, ends);
  const lengths = ends.map(({ source, target }) =>
    Math.hypot(start[source]![0] - start[target]![0], start[source]![1] - start[target]![1]),
  );
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1);
  const scale = mean > 0 ? LINK_LENGTH / mean : 1;
  return start.map(([x, y], number) => ({ number, x: x * scale + jitter(number), y: y * scale + jitter(number + 0.5) }));
}

/** Nodes that look alike to every pivot start on one spot; forces need them a little apart. */
const jitter = (number: number): number => 9 * Math.sin(number * 12.9898);

function simulate(bodies: Body[], ends: readonly LinkEnds[], rounds: number) {
  const weights = ends
    .map(({ weight }) => weight)
    .filter((weight) => weight > 0)
    .sort((a, b) => a - b);
  const typical = weights[weights.length >> 1] ?? 1;
  const length = ({ weight }: { weight: number }) => LINK_LENGTH * Math.min(Math.max(Math.sqrt(weight / typical), 0.6), 2);
  const crowded = bodies.length > 200;
  return forceSimulation(bodies)
    .stop()
    .alpha(0.4)
    .alphaDecay(1 - (0.001 / 0.4) ** (1 / rounds))
    .force(
      'link',
      forceLink<Body, SimulationLinkDatum<Body> & { weight: number }>(ends.map((end) => ({ ...end })))
        .distance(length)
        .strength(0.7),
    )
    .force(
      'charge',
      forceManyBody()
        .strength(crowded ? -160 : -420)
        .distanceMax(crowded ? 500 : 2000)
        .theta(crowded ? 1.1 : 0.9),
    )
    .force('x', forceX(0).strength(0.04))
    .force('y', forceY(0).strength(0.06));
}

/** Turns the picture so that its longest extent is across: panels are wider than high. */
function layDown(bodies: readonly Body[]): void {
  let [xx, xy, yy] = [0, 0, 0];
  for (const { x = 0, y = 0 } of bodies) [xx, xy, yy] = [xx + x * x, xy + x * y, yy + y * y];
  const angle = Math.atan2(2 * xy, xx - yy) / 2;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  for (const body of bodies) {
    const { x = 0, y = 0 } = body;
    [body.x, body.y] = [x * cos + y * sin, y * cos - x * sin];
  }
}

/** The nodes in the order of the circle: along a single ring, or as they are listed when every two are linked. */
function circleOrder(n: number, ends: readonly { source: number; target: number }[]): number[] | null {
  if (n < 3) return null;
  if (ends.length === (n * (n - 1)) / 2) return Array.from({ length: n }, (_, i) => i);
  const neighbors = Array.from({ length: n }, (): number[] => []);
  for (const { source, target } of ends) {
    neighbors[source]!.push(target);
    neighbors[target]!.push(source);
  }
  if (ends.length !== n || neighbors.some(({ length }) => length !== 2)) return null;
  const order = [0];
  for (let before = -1, at = 0; ;) {
    const next: number = neighbors[at]![0] === before ? neighbors[at]![1]! : neighbors[at]![0]!;
    if (next === 0) break;
    order.push(next);
    [before, at] = [at, next];
  }
  return order.length === n ? order : null;
}
