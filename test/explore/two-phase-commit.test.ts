/**
 * Published results: the number of states of two-phase commit with three and five resource managers, and with symmetry for five.
 *
 * The published 665 (the two-phase commit example of Stateright) is the result of a depth-first search that sorts the managers only by
 * their own state. It does not order managers in equal states with different messages. Full symmetry reduces the number to 314, which can
 * be computed by hand: a state counts how many managers are in each situation. Both numbers are reproduced.
 */
import { describe, expect, test } from 'vitest';
import type { Property } from '../../machines/protocol.js';
import { explore } from './explore.js';
import { completeGraph } from './fixtures.js';
import { mutant } from './mutants.fixture.js';
import { replay } from './replay.fixture.js';
import { sortedByState } from './sorted-by-state.fixture.js';
import { among, consistent, manager, resource, twoPhaseCommit } from './two-phase-commit.fixture.js';

/** The number of ways to split `count` equal items into `kinds` groups. */
const multisets = (count: number, kinds: number): number =>
  kinds === 1 ? 1 : Array.from({ length: count + 1 }, (_, i) => multisets(i, kinds - 1)).reduce((sum, n) => sum + n, 0);

describe('two-phase commit', () => {
  test.each([
    [3, 288],
    [5, 8832],
  ])('with %i resource managers: %i states', (managers, states) => {
    expect(explore(twoPhaseCommit, among(managers))).toMatchObject({ verdict: 'valid', states });
  });

  test.each([3, 5])('with symmetry, %i resource managers: a state for each split into situations', (managers) => {
    // Undecided: working, prepared, received, aborted. Aborted: these, and aborted after preparing, received or not. Committed:
    // done or not.
    const states = multisets(managers, 4) + multisets(managers, 6) + multisets(managers, 2);
    const found = explore(twoPhaseCommit, { ...among(managers), reduce: 'symmetry' });
    expect(found).toMatchObject({ verdict: 'valid', states, symmetries: managers === 3 ? 6 : 120 });
    if (managers === 5) expect(states).toBe(314);
  });

  test('sorted only by state, depth-first, five resource managers: 665 states', () => {
    expect(sortedByState(5)).toBe(665);
  });

  test('a manager that does not wait for all violates the property, also in a simulation', () => {
    const hasty = {
      ...twoPhaseCommit,
      charts: { manager: mutant(manager, ({ open }) => delete open.on.decide.guard), resource },
    };
    const { counterexample } = explore(hasty, among(2));
    expect(counterexample!.choices).toEqual([
      { command: ['n0', 'decide'] },
      { duplicate: 0 },
      { deliver: 0 },
      { command: ['n2', 'giveUp'] },
    ]);
    expect(consistent.holds(replay(hasty, completeGraph(3), counterexample!).end)).toBe(false);
  });

  test('liveness is unknown if messages may be duplicated without limit', () => {
    const decided: Property = { name: 'decided', description: '', kind: 'eventually', when: () => true, holds: () => false };
    expect(explore(twoPhaseCommit, { ...among(2), properties: [decided] })).toMatchObject({
      verdict: 'unknown',
      doomed: null,
      properties: [{ holds: null }],
    });
  });
});
