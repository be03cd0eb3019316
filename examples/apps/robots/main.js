/**
 * A fleet at work, and the same fleet with a failed radio: robots that do not look before they move, and robots that do. Each run is saved
 * as a scenario, which the inspector and the command line can repeat.
 */
import { writeFileSync } from 'node:fs';
import { run } from './fleet.js';

const fleet = { robots: 8, size: 7, ticks: 2_000, seed: 1 };
const runs = {
  whole: { ...fleet, isCareful: false },
  careless: { ...fleet, isCareful: false, deaf: 'r0', failsAt: 200 },
  careful: { ...fleet, isCareful: true, deaf: 'r0', failsAt: 200 },
};

for (const [name, options] of Object.entries(runs)) {
  const { moves, waits, trips, collisions, picture, scenario } = run(options);
  writeFileSync(`${name}.json`, `${JSON.stringify(scenario, null, 1)}\n`);
  console.log(`${name}: ${moves} moves, ${waits} waits, ${trips} trips, ${collisions.length} collisions`);
  if (collisions[0]) console.log(`${collisions[0]}\n${picture}`);
}
