/** Many random runs of 5 to 8 nodes: every property after every event; and links lost one by one, each in a network at rest. */
import { describe, expect, test } from 'vitest';
import { turmoil } from './searches.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { Random } from '../../../network/random.js';
import { protocols } from '../../../machines/index.js';

const run = (json: unknown) => new Simulation(parseScenario(json, protocols), { host: 'snapshots' }).run();

describe.each([
  ['perfect', { clock: 'perfect' }],
  ['perfect, no hello', { clock: 'perfect', hello: false }],
  ['logical', { clock: 'logical' }],
  ['logical, no hello', { clock: 'logical', hello: false }],
  ['two levels', { radii: [1, 3] }],
])('%s', (_, options) => {
  test('2,000 runs of 12 changes', () => {
    for (let seed = 1; seed <= 2000; seed++) {
      const { verdict, summary } = run(turmoil({ seed, nodes: 5 + (seed % 4), changes: 12, options }));
      expect([seed, verdict, summary['oriented']]).toEqual([seed, 'valid', true]);
    }
  });
});

test.each(['perfect', 'logical'])('S and D5: all links lost one by one, %s clocks: no needless election', (clock) => {
  let losses = 0;
  for (let seed = 1; seed <= 700; seed++) {
    const json = turmoil({ seed, nodes: 8, changes: 0, options: { clock, radii: [1, 2] } });
    const links = new Random(seed, 'losses').shuffle(json.topology.links);
    losses += links.length;
    const events = links.map((link, i) => ({ at: 1000 * i + 1, do: 'cut', link }));
    const { verdict } = run({ ...json, events });
    expect([seed, verdict]).toEqual([seed, 'valid']);
  }
  console.log(`${losses} losses`);
});
