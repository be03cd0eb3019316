/**
 * A million locks of different names in turn: the rate is steady, what peers keep is bounded, and whoever holds a lock keeps it.
 * `COUNT=100000 npx vitest run -c vitest.deep.config.ts adapters/locks/forgetting.deep.ts` takes a tenth of them.
 */
import { expect, test } from 'vitest';
import { BOUNDS } from '../../machines/locks/epoch.js';
import { keptAt, manyNames } from './forgetting.fixture.js';
import { peers } from './peers.fixture.js';

const COUNT = Number(process.env['COUNT'] ?? 1_000_000);

test(
  `${COUNT} names: the last tenth takes what the first took, and the tables are no longer`,
  async () => {
    const [all] = await peers('a', 'b', 'c');
    const everybody = Object.values(all);
    const held = await Promise.all(everybody.map((locks) => locks.acquire(`kept by ${locks.node.id}`)));
    const cpu: number[] = [];
    const kept: number[] = [];
    let since = process.cpuUsage();
    await manyNames(everybody, COUNT, () => {
      const { user, system } = process.cpuUsage(since);
      cpu.push(user + system);
      kept.push(Math.max(...everybody.map(keptAt)));
      since = process.cpuUsage();
    });
    console.log(
      `processor time of the tenths, of the first: ${cpu.map((time) => (time / cpu[0]!).toFixed(2)).join(' ')}; kept: ${kept.join(' ')}`,
    );
    expect(cpu.at(-1)! / cpu[0]!).toBeLessThan(2);
    // For each lock two roles and an entry or two, in half of the room.
    expect(Math.max(...kept)).toBeLessThan(3 * BOUNDS.locks);
    expect(held.map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
  },
  3 * 3_600_000,
);
