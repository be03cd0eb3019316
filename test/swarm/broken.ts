/** Runs a small scenario and returns its failure: a violated property, a chart that violates its contract, or a run that does not end. */
import { ProtocolError } from '../../machines/errors.js';
import type { Scenario } from '../../network/scenario/types.js';
import { Simulation } from '../../network/simulation.js';

export interface Broken {
  readonly property: string;
  readonly description: string;
}

/** A small network that has not come to rest after so many steps never will. */
const STEPS_MAX = 4000;

/** The failure of this scenario's run, or `null`. Properties in `ignore` are not reported. */
export function brokenIn(scenario: Scenario, ignore: ReadonlySet<string> = new Set()): Broken | null {
  const simulation = new Simulation(scenario, { host: 'snapshots' });
  try {
    simulation.start();
    for (let steps = 0; simulation.advance(); steps++) {
      if (steps === STEPS_MAX)
        return { property: 'comes to rest', description: `Something still happens ${STEPS_MAX} steps after all is well.` };
    }
    const broken = simulation.finish().properties.find(({ name, holds }) => holds === false && !ignore.has(name));
    if (!broken) return null;
    const { description } = scenario.protocol.properties(simulation.instance).find(({ name }) => name === broken.name) ?? {
      description: broken.name,
    };
    return { property: broken.name, description };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { property: 'keeps its contract', description: error.message };
  } finally {
    simulation.network.stop();
  }
}
