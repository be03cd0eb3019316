/**
 * Each known defect, its cure taken back in a copy, is found by the plain swarm: nothing in a scenario knows of it.
 * The build must be there. What was found when, and how long it took, is printed as the table of docs/rehearsal.md.
 */
import { expect, test } from 'vitest';
import { locksUnder } from '../../testing/rehearsal/locks.js';
import { rehearse } from './rehearse.js';
import { DEFECTS, without } from './taken-back.fixture.js';

const SECONDS_MAX = 600;

test.each(DEFECTS)('$name', async ({ name, cuts, judge, under = locksUnder, options: more = {}, knobs: own = {} }) => {
  const { options, main } = under(await without({ name, cuts }));
  const knobs = { ...options.knobs, ...own };
  const begun = process.cpuUsage();
  const used = () => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1e6;
  };
  let seed = 1;
  for (let found = false; !found && used() < SECONDS_MAX;) {
    const { failure, runs } = await rehearse({ ...options, ...more, knobs, seed, runs: 20, shrinkSeconds: 0 }, main);
    found = failure !== null && judge.includes(failure.judge);
    if (failure && found)
      console.log(`| ${name} | ${failure.seed} | ${used().toFixed(0)} s | ${failure.judge}: ${failure.description} |`);
    expect(failure === null || found, `seed ${failure?.seed}: ${failure?.judge}: ${failure?.description}`).toBe(true);
    seed += runs;
  }
  expect(used()).toBeLessThan(SECONDS_MAX);
});
