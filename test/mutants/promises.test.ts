/** Judging only by promises: a mutant for each of the two judges, and one that neither can find. */
import { expect, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import type { Property } from '../../machines/protocol.js';
import { tabs } from '../../machines/tabs/index.js';
import { nameOf } from './chart-mutants.js';
import { mutantsOf } from './mutants.js';
import { promiseJudging, SAME, UNASKED } from './promises.fixtures.js';

const { judges, sameness } = promiseJudging(directory, { states: 2000, runs: 60 });
const mutants = new Map(mutantsOf(directory).map((mutant) => [nameOf(mutant), mutant]));

function killedBy(name: string): string | undefined {
  const mutant = mutants.get(name)!;
  const mutated: typeof directory = { ...directory, charts: { ...directory.charts, [mutant.chart]: mutant.machine } };
  return judges.find((judge) => judge.kills(mutated, mutant))?.name;
}

test('no judge kills the protocol itself', () => {
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

test('a protocol whose property throws an error is killed', () => {
  const [mutant] = mutants.values();
  const holds = (): boolean => {
    throw new TypeError('a state that the property does not know');
  };
  const throwing: Property = { name: 'throws', description: 'Throws an error.', kind: 'always', holds };
  const mutated: typeof directory = { ...directory, properties: (instance) => [...directory.properties(instance), throwing] };
  expect(judges.map((judge) => judge.kills(mutated, mutant!))).toEqual([true, true, false, false]);
});

test('an error of the judges kills no mutant', () => {
  const further = [{ topology: { kind: 'path', n: 2 } as const, events: [], states: 9, promises: 7 as never }];
  expect(() => promiseJudging(directory, { states: 9, runs: 0, further })).toThrow(TypeError);
});

test('a mutant equal in every step is the same chart; an unreachable one is different', () => {
  const edits = ['swap actions waiting.last: token, actions 1 and 2', 'drop transition idle: request'];
  expect(edits.map((name) => sameness(mutants.get(name)!))).toEqual([SAME, undefined]);
  const few = promiseJudging(tabs, { states: 200, runs: 3 });
  const last = mutantsOf(tabs).find((mutant) => nameOf(mutant) === 'drop transition gone: bye');
  expect(few.sameness(last!)).toBe(UNASKED);
});
