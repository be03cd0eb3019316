/** What the checker finds on a small system, as text to compare. */
import type { Protocol } from '../../machines/protocol.js';
import { checkScenario } from '../explore/index.js';
import { onCharts, type System } from '../system/systems.js';

export type SystemOutcome = string;

/** Enough for two nodes of any of our protocols, and soon over. */
const STATES_MAX = 2000;

export function outcomeOn(system: System, protocol: Protocol): SystemOutcome {
  try {
    const { verdict, states, transitions } = checkScenario(onCharts(system, protocol), { bounds: { states: STATES_MAX } });
    return `${verdict}, ${states} states, ${transitions} transitions`;
  } catch (error) {
    return (error as Error).message;
  }
}
