/**
 * Where the nodes stand: rings and complete graphs on a circle, as their papers draw them, everything else by forces.
 *
 * Small networks are settled at once; large ones a few milliseconds at a time, so that the page stays awake.
 */
import { forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationLinkDatum, type SimulationNodeDatum } from 'd3-force';
import type { Link } from '../../../machines/protocol.js';

export interface Placement {
  readonly xs: Float64Array;
  readonly ys: Float64Array;
  /** Improves the placement for some milliseconds; false when it is final. */
  settle(milliseconds: number): boolean;
  move(node: number, x: number, y: number): void;
}

interface Body extends SimulationNodeDatum {
  readonly number: number;
}

const LINK_LENGTH = 90;
const TICKS = 300;

export function placeNodes(names: readonly string[], links: readonly Link[]): Placement {
  const numbers = new Map(names.map((name, number) => [name, number]));
  const ends = links.map(([a, b, weight]) => ({ source: numbers.get(a)!, target: numbers.get(b)!, weight }));
  const circle = circleOrder(names.length, ends);
  const bodies = names.map((_, number): Body => ({ number }));
  const xs = new Float64Array(names.length);
  const ys = new Float64Array(names.length);
  const copy = () => {
    for (const { number, x = 0, y = 0 } of bodies) [xs[number], ys[number]] = [x, y];
  };
  if (circle) {
    const radius = Math.max((LINK_LENGTH * names.length) / (2 * Math.PI), LINK_LENGTH);
    circle.forEach((number, place) => {
      const angle = (2 * Math.PI * place) / circle.length - Math.PI / 2;
      Object.assign(bodies[number]!, { x: radius * Math.cos(angle), y: radius * Math.sin(angle) });
    });
  }
  const simulation = circle ? null : simulate(bodies, ends);
  let ticks = circle ? TICKS : 0;
  copy();
  return {
    xs,
    ys,
    settle(milliseconds) {
      const until = performance.now() + milliseconds;
      while (ticks < TICKS && performance.now() < until) {
        simulation?.tick();
        ticks++;
      }
      copy();
      return ticks < TICKS;
    },
    move(node, x, y) {
      Object.assign(bodies[node]!, { x, y, fx: x, fy: y });
      copy();
    },
  };
}

interface End extends SimulationLinkDatum<Body> {
  readonly source: number;
  readonly target: number;
  readonly weight: number;
}

function simulate(bodies: Body[], ends: readonly End[]) {
  const weights = ends.map(({ weight }) => weight).filter((weight) => weight > 0).sort((a, b) => a - b);
  const typical = weights[weights.length >> 1] ?? 1;
  const length = ({ weight }: { weight: number }) => LINK_LENGTH * Math.min(Math.max(Math.sqrt(weight / typical), 0.6), 2);
  const crowded = bodies.length > 200;
  return forceSimulation(bodies)
    .stop()
    .alphaDecay(1 - 0.001 ** (1 / TICKS))
    .force('link', forceLink<Body, SimulationLinkDatum<Body> & { weight: number }>(ends.map((end) => ({ ...end }))).distance(length).strength(0.7))
    .force('charge', forceManyBody().strength(crowded ? -160 : -420).distanceMax(crowded ? 500 : 2000).theta(crowded ? 1.1 : 0.9))
    .force('x', forceX(0).strength(0.04))
    .force('y', forceY(0).strength(0.06));
}

/** The nodes in the order of the circle: along a single ring, or as they are listed when every two are linked. */
function circleOrder(n: number, ends: readonly { source: number; target: number }[]): number[] | null {
  if (n < 3) return null;
  if (ends.length === (n * (n - 1)) / 2) return Array.from({ length: n }, (_, i) => i);
  const neighbours = Array.from({ length: n }, (): number[] => []);
  for (const { source, target } of ends) {
    neighbours[source]!.push(target);
    neighbours[target]!.push(source);
  }
  if (ends.length !== n || neighbours.some(({ length }) => length !== 2)) return null;
  const order = [0];
  for (let before = -1, at = 0; ; ) {
    const next: number = neighbours[at]![0] === before ? neighbours[at]![1]! : neighbours[at]![0]!;
    if (next === 0) break;
    order.push(next);
    [before, at] = [at, next];
  }
  return order.length === n ? order : null;
}
