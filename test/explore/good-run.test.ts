/** The correct run nearest to a counterexample: as long a common prefix as possible, then a run to a correct end. */
import { expect, test } from 'vitest';
import { protocols } from '../../machines/index.js';
import { parseScenario } from '../../network/scenario/parse.js';
import type { Scenario } from '../../network/scenario/types.js';
import { Simulation } from '../../network/simulation.js';
import type { Choice } from '../../network/world/choice.js';
import { enabled } from '../../network/world/enabled.js';
import { nearestGoodRun } from './good-run.js';
import { checkScenario } from './scenario.js';

const printed = {
  protocol: 'exclusion',
  topology: { nodes: ['n0', 'n1'], links: [['n0', 'n1', 1]] },
  options: { priorities: 2, rules: 'printed' },
  events: ['n0', 'n1'].map((node) => ({ at: 0, node, do: 'lock' })),
};

/** The properties that a complete run of the choices violates. */
function refutedBy(scenario: Scenario, choices: readonly Choice[]): readonly string[] {
  const simulation = new Simulation(scenario, { host: 'snapshots', choices });
  simulation.start();
  while (simulation.advance());
  expect([...enabled(simulation.network.world)]).toEqual([]);
  return simulation.monitor.finish(true, simulation.network.now).flatMap(({ name, holds }) => (holds === false ? [name] : []));
}

test('follows the deadlock of the printed rules as long as possible, then completes', () => {
  const scenario = parseScenario(printed, protocols);
  const { choices } = checkScenario(scenario).counterexample!;
  expect(refutedBy(scenario, choices)).toContain('every request succeeds');
  const good = nearestGoodRun(scenario, { choices })!;
  expect(good.choices.slice(0, good.common)).toEqual(choices.slice(0, good.common));
  expect(good.choices[good.common]).not.toEqual(choices[good.common]);
  expect(refutedBy(scenario, good.choices)).toEqual([]);
  expect(good.common).toBe(waysOut(scenario, choices));
});

/** The longest prefix that some run continues correctly, found by trying every one. */
function waysOut(scenario: Scenario, choices: readonly Choice[]): number {
  for (let common = choices.length; common >= 0; common--)
    if (endsWell(scenario, choices.slice(0, common), new Set())) return common;
  return -1;
}

function endsWell(scenario: Scenario, made: readonly Choice[], seen: Set<string>): boolean {
  const simulation = new Simulation(scenario, { host: 'snapshots', choices: made });
  let isBad = false;
  simulation.monitor.violations$.subscribe(() => (isBad = true));
  simulation.start();
  while (simulation.advance());
  const { configuration, network } = simulation;
  const next = [...enabled(network.world)];
  const key = JSON.stringify([[...configuration.nodes], network.world.flights.all, next]);
  if (isBad || seen.has(key)) return false;
  seen.add(key);
  if (next.length === 0) return refutedBy(scenario, made).length === 0;
  return next.some((choice) => endsWell(scenario, [...made, choice], seen));
}

test('returns null if every run violates a property', () => {
  const scenario = parseScenario({ ...printed, events: [{ at: 0, node: 'n0', do: 'lock' }] }, protocols);
  const never = {
    ...scenario.protocol,
    properties: () => [{ name: 'never', kind: 'always', description: 'never', holds: () => false }],
  };
  const bad = { ...scenario, protocol: never as unknown as Scenario['protocol'] };
  const { choices } = checkScenario(bad).counterexample!;
  expect(nearestGoodRun(bad, { choices })).toBeNull();
});
