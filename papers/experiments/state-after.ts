/** States of a scenario for figures of papers: after a list of choices, or at a time. */
import { protocols } from '../../machines/index.js';
import type { Configuration } from '../../machines/protocol.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import type { Choice } from '../../network/world/choice.js';

/** The state after these choices, from the start of the scenario. */
export function stateAfter(scenario: object, choices: readonly Choice[]): Configuration {
  const simulation = new Simulation(parseScenario(scenario, protocols), { choices });
  simulation.start();
  while (simulation.advance());
  return simulation.configuration;
}

/** The state of a run of the scenario at a time in ticks. */
export function stateAt(scenario: object, until: number): Configuration {
  const simulation = new Simulation(parseScenario({ ...scenario, until: { at: until } }, protocols), { host: 'snapshots' });
  simulation.run();
  return simulation.configuration;
}
