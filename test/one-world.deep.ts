/** One world for every life, in 2,000 runs of the swarm: every step that the clock makes is a choice that the world offers. The search reaches the same states. */
import { expect, test } from 'vitest';
import { protocols } from '../machines/index.js';
import { compareWithWorld, expectSameStates, sampleSystems, scenariosOf } from './one-world.fixture.js';

const RUNS = 2_000;
const each = Object.values(protocols);

/** How many choices were compared, by protocol. */
const CHOICES: Readonly<Record<string, number>> = {
  controller: 1_340,
  directory: 2_720,
  election: 1_723,
  exclusion: 9_405,
  link: 16_216,
  locks: 12_124,
  queue: 33_502,
  tabs: 4_311,
};

test.each(each)('$name', (protocol) => {
  const scenarios = scenariosOf(protocol, Math.ceil(RUNS / each.length), 11);
  const compared = scenarios.map(compareWithWorld);
  expect(compared.find(({ difference }) => difference !== null)?.difference ?? null).toBeNull();
  expect([scenarios.length, compared.reduce((sum, { steps }) => sum + steps, 0)]).toEqual([
    Math.ceil(RUNS / each.length),
    CHOICES[protocol.name],
  ]);
});

test.each(sampleSystems)('system $index of $name: the states of the search', ({ scenario }) => expectSameStates(scenario, 400));
