/** Mutants by name, each run in one scenario: what a property of runs is shown to see. */
import { nameOf, type Mutant } from '../test/mutants/chart-mutants.js';
import { mutantsOf } from '../test/mutants/mutants.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
import type { Protocol } from './protocol.js';

/** An end is not a promise of every mutant. */
const STEPS_MAX = 4000;

const known = new Map<Protocol, readonly Mutant[]>();

function allOf(protocol: Protocol): readonly Mutant[] {
  if (!known.has(protocol)) known.set(protocol, mutantsOf(protocol));
  return known.get(protocol)!;
}

/** The properties that a run of the protocol breaks, with one edit in one of its charts where one is named. */
export function brokenByMutant(protocol: Protocol, json: object, chart?: string, edit?: string): readonly string[] {
  const mutant = allOf(protocol).find((one) => one.chart === chart && nameOf(one) === edit);
  if (edit !== undefined && !mutant) throw new Error(`chart ${chart} has no edit "${edit}"`);
  const charts = { ...protocol.charts, ...(mutant && { [mutant.chart]: mutant.machine }) };
  const scenario = parseScenario(json as never, { [protocol.name]: { ...protocol, charts } });
  const simulation = new Simulation(scenario, { host: 'snapshots' });
  simulation.start();
  for (let steps = 0; steps < STEPS_MAX && simulation.advance(); steps++);
  return simulation.finish().properties.flatMap(({ name, holds }) => (holds === false ? [name] : []));
}
