/**
 * The plain swarm finds each known defect in a copy of the build without its fix; no scenario is written for it. The build is required. The
 * results and times are printed as the table of docs/rehearsal.md.
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
