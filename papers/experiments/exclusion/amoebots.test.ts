/** Hexagon formation by amoebots that act at the same time; lines of ten: amoebots.deep.ts. */
import { expect, test } from 'vitest';
import { Hexagon } from './amoebot/hexagon.js';
import { followsEngine, formsHexagon, inOrder, line, together } from './amoebots.fixtures.js';

test.each([{ n: 7, requests: 400, seed: 1 }])(
  'a line of $n amoebots becomes the hexagon of a sequential run (seed $seed)',
  formsHexagon,
);

test('links follow the matter; reversed, the actions are not a run of the algorithm', () => {
  const { hexagon, life, links } = together(7, 400, 3);
  const linked = (u: string) => [...links.neighbors(u)].sort();
  expect(hexagon.amoebots.map(linked)).toEqual(hexagon.amoebots.map((u) => hexagon.matter.neighbors(u).sort()));
  expect(() => inOrder(new Hexagon(line(7)), { ...life, deeds: life.deeds.toReversed() })).toThrow('to deeply equal');
});

test.each([{ n: 5, requests: 300, seed: 1 }])(
  '$n carriages follow their engine along a way with turns (seed $seed)',
  followsEngine,
);
