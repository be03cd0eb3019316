/** One world for every life, in 2,000 runs of the swarm: every step that the clock makes is a choice that the world offers. */
import { expect, test } from 'vitest';
import { protocols } from '../machines/index.js';
import { compareWithWorld, scenariosOf } from './one-world.fixture.js';

const RUNS = 2_000;
const each = Object.values(protocols);

/** How many choices were compared, by protocol. */
const CHOICES: Readonly<Record<string, number>> = {
  controller: 1_670,
  directory: 3_062,
  election: 1_889,
  exclusion: 11_049,
  link: 15_662,
  locks: 14_237,
  queue: 24_517,
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
