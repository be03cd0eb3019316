/** One world for every life: what the clock does, the world offers; what the world can do, the checker sees. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { protocols } from '../machines/index.js';
import { UsageError } from '../machines/errors.js';
import type { Protocol } from '../machines/protocol.js';
import { parseScenario } from '../network/scenario/parse.js';
import type { Scenario } from '../network/scenario/types.js';
import { compareWithWorld } from './one-world.fixture.js';
import { scenarioOf } from './swarm/scenario.js';
import { shapes, soundSystems } from './swarm/shape.js';

/** Runs of each protocol; together with the deep tests 2,000. */
const RUNS = 40;

function scenariosOf(protocol: Protocol, count: number): Scenario[] {
  const systems = soundSystems(protocol);
  const drawn = fc.sample(shapes(systems), { numRuns: 3 * count, seed: 7 });
  const parsed = drawn.flatMap((shape) => {
    try {
      return [parseScenario(scenarioOf(protocol, systems, shape), protocols)];
    } catch (error) {
      if (error instanceof UsageError) return [];
      throw error;
    }
  });
  return parsed.filter(({ events }) => events.every(({ do: what }) => what !== 'corrupt')).slice(0, count);
}

describe('every step of a run in time is a choice that the world offers, and leads to the state that apply gives', () => {
  test.each(Object.values(protocols))('$name', (protocol) => {
    const compared = scenariosOf(protocol, RUNS).map(compareWithWorld);
    expect(compared.find(({ difference }) => difference !== null)?.difference ?? null).toBeNull();
    expect(compared.reduce((sum, { steps }) => sum + steps, 0)).toBeGreaterThan(RUNS);
  });
});
