/** Peers start at different times, so their first epochs differ. They must still agree, and not overrule each other forever. */
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { expect, test } from 'vitest';
import { InProcessBus } from '../transports/in-process.js';
import { createLocks } from './locks.js';

const started = asyncScheduler.now();
const ahead = (ms: number): SchedulerLike => ({
  now: () => started + ms,
  schedule: asyncScheduler.schedule.bind(asyncScheduler),
});

const STEPS_MAX = 2000;

/** Returns the number of steps until all three peers serve. A bus without a delay would continue forever within one turn of the loop. */
async function stepsToServe(offsets: readonly number[]): Promise<number> {
  const bus = new InProcessBus();
  const peers = offsets.map((_, i) => `n${i}`);
  const all = offsets.map((ms, i) => createLocks({ transport: bus.transport(peers[i]!), peers, clock: ahead(ms) }));
  let steps = 0;
  for (const { node } of all) {
    node.steps$.subscribe(() => {
      if (++steps === STEPS_MAX) bus.close();
    });
  }
  await Promise.allSettled(all.map(({ ready }) => ready));
  bus.close();
  return steps;
}

const three = [0, 1, 2].flatMap((a) => [0, 1, 2].flatMap((b) => [0, 1, 2].map((c) => [a, b, c])));

test.each([...three, [0, 3, 1, 2], [3, 2, 1, 0], [0, 0, 1, 0, 1], [4, 0, 3, 1, 2]].map((offsets) => [offsets]))(
  'clocks %j milliseconds ahead',
  async (offsets) => {
    expect(await stepsToServe(offsets)).toBeLessThan(STEPS_MAX);
  },
);
