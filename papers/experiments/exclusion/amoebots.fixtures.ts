/** Hexagon formation by amoebots that act at the same time, each in a neighborhood that it has locked. */
import { expect } from 'vitest';
import { Hexagon } from './amoebot/hexagon.js';
import { adjacentTo, pointKey, spiral, type Point } from './amoebot/lattice.js';
import type { Matter } from './amoebot/matter.js';
import { Train } from './amoebot/train.js';
import type { NodeId } from '../../../machines/effects.js';
import { exclusion } from '../../../machines/exclusion/index.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { animate, type AmoebotAlgorithm, type AmoebotLife } from './amoebots.js';

export const line = (n: number) => new Map<string, Point>(Array.from({ length: n }, (_, x) => [`n${x}`, { x, y: 0 }]));
const shapeOf = (n: number) => spiral({ x: 0, y: 0 }, n).map(pointKey).sort();

type Algorithm<Action> = AmoebotAlgorithm<Action> & { readonly matter: Matter; readonly amoebots: readonly NodeId[] };

function live<Action>(algorithm: Algorithm<Action>, requests: number, seed: number) {
  const scenario = parseScenario(
    {
      protocol: 'exclusion',
      options: { hold: 3 },
      topology: { nodes: algorithm.amoebots, links: algorithm.matter.bonds().map(([u, v]) => [u, v, 1]) },
      network: { latency: { min: 1, max: 3 } },
      workload: { command: 'lock', concurrent: Math.ceil(algorithm.amoebots.length / 2), requests },
      seed,
    },
    { exclusion },
  );
  const simulation = new Simulation(scenario, { host: 'snapshots' });
  const life = animate(simulation, algorithm);
  const { verdict } = simulation.run();
  return { life, verdict, links: simulation.network.links };
}

export function together(n: number, requests: number, seed: number) {
  const hexagon = new Hexagon(line(n));
  return { hexagon, ...live(hexagon, requests, seed) };
}

/** Repeats the actions one after the other in a separate world; each must be what the algorithm would do there. */
export function inOrder<Action, A extends AmoebotAlgorithm<Action>>(alone: A, { deeds }: AmoebotLife<Action>): A {
  for (const { amoebot, locked, action } of deeds) {
    expect(alone.enabled(amoebot, locked)).toEqual(action);
    alone.perform(amoebot, action, locked);
  }
  return alone;
}

/** A way with turns, and back over the former positions of the train. */
const WAY = [0, 0, 1, 2, 2, 3, 3] as const;
const trainOf = (n: number) => new Train(new Map([...line(n)].map(([id, { x }]) => [id, { x: -x, y: 0 }])), WAY);

/** All carriages follow the engine, as in the sequential run. */
export function followsEngine({ n, requests, seed }: { n: number; requests: number; seed: number }): void {
  const train = trainOf(n);
  const { life, verdict } = live(train, requests, seed);
  expect({ verdict, breaches: life.breaches, isFormed: train.isFormed }).toEqual({
    verdict: 'valid',
    breaches: 0,
    isFormed: true,
  });
  const places = train.amoebots.map((amoebot) => train.matter.body(amoebot).head);
  const expected = [...line(n)].map(([, { x }]) => placeOnWay(WAY.length - x));
  expect(places).toEqual(expected);
  expect(inOrder(trainOf(n), life).matter.shape).toEqual(train.matter.shape);
}

/** Position of the engine after a number of steps; before the first, on the line. */
function placeOnWay(steps: number): Point {
  if (steps <= 0) return { x: steps, y: 0 };
  return WAY.slice(0, steps).reduce<Point>(adjacentTo, { x: 0, y: 0 });
}

/** A line becomes a hexagon, as in the sequential run. */
export function formsHexagon({ n, requests, seed }: { n: number; requests: number; seed: number }): void {
  const { hexagon, life, verdict } = together(n, requests, seed);
  expect({ verdict, breaches: life.breaches, isFormed: hexagon.isFormed }).toEqual({
    verdict: 'valid',
    breaches: 0,
    isFormed: true,
  });
  expect(hexagon.matter.shape).toEqual(shapeOf(n));
  expect(inOrder(new Hexagon(line(n)), life).matter.shape).toEqual(hexagon.matter.shape);
}
