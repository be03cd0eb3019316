import { expect, test } from 'vitest';
import { freePort } from './servers.js';

test('no port is given twice: whoever was given it may only be down for a while', async () => {
  const ports: number[] = [];
  // Of some ten thousand, so many have the same one among them if nobody keeps them apart.
  for (let i = 0; i < 600; i++) ports.push(await freePort());
  expect(new Set(ports).size).toBe(600);
});
