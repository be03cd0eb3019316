/** Hexagon formation by amoebots that act at the same time; lines of ten: amoebots.deep.ts. */
import { expect, test } from 'vitest';
import { formsHexagon, inOrder, together } from './amoebots.fixtures.js';

test.each([{ n: 7, requests: 400, seed: 1 }])(
  'a line of $n amoebots becomes a hexagon, as one after the other would have made it (seed $seed)',
  formsHexagon,
);

test('the links of the simulation have followed the matter, and backwards the deeds are no run of the algorithm', () => {
  const { hexagon, life, links } = together(7, 400, 3);
  const linked = (u: string) => [...links.neighbours(u)].sort();
  expect(hexagon.amoebots.map(linked)).toEqual(hexagon.amoebots.map((u) => hexagon.matter.neighbours(u).sort()));
  expect(() => inOrder(7, { ...life, deeds: life.deeds.toReversed() })).toThrow('to deeply equal');
});
