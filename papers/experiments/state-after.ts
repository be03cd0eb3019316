/** The state after a list of choices from the start of a scenario, for figures of papers. */
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
