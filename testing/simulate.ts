/** Runs a scenario of a built-in protocol, for tests, experiments and benchmarks. */
import { protocols } from '../machines/index.js';
import type { Report } from '../network/report.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation, type SimulationOptions } from '../network/simulation.js';

export const simulateByName = (scenario: unknown, options?: SimulationOptions): Report =>
  new Simulation(parseScenario(scenario, protocols), options).run();
