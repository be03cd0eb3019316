/** Liveness in random graphs, compared with a literal implementation of its definition. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { graphOf, maximalAmong, plansOf, type Plan } from './graphs.fixture.js';
import { Liveness, type PendingForever } from './liveness.js';
import { Planes } from './planes.js';
import { OPTIONAL } from './successors.js';

const SIZE = 6;
const states = Array.from({ length: SIZE }, (_, i) => i);
/** The action of each group of a state. */
const anyActions = fc.array(fc.array(fc.constantFrom(OPTIONAL, 0, 0, 1), { minLength: 3, maxLength: 3 }), {
  minLength: SIZE,
  maxLength: SIZE,
});
type Actions = readonly (readonly number[])[];
type Kind = 'eventually' | 'converges';

function found(plan: Plan, actions: Actions, pendingIn: readonly number[], kind: Kind): PendingForever | undefined {
  const pending = new Planes(1);
  states.forEach(() => pending.add());
  for (const state of pendingIn) pending.set(state, 0);
  const obligation = { property: { kind }, node: 0, plane: 0 };
  const watch = { pending, everywhere: Int32Array.of(kind === 'converges' ? 1 : 0), obligations: [obligation] };
  const graph = graphOf(plan, (state, group) => actions[state]![group]!);
  const forever = new Liveness(graph, Object(watch), true).pendingForever(Object(obligation));
  return forever && { ...forever, component: forever.component.toSorted((a, b) => a - b) };
}

function literally(plan: Plan, actions: Actions, pendingIn: readonly number[], kind: Kind): PendingForever | undefined {
  /** The actions that fairness requires of some groups. */
  const required = (state: number, isMeant: (group: readonly number[]) => boolean) =>
    plan[state]!.flatMap((group, i) => (isMeant(group) && actions[state]![i] !== OPTIONAL ? [actions[state]![i]!] : []));
  const rests = pendingIn.find((state) => required(state, () => true).length === 0);
  if (rests !== undefined) return { state: rests, component: [] };
  const isFair = (set: readonly number[]) =>
    [0, 1].every((action) => {
      const isEnabled = set.every((state) => required(state, () => true).includes(action));
      const isTaken = set.some((state) =>
        required(state, (group) => group.every((target) => set.includes(target))).includes(action),
      );
      return !isEnabled || isTaken;
    });
  const components = maximalAmong(kind === 'converges' ? states : pendingIn, plan).filter(isFair);
  const nearest = pendingIn.find((state) => components.some((set) => set.includes(state)));
  return nearest === undefined ? undefined : { state: nearest, component: components.find((set) => set.includes(nearest))! };
}

test.each<Kind>(['eventually', 'converges'])('%s: the nearest state in which an obligation stays pending forever', (kind) => {
  const seen = { component: 0, resting: 0, none: 0 };
  fc.assert(
    fc.property(plansOf(SIZE), anyActions, fc.subarray(states, { minLength: 1 }), (plan, actions, pendingIn) => {
      const forever = found(plan, actions, pendingIn, kind);
      expect(forever).toEqual(literally(plan, actions, pendingIn, kind));
      seen[!forever ? 'none' : forever.component.length > 0 ? 'component' : 'resting']++;
    }),
    { numRuns: 1500, seed: 7 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(50);
});
