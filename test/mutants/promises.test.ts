/** Promises alone, against mutants that each of the two judges has to find, and one that nobody can. */
import { expect, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import type { Protocol } from '../../machines/protocol.js';
import { mutantsOf, nameOf } from './mutants.js';
import { promiseJudges } from './promises.js';

const judges = promiseJudges(directory, { states: 2000, runs: 60 });
const mutants = new Map(mutantsOf(directory).map((mutant) => [nameOf(mutant), mutant]));

function killedBy(name: string): string | undefined {
  const mutant = mutants.get(name)!;
  const mutated: Protocol = { ...directory, charts: { ...directory.charts, [mutant.chart]: mutant.machine } };
  return judges.find((judge) => judge.kills(mutated, mutant))?.name;
}

test('the protocol itself is killed by nobody', () => {
  const [mutant] = mutants.values();
  expect(judges.filter((judge) => judge.kills(directory, mutant!))).toEqual([]);
});

test.each([
  ['drop action waiting.followed: find #2, action 1', 'checker'],
  ['drop transition idle: request', 'swarm'],
  ['drop action waiting.last: token, action 3', 'checker'],
  ['drop action holding.using.last: release, action 2', 'swarm'],
  ['swap actions waiting.last: token, actions 1 and 2', undefined],
])('%s: %s', (name, judge) => expect(killedBy(name)).toBe(judge));
