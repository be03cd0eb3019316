/** Hexagon formation by amoebots that act at the same time: longer lines, and another seed of the short one. */
import { test } from 'vitest';
import { formsHexagon } from './amoebots.fixtures.js';

test.each([
  { n: 7, requests: 400, seed: 2 },
  { n: 10, requests: 800, seed: 1 },
  { n: 10, requests: 800, seed: 2 },
])('a line of $n amoebots becomes the hexagon of a sequential run (seed $seed)', formsHexagon);
