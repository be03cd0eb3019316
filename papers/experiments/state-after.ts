/** A run that is made by hand, choice by choice, as figures of papers show it. */
import { protocols } from '../../machines/index.js';
import type { Configuration } from '../../machines/protocol.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import type { Choice } from '../../network/world/choice.js';

/** The state that these choices lead to, from the start of the scenario. */
export function stateAfter(scenario: object, choices: readonly Choice[]): Configuration {
  const simulation = new Simulation(parseScenario(scenario, protocols), { choices });
  simulation.start();
  while (simulation.advance());
  return simulation.configuration;
}
