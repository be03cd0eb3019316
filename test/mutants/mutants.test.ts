import { createMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import { reasons } from '../../machines/directory/reasons.fixtures.js';
import { toy } from '../explore/toys.fixtures.js';
import { graphsOf } from '../paths/graph.js';
import { light, lightChart } from '../paths/light.fixtures.js';
import { SEARCH_PATIENCE } from '../paths/suite.js';
import { nameOf } from './chart-mutants.js';
import { judgeMutants, mutantsOf, type Judge } from './mutants.js';

describe('mutants of a chart', () => {
  const mutants = mutantsOf(light());

  test('one for each small mistake', () => {
    expect(mutants.map(nameOf)).toEqual([
      'drop transition red: go',
      'retarget red: go, to red',
      'retarget red: go, to green',
      'retarget red: go, to stay',
      'negate guard red: go',
      'drop guard red: go',
      'drop transition red: go #2',
      'retarget red: go #2, to red',
      'retarget red: go #2, to broken',
      'retarget red: go #2, to stay',
      'drop action red: go #2, action 1',
      'drop action red: go #2, action 2',
      'swap actions red: go #2, actions 1 and 2',
      'reorder choices red: go #2, before #1',
      'drop transition green: stop',
      'retarget green: stop, to green',
      'retarget green: stop, to broken',
      'retarget green: stop, to stay',
      'drop transition broken: stop',
      'retarget broken: stop, to green',
      'retarget broken: stop, to broken',
      'retarget broken: stop, to stay',
      'negate guard broken: stop',
      'drop guard broken: stop',
    ]);
  });

  test.each([
    ['drop transition red: go', ['  red', '-   go [isFull] → broken']],
    ['retarget red: go, to green', ['  red', '-   go [isFull] → broken', '+   go [isFull] → #light.green']],
    ['negate guard red: go', ['  red', '-   go [isFull] → broken', '+   go [not isFull] → broken']],
    ['drop guard red: go', ['  red', '-   go [isFull] → broken', '+   go → broken']],
    ['drop action red: go #2, action 1', ['  red', '-   go → green / count, send()', '+   go → green / send()']],
    ['swap actions red: go #2, actions 1 and 2', ['  red', '-   go → green / count, send()', '+   go → green / send(), count']],
  ])('%s is shown as a diff', (name, diff) => {
    expect(mutants.find((mutant) => nameOf(mutant) === name)!.diff).toEqual(diff);
  });

  test('entry and exit actions are dropped, too', () => {
    const chart = createMachine({ initial: 'a', states: { a: { entry: 'ring', exit: ['ring', 'stop'] } } });
    expect(mutantsOf(light(chart)).map(nameOf)).toEqual([
      'drop action a entry, action 1',
      'drop action a exit, action 1',
      'drop action a exit, action 2',
    ]);
  });

  test('the chart itself is left as it was', () => {
    expect(mutantsOf(light()).map(nameOf)).toEqual(mutants.map(nameOf));
  });
});

describe('judging', () => {
  test('paths kill visible mutants; the rest survives, explained or not', () => {
    const reasons = { 'toy: retarget broken: stop, to green': 'its guard is never true' };
    const judged = [...judgeMutants(light(), graphsOf(light(), 100), { reasons })];
    const survivors = judged.filter(({ killedBy }) => killedBy === null).map((mutant) => [nameOf(mutant), mutant.reason]);
    expect(survivors).toEqual([
      ['swap actions red: go #2, actions 1 and 2', 'both orders do the same in every step that performs them (1)'],
      ['drop transition broken: stop', undefined],
      ['retarget broken: stop, to green', 'its guard is never true'],
      ['retarget broken: stop, to broken', undefined],
      ['retarget broken: stop, to stay', undefined],
    ]);
  });

  test('without samples the walks have to see them', () => {
    const blind = { ...toy({ chart: lightChart, commands: ['go', 'stop'] }), samples: { toy: [] } };
    const counted = [...judgeMutants(blind, [])].map(({ killedBy }) => killedBy);
    expect(counted).toContain('walks');
    expect(counted).not.toContain('paths');
  });

  test('judges are asked one after the other, and no more once one has killed', () => {
    const asked: string[] = [];
    const judge = (name: string, kills: boolean): Judge => ({
      name,
      kills: (_, mutant) => (asked.push(`${name} ${nameOf(mutant)}`), kills),
    });
    const judged = [
      ...judgeMutants(light(), graphsOf(light(), 100), {
        others: [judge('mild', false), judge('harsh', true), judge('late', true)],
      }),
    ];
    expect(judged.filter(({ killedBy }) => killedBy === 'harsh')).toHaveLength(5);
    expect(asked.filter((name) => name.startsWith('mild'))).toHaveLength(5);
    expect(asked.filter((name) => name.startsWith('late'))).toEqual([]);
  });
});

test('directory: every mutant is killed, except equivalent ones with a reason', () => {
  const survivors = [...judgeMutants(directory, graphsOf(directory, SEARCH_PATIENCE), { reasons })].filter(
    ({ killedBy }) => killedBy === null,
  );
  expect(survivors.filter(({ reason }) => reason === undefined).map(({ diff }) => diff)).toEqual([]);
  expect(new Set(survivors.map((mutant) => `directory: ${nameOf(mutant)}`))).toEqual(new Set(Object.keys(reasons)));
});
