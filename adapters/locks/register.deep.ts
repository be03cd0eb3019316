/** Registers of peers that crash during changes: 40 runs of 12 crashes each. Acknowledged changes are present once. */
import { expect, test } from 'vitest';
import { asyncScheduler } from 'rxjs';
import { Random } from '../../network/random.js';
import { InProcessBus } from '../transports/in-process.js';
import { createLocks } from './locks.js';
import { Register } from './register.js';
import type { Linked, Transport } from '../transports/transport.js';

const IDS = ['a', 'b', 'c'];
const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Runs until 12 peers have crashed, and returns the acknowledged changes. */
async function run(seed: number): Promise<number[]> {
  const random = new Random(seed, 'crashes');
  const bus = new InProcessBus();
  const transports: Record<string, Transport<Linked>> = {};
  const registers: Record<string, Register<number>> = {};
  let lives = 0;
  const start = (id: string) => {
    // A second passes between two runs of a peer.
    const later = 1000 * lives++;
    const clock = { now: () => Date.now() + later, schedule: asyncScheduler.schedule.bind(asyncScheduler) };
    const transport = (transports[id] = bus.transport(id));
    registers[id] = new Register(createLocks({ transport, peers: IDS, clock }), 'count', 0, isNumber);
  };
  IDS.forEach(start);
  const acknowledged: number[] = [];
  const change = async (id: string) => void acknowledged.push(await registers[id]!.change((n) => n + 1));
  await change('a');
  for (let round = 0; round < 12; round++) {
    const settled = Promise.allSettled(Array.from({ length: 2 + random.below(5) }, () => change(random.pick(IDS))));
    await new Promise((resolve) => setTimeout(resolve, random.below(6)));
    const gone = random.pick(IDS);
    await transports[gone]!.close();
    for (const outcome of await settled)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ name: 'ClosedError' });
    await change(IDS.find((id) => id !== gone)!);
    start(gone);
    await change(gone);
  }
  bus.close();
  return acknowledged;
}

test.each(Array.from({ length: 40 }, (_, seed) => seed))('seed %i', async (seed) => {
  const acknowledged = await run(seed);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  expect(acknowledged.length).toBeGreaterThan(24);
});
