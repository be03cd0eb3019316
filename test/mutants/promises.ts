/**
 * What the promises alone say of mutants: nothing that was recorded of the chart is held against them, neither paths nor walks nor counts
 * of states. A mutant is killed where a property breaks that the protocol itself keeps in the same system or scenario, where a chart breaks
 * its contract, or where a command waits for ever that the protocol takes.
 */
import fc from 'fast-check';
import { ProtocolError, UsageError } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';
import { parseScenario } from '../../network/scenario/parse.js';
import type { Scenario } from '../../network/scenario/types.js';
import { Simulation } from '../../network/simulation.js';
import { checkScenario } from '../explore/index.js';
import { scenarioOf } from '../swarm/scenario.js';
import { scenarioShapes, soundSystems } from '../swarm/shape.js';
import { onCharts, systemsOf, type System } from '../system/systems.js';
import type { Judge } from './mutants.js';

export interface PromiseOptions {
  /** The checker looks at no more states of a system. */
  readonly states: number;
  /** How many scenarios of the swarm are run on each mutant. */
  readonly runs: number;
  /** Draws the scenarios. */
  readonly seed?: number;
}

/** The checker and the swarm, asked for broken promises alone. */
export const promiseJudges = (protocol: Protocol, { states, runs, seed = 1 }: PromiseOptions): readonly Judge[] => [
  checkerOf(protocol, states),
  swarmOf(scenariosOf(protocol, runs, seed)),
];

/** What is broken, by name. */
type Broken = ReadonlySet<string>;

const CONTRACT = 'keeps its contract';

function checkerOf(protocol: Protocol, states: number): Judge {
  const brokenIn = (system: System, charts: Protocol): Broken =>
    unlessItThrows(() => {
      const { properties } = checkScenario(onCharts(system, charts), { bounds: { states } });
      return properties.filter(({ holds }) => holds === false).map(({ name }) => name);
    });
  const known = systemsOf(protocol).map((system) => ({ system, own: brokenIn(system, protocol) }));
  return {
    name: 'checker',
    kills: (mutated) => known.some(({ system, own }) => isWorse(brokenIn(system, mutated), own)),
  };
}

function swarmOf(scenarios: readonly Scenario[]): Judge {
  const known = scenarios.map((scenario) => ({ scenario, own: brokenBy(scenario) }));
  return {
    name: 'swarm',
    kills: (mutated) => known.some(({ scenario, own }) => isWorse(brokenBy({ ...scenario, protocol: mutated }), own)),
  };
}

/** As the swarm draws them; those that the protocol refuses are left out. */
function scenariosOf(protocol: Protocol, runs: number, seed: number): readonly Scenario[] {
  const systems = soundSystems(protocol);
  return fc.sample(scenarioShapes(systems), { numRuns: runs, seed }).flatMap((shape): Scenario[] => {
    try {
      return [parseScenario(scenarioOf(protocol, systems, shape), { [protocol.name]: protocol })];
    } catch (error) {
      if (error instanceof UsageError) return [];
      throw error;
    }
  });
}

/** A small network that has not come to rest after so many steps never will. */
const STEPS_MAX = 4000;

function brokenBy(scenario: Scenario): Broken {
  const simulation = new Simulation(scenario, { host: 'snapshots' });
  return unlessItThrows(() => {
    simulation.start();
    let steps = 0;
    while (simulation.advance()) if (++steps === STEPS_MAX) return ['comes to rest'];
    const waits = simulation.network.world.environment.hasWaiting ? ['every command is taken'] : [];
    const broken = simulation.finish().properties.filter(({ holds }) => holds === false);
    return [...broken.map(({ name }) => name), ...waits];
  });
}

function unlessItThrows(broken: () => readonly string[]): Broken {
  try {
    return new Set(broken());
  } catch (error) {
    if (error instanceof ProtocolError) return new Set([CONTRACT]);
    throw error;
  }
}

const isWorse = (mutants: Broken, own: Broken): boolean => [...mutants].some((name) => !own.has(name));
