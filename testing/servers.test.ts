import { expect, test } from 'vitest';
import { freePort } from './servers.js';

test('no port is given twice, since its server may only be down for a while', async () => {
  const ports: number[] = [];
  // Among some ten thousand ports, that many calls return duplicates unless they are excluded.
  for (let i = 0; i < 600; i++) ports.push(await freePort());
  expect(new Set(ports).size).toBe(600);
});
