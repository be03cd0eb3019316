/** Theorem 4.4 on paths of three nodes, a pointer that breaks it, Lemma 6.4 on one tree, and the states of the figures. */
import { assign } from 'xstate';
import { expect, test } from 'vitest';
import { POINTER } from '../../../machines/queue/messages.js';
import { edgeAsCycle, isQuiescent, queueFigures, steps, treeAfter } from './figures.js';
import { isLegalState, legalStates, pointersAlone, reachedStates } from './legal.js';
import { untilObserved } from './run.js';

const path = { a: 'a', b: 'a', c: 'b' };

test('the legal states of a path of three are the 15 that requests lead to', () => {
  const { states, isLegal } = reachedStates(path);
  expect(legalStates(path).size).toBe(15);
  expect(states).toEqual(legalStates(path));
  expect(isLegal).toBe(true);
});

test('they are not if a pointer does not turn to the requester', () => {
  const stiff = pointersAlone.charts[POINTER]!.provide({ actions: { turnToSender: assign({}) } } as any);
  const { states, isLegal } = reachedStates(
    { a: 'a', b: 'a' },
    { ...pointersAlone, charts: { ...pointersAlone.charts, [POINTER]: stiff } },
  );
  expect(isLegal).toBe(false);
  expect(states).not.toEqual(legalStates({ a: 'a', b: 'a' }));
});

test('Lemma 6.4: P1 has held on every edge within R + tau, and not before the timer', () => {
  const { max } = untilObserved('binary', 7, 'longest', 2, 4);
  expect(max).toBeLessThanOrEqual(3);
  expect(max).toBeGreaterThan(1);
});

test("the figures match their captions; a request leads from L0 to L'", () => {
  const of = (choices: typeof steps.legal) => [isLegalState(treeAfter(choices)), isQuiescent(treeAfter(choices))];
  expect([of(steps.quiescent), of(steps.legal), of(steps.before), of(steps.after)]).toEqual([
    [true, true],
    [true, false],
    [true, true],
    [true, false],
  ]);
  expect(steps.after.slice(0, steps.before.length)).toEqual(steps.before);
  const [tree, , , illegal] = queueFigures().panels;
  expect(tree!.arrows).toHaveLength(6);
  expect(illegal!.arrows.filter(({ kind }) => kind !== 'link').length).toBeGreaterThan(7);
});

test('Figure 5: the finds on both sides of the observer and the pointers add up to phi', () => {
  const { sets, edge } = edgeAsCycle();
  const count = (set: string): number => sets.filter((each) => each === set).length;
  expect([count('Fal'), count('observer'), count('Fla')]).toEqual([1, 1, 3]);
  expect(count('Fal') + count('Fla') + edge.pa + edge.pb).toBe(edge.phi);
});
