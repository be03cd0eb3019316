/** Mutants by name, each run in one scenario, as evidence that properties of runs detect them. */
import { nameOf, type Mutant } from '../test/mutants/chart-mutants.js';
import { mutantsOf } from '../test/mutants/mutants.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
import type { Protocol } from './protocol.js';

/** Limit of a run: a mutant may never end. */
const STEPS_MAX = 4000;

const known = new Map<Protocol, readonly Mutant[]>();

function allOf(protocol: Protocol): readonly Mutant[] {
  if (!known.has(protocol)) known.set(protocol, mutantsOf(protocol));
  return known.get(protocol)!;
}

/** Properties that a run of the protocol violates, optionally with one edit in one of its charts. */
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
