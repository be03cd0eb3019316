/** Population protocols on locks: interactions are atomic and serializable, also under churn; without locks they are not. */
import { describe, expect, test } from 'vitest';
import { exclusion } from '../../../machines/exclusion/index.js';
import { Population } from './agents/population.js';
import { count, exactMajority, leaderElection, type PopulationProtocol } from './agents/protocols.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { inhabit } from './population.js';
import { changes } from './run.js';

const TOPOLOGIES = {
  ring: { kind: 'ring', n: 16 },
  complete: { kind: 'complete', n: 8 },
  star: { kind: 'star', n: 9 },
  grid: { kind: 'grid', rows: 4, columns: 4 },
};

interface Life<S extends string> {
  readonly topology: keyof typeof TOPOLOGIES;
  readonly protocol: PopulationProtocol<S>;
  readonly initial: (place: number) => S;
  readonly interactions: number;
  readonly churn?: number;
  readonly seed?: number;
  readonly meets?: 'one' | 'all';
}

function live<S extends string>({
  topology,
  protocol,
  initial,
  interactions,
  churn = 0,
  seed = 1,
  meets = 'one',
}: Life<S>): Population<S> {
  const read = (events: readonly unknown[]) =>
    parseScenario(
      {
        protocol: 'exclusion',
        options: { hold: 4 },
        topology: TOPOLOGIES[topology],
        network: { latency: { min: 1, max: 3 } },
        events,
        workload: { command: 'lock', concurrent: 4, requests: interactions },
        seed,
      },
      { exclusion },
    );
  const { nodes, links } = read([]).graph.topology;
  const population = new Population(protocol, new Map(nodes.map((node, i) => [node, initial(i)])));
  const simulation = new Simulation(read(changes({ nodes, links }, churn, seed)), { host: 'snapshots', watch: false });
  inhabit(simulation, population, seed, meets);
  simulation.run();
  return population;
}

const mostlyA = (place: number) => (place % 8 < 5 ? 'A' : 'B');

describe.each(['ring', 'complete', 'star', 'grid'] as const)('on a %s', (topology) => {
  test('exact majority: A wins, one interaction after the other explains it', () => {
    const population = live({ topology, protocol: exactMajority, initial: mostlyA, interactions: 250 });
    expect(population).toMatchObject({ breaches: 0, voided: 0 });
    expect(population.isSerializable()).toBe(true);
    expect(population.agents.every((opinion) => opinion === 'A' || opinion === 'a')).toBe(true);
  });

  test('leader election: one is left', () => {
    const population = live({ topology, protocol: leaderElection, initial: () => 'leader', interactions: 500 });
    expect(population.breaches).toBe(0);
    expect(count(population.agents, 'leader')).toBe(1);
  });

  test('with churn of 2 % per round, an interaction is void for both ends or for none', () => {
    const population = live({ topology, protocol: exactMajority, initial: mostlyA, interactions: 300, churn: 0.02 });
    const before = exactMajority.invariant!(population.agents.map((_, i) => mostlyA(i)));
    expect(population).toMatchObject({ breaches: 0 });
    expect(population.isSerializable()).toBe(true);
    expect(exactMajority.invariant!(population.agents)).toBe(before);
  });
});

test('in a locked group too: fewer locks suffice, and a cut voids the whole step', () => {
  const all = { topology: 'complete', protocol: leaderElection, initial: () => 'leader', interactions: 8 } as const;
  expect(count(live({ ...all, meets: 'all' }).agents, 'leader')).toBe(1);
  expect(count(live({ ...all, meets: 'one' }).agents, 'leader')).toBeGreaterThan(1);
  const population = live({
    topology: 'grid',
    protocol: exactMajority,
    initial: mostlyA,
    interactions: 150,
    churn: 0.05,
    meets: 'all',
  });
  expect(population.breaches).toBe(0);
  expect(population.voided).toBeGreaterThan(0);
  expect(Math.max(...population.committed.map((group) => group.length))).toBeGreaterThan(3);
  expect(population.isSerializable()).toBe(true);
  expect(exactMajority.invariant!(population.agents)).toBe(exactMajority.invariant!(population.agents.map((_, i) => mostlyA(i))));
});

test('churn does void interactions: the rule is not idle', () => {
  const voided = [1, 2, 3, 4].map(
    (seed) => live({ topology: 'grid', protocol: exactMajority, initial: mostlyA, interactions: 300, churn: 0.05, seed }).voided,
  );
  expect(Math.max(...voided)).toBeGreaterThan(0);
});

test('without locks interactions get in each other’s way at once, and are seen to', () => {
  const population = new Population(
    exactMajority,
    new Map([
      ['a', 'A'],
      ['b', 'B'],
      ['c', 'A'],
    ]),
  );
  population.begin('a', ['b']);
  population.begin('c', ['b']);
  population.commit('a');
  population.commit('c');
  expect(population.breaches).toBe(2);
});
