/** Hexagon formation by amoebots that act at the same time, each in a neighbourhood that it has locked. */
import { expect } from 'vitest';
import { Hexagon, keyOf, spiral, type Point } from '../../machines/amoebot/index.js';
import { exclusion } from '../../machines/exclusion/index.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { animate, type AmoebotLife } from './amoebots.js';

const line = (n: number) => new Map<string, Point>(Array.from({ length: n }, (_, x) => [`n${x}`, { x, y: 0 }]));
const shapeOf = (n: number) => spiral({ x: 0, y: 0 }, n).map(keyOf).sort();

export function together(n: number, requests: number, seed: number) {
  const hexagon = new Hexagon(line(n));
  const scenario = parseScenario(
    {
      protocol: 'exclusion',
      options: { hold: 3 },
      topology: { nodes: hexagon.amoebots, links: hexagon.matter.bonds().map(([u, v]) => [u, v, 1]) },
      network: { latency: { min: 1, max: 3 } },
      workload: { command: 'lock', concurrent: Math.ceil(n / 2), requests },
      seed,
    },
    { exclusion },
  );
  const simulation = new Simulation(scenario, { host: 'snapshots' });
  const life = animate(simulation, hexagon);
  const { verdict } = simulation.run();
  return { hexagon, life, verdict, links: simulation.network.links };
}

/** Does the deeds one after the other in a world of their own; each must be what the algorithm would do there. */
export function inOrder(n: number, { deeds }: AmoebotLife): Hexagon {
  const alone = new Hexagon(line(n));
  for (const { amoebot, locked, action } of deeds) {
    expect(alone.enabled(amoebot, locked)).toEqual(action);
    alone.perform(amoebot, action);
  }
  return alone;
}

/** A line becomes a hexagon, as one after the other would have made it. */
export function formsHexagon({ n, requests, seed }: { n: number; requests: number; seed: number }): void {
  const { hexagon, life, verdict } = together(n, requests, seed);
  expect({ verdict, breaches: life.breaches, isFormed: hexagon.isFormed }).toEqual({
    verdict: 'valid',
    breaches: 0,
    isFormed: true,
  });
  expect(hexagon.matter.shape).toEqual(shapeOf(n));
  expect(inOrder(n, life).matter.shape).toEqual(hexagon.matter.shape);
}
