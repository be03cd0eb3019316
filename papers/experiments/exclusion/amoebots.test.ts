/** Hexagon formation by amoebots that act at the same time; lines of ten: amoebots.deep.ts. */
import { describe, expect, test } from 'vitest';
import type { NodeId } from '../../../machines/effects.js';
import { Hexagon, type Action } from './amoebot/hexagon.js';
import { followsEngine, formsHexagon, hexagonOf, line } from './amoebots.fixtures.js';
import { actTogether, isSerializable } from './amoebots.js';

test.each([{ n: 7, requests: 400, seed: 1 }])(
  'a line of $n amoebots becomes the hexagon of a sequential run (seed $seed)',
  formsHexagon,
);

test('links follow the matter; reversed, the actions are not a run of the algorithm', () => {
  const { algorithm, life, links } = actTogether(() => hexagonOf(7), { requests: 400, seed: 3 });
  const linked = (u: string) => [...links.neighbors(u)].sort();
  expect(algorithm.amoebots.map(linked)).toEqual(algorithm.amoebots.map((u) => algorithm.matter.neighbors(u).sort()));
  expect(isSerializable(hexagonOf(7), life.deeds, algorithm.matter)).toBe(true);
  expect(isSerializable(hexagonOf(7), life.deeds.toReversed(), algorithm.matter)).toBe(false);
});

test.each([{ n: 5, requests: 300, seed: 1 }])(
  '$n carriages follow their engine along a way with turns (seed $seed)',
  followsEngine,
);

describe('an algorithm that breaks a convention', () => {
  const run = (create: () => Hexagon) => actTogether<Action, Hexagon>(create, { requests: 120, seed: 1 }).conventions;

  test('an action depends on all amoebots, wherever they are', () => {
    class Watching extends Hexagon {
      override enabled(amoebot: NodeId, neighbors: readonly NodeId[]): Action | null {
        const action = super.enabled(amoebot, neighbors);
        return action && Object.assign({ seen: this.matter.shape.join() }, action);
      }
    }
    expect(run(() => new Watching(line(7)))).toMatchObject({ isLocal: false });
  });

  test('an expansion also contracts an amoebot that is far away', () => {
    class Pushing extends Hexagon {
      override perform(amoebot: NodeId, action: Action) {
        const change = super.perform(amoebot, action);
        const far = this.amoebots.find((one) => this.matter.isExpanded(one) && !this.matter.neighbors(amoebot).includes(one));
        if (!change || far === undefined || far === amoebot) return change;
        const also = this.matter.contract(far);
        return { cut: [...change.cut, ...also.cut], joined: [...change.joined, ...also.joined] };
      }
    }
    expect(run(() => new Pushing(line(7)))).toMatchObject({ isConfined: false });
  });

  test('an action depends on something other than the amoebots', () => {
    let created = 0;
    class Counting extends Hexagon {
      private readonly number = created++;
      override enabled(amoebot: NodeId, neighbors: readonly NodeId[]): Action | null {
        const action = super.enabled(amoebot, neighbors);
        return action && Object.assign({ by: this.number }, action);
      }
    }
    expect(run(() => new Counting(line(7)))).toEqual({ isLocal: true, isConfined: true, isSerializable: false });
  });
});
