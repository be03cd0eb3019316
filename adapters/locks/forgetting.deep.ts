/**
 * A million locks with different names in turn: the rate is steady, the state of peers is bounded, and holders keep their locks.
 * `COUNT=100000 npx vitest run -c vitest.deep.config.ts adapters/locks/forgetting.deep.ts` takes a tenth of them.
 */
import { expect, test } from 'vitest';
import { heapUsed } from '../../testing/memory.js';
import { BOUNDS } from '../../machines/locks/epoch.js';
import { keptAt, manyNames } from './forgetting.fixture.js';
import { peers } from './peers.fixture.js';

const COUNT = Number(process.env['COUNT'] ?? 1_000_000);

/** An epoch has room for about fifteen thousand names, so a look at every five thousand sees it when it is nearly full. */
const SAMPLES = Math.max(10, COUNT / 5_000);

interface Tenth {
  readonly seconds: number;
  readonly processor: number;
  /** The largest observed state: bytes, and roles and entries at a peer. */
  readonly heap: number;
  readonly kept: number;
}

test(
  `${COUNT} names: the last tenth is as fast as the first, and no table has grown`,
  async () => {
    const [all] = await peers('a', 'b', 'c');
    const allLocks = Object.values(all);
    const held = await Promise.all(allLocks.map((locks) => locks.acquire(`kept by ${locks.node.id}`)));
    const epoch = () => allLocks[0]!.status().epoch;
    const first = epoch();
    const tenths: Tenth[] = [];
    const samples: Tenth[] = [];
    let [since, cpu] = [performance.now(), process.cpuUsage()];
    await manyNames(allLocks, COUNT, SAMPLES, () => {
      const { user, system } = process.cpuUsage(cpu);
      const [seconds, processor] = [(performance.now() - since) / 1_000, (user + system) / 1e6];
      samples.push({ seconds, processor, heap: heapUsed(), kept: Math.max(...allLocks.map(keptAt)) });
      if (samples.length % (SAMPLES / 10) === 0) tenths.push(summarize(samples.splice(0), tenths[0]));
      [since, cpu] = [performance.now(), process.cpuUsage()];
    });
    console.log(`${epoch() - first} epochs`);
    expect(tenths.at(-1)!.processor / tenths[0]!.processor).toBeLessThan(2);
    const [early, late] = [tenths.slice(0, 5), tenths.slice(5)].map((half) => Math.max(...half.map(({ heap }) => heap)));
    expect(late! / early!).toBeLessThan(1.25);
    // For each lock two roles and one or two entries, in half of the room.
    expect(Math.max(...tenths.map(({ kept }) => kept))).toBeLessThan(3 * BOUNDS.locks);
    expect(held.map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
  },
  3 * 3_600_000,
);

function summarize(samples: readonly Tenth[], first?: Tenth): Tenth {
  const sum = (key: keyof Tenth) => samples.reduce((all, look) => all + look[key], 0);
  const most = (key: keyof Tenth) => Math.max(...samples.map((look) => look[key]));
  const tenth = { seconds: sum('seconds'), processor: sum('processor'), heap: most('heap'), kept: most('kept') };
  const { seconds, processor } = first ?? tenth;
  const ratios = [seconds / tenth.seconds, processor / tenth.processor].map((ratio) => ratio.toFixed(2));
  console.log(
    `rate ${ratios[0]}, a second of processor time ${ratios[1]} of the first tenth; heap ${(tenth.heap / 1e6).toFixed(1)} MB, kept ${tenth.kept}`,
  );
  return tenth;
}
