/** The directory's properties give the same results by totals as by the whole configuration. */
import { describe, expect, test } from 'vitest';
import { explore, type ExploreOptions } from '../../test/explore/explore.js';
import { everyStart } from '../../test/explore/directory.fixtures.js';
import { Monitor, type Violation } from '../../network/monitor.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { directory } from './index.js';
import { compareDirectories, plain } from './totals.fixtures.js';

describe('totals', () => {
  test('match the properties, in 6,400 damaged configurations', () => {
    const { comparisons, verdicts } = compareDirectories(800, 1);
    expect(comparisons).toBe(6400);
    expect(verdicts.size).toBe(8);
    for (const [, [held, refuted]] of verdicts) expect(Math.min(held, refuted)).toBeGreaterThan(100);
  });

  test.each([everyStart(3, 1), everyStart(3, 0)])('find in a search what the properties find', (start: ExploreOptions) => {
    const { seconds: _, ...summed } = explore(directory, start);
    const { seconds: __, ...whole } = explore(directory, {
      ...start,
      properties: start.properties!.map((property) => plain(property)),
    });
    expect(summed).toEqual(whole);
  });

  test.each([
    ['a quiet run', 0],
    ['a run that loses messages', 0.05],
  ])('%s is judged as without them', (_, loss) => {
    const scenario = {
      protocol: 'directory',
      topology: { kind: 'ring', n: 12 },
      options: { policy: 'bridge' },
      network: { loss },
      workload: { concurrent: 6, requests: 60 },
      until: { at: 400 },
    };
    const simulation = new Simulation(parseScenario(scenario, { directory }));
    const { network, instance } = simulation;
    const whole = new Monitor(
      directory.properties(instance).map((property) => plain(property)),
      network.configuration,
    );
    const [bySums, byWhole]: Violation[][] = [[], []];
    simulation.monitor.violations$.subscribe((violation) => void bySums!.push(violation));
    whole.violations$.subscribe((violation) => void byWhole!.push(violation));
    network.steps$.subscribe((step) => whole.record(step));
    simulation.start();
    while (simulation.advance());
    expect(bySums).toEqual(byWhole);
    expect(bySums!.length > 0).toBe(loss > 0);
  });
});
