/** Depth-first search finds the same as breadth-first search in another order; with bounds, both return `unknown`. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { directory, directoryMachine } from '../../machines/directory/index.js';
import { everyStart } from './directory.fixtures.js';
import { explore } from './explore.js';
import { completeGraph } from './fixtures.js';
import { mutant } from './mutants.fixture.js';
import { anyTable, chartOf } from './random-charts.fixture.js';
import { replay } from './replay.fixture.js';
import { toy } from './toys.fixtures.js';

test('the same states, transitions and answers, including liveness', () => {
  const { depth: _, ...breadth } = explore(directory, everyStart(3, 1));
  const { depth, ...found } = explore(directory, { ...everyStart(3, 1), search: 'depth' });
  expect(found).toEqual({ ...breadth, interpreterCalls: found.interpreterCalls, bytesPerState: found.bytesPerState });
  expect(depth).toBeGreaterThan(breadth.states / 20);
});

test('random charts: the same verdict, and a schedule to the violation', () => {
  fc.assert(
    fc.property(anyTable, fc.nat(2), (table, bad) => {
      const protocol = toy({ chart: chartOf(table), commands: ['go'] });
      const go = (node: string) => ({ do: 'command', name: 'go', node, fields: {} }) as const;
      const property = {
        name: 'never',
        description: '',
        kind: 'always' as const,
        holds: (c: any) => c.nodes.get('n1').toy.value !== `s${bad}`,
      };
      const question = { topology: completeGraph(2), commands: [go('n0')], properties: [property], bounds: { states: 500 } };
      const breadth = explore(protocol, question);
      const found = explore(protocol, { ...question, search: 'depth' });
      if (breadth.stopped !== undefined || found.stopped !== undefined) return;
      expect(found.verdict).toBe(breadth.verdict);
      if (!found.counterexample) return;
      expect(found.counterexample.choices.length).toBeGreaterThanOrEqual(breadth.counterexample!.choices.length);
      expect(property.holds(replay(protocol, completeGraph(2), found.counterexample, question.commands).end)).toBe(false);
    }),
    { numRuns: 40 },
  );
});

test('a liveness violation is also found depth-first', () => {
  const chart = mutant(directoryMachine, ({ holding }) => holding.states.using.states.followed.on.release.actions.splice(1, 1));
  const broken = { ...directory, charts: { directory: chart } };
  const question = { topology: completeGraph(3), options: { policy: 'ivy', hold: 1 }, commands: { unlimited: ['request'] } };
  const properties = directory.properties({ options: { policy: 'ivy' } } as any).filter(({ kind }) => kind === 'eventually');
  const found = explore(broken, { ...question, properties, search: 'depth' });
  expect(found).toMatchObject({ verdict: 'invalid', counterexample: { property: 'every request is served' } });
});

describe('bounds', () => {
  test.each(['breadth', 'depth'] as const)('%s-first: no state deeper than the bound is expanded', (search) => {
    const found = explore(directory, { ...everyStart(3, 1), search, bounds: { depth: 4 } });
    expect(found).toMatchObject({ verdict: 'unknown', stopped: 'states deeper than 4 transitions', depth: 4 });
  });
});
