/**
 * Philosophers without names: a hungry one locks the whole table, eats, and releases it. Two neighbors never eat at the same time, and each
 * one eats eventually. In the middle one leaves; the others do not wait for her.
 *
 *
 *     npx tsx examples/philosophers.ts
 */
import { createNeighborhood } from 'xstate-quiver/neighborhood';
import { InProcessBus } from 'xstate-quiver/transports';

const NAMES = ['Hannah', 'Simone', 'Iris', 'Philippa'];
const MEALS_EACH = 3;

const bus = new InProcessBus();
let eating = 0;
let meals = 0;
const seen = { together: 0, neighbors: new Set<number>() };

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function dine(name: string): Promise<void> {
  const transport = bus.transport(name);
  const table = createNeighborhood({ transport, peers: NAMES });
  await table.ready;
  // Let earlier requests finish before the next philosopher comes.
  await pause(20);
  for (let meal = 0; meal < MEALS_EACH; meal++) {
    await using held = await table.lock();
    seen.together = Math.max(seen.together, ++eating);
    seen.neighbors.add(held.peers.length);
    await pause(2);
    meals++;
    eating--;
    if (name === 'Hannah') return transport.close();
  }
  // The others still need the answers of a philosopher that has finished.
  while (meals < 1 + (NAMES.length - 1) * MEALS_EACH) await pause(1);
  await transport.close();
}

await Promise.all(NAMES.map(dine));
bus.close();
console.log(`${meals} meals, at most ${seen.together} at a time, with ${[...seen.neighbors].sort().join(', ')} neighbors held`);
