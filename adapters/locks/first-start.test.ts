/**
 * The first start of a cluster without storage: with all peers, or with a majority if the application requests it; and the progress
 * reports.
 */
import { expect, onTestFinished, test, vi } from 'vitest';
import { UsageError } from '../../machines/errors.js';
import { VirtualClock } from '../../network/clock.js';
import { faster } from '../transports/clock.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { createLocks, type LocksOptions } from './locks.js';

const peers = ['a', 'b', 'c'];

function some(ids: readonly string[], options: Partial<LocksOptions> = {}) {
  const bus = new InProcessBus();
  const all = ids.map((id) => createLocks({ transport: bus.transport(id), peers, ...options }));
  onTestFinished(async () => {
    await Promise.all(all.map((locks) => locks.close()));
    bus.close();
  });
  return { all, bus };
}

test('two of three begin with bootstrap: majority, and the third joins them', async () => {
  const { all, bus } = some(['a', 'b'], { bootstrap: 'majority' });
  const fences = [await all[0]!.request('x', ({ fence }) => fence), await all[1]!.request('x', ({ fence }) => fence)];
  const third = createLocks({ transport: bus.transport('c'), peers, bootstrap: 'majority' });
  fences.push(await third.request('x', ({ fence }) => fence));
  await third.close();
  expect(fences).toEqual(fences.toSorted((p, q) => p - q));
});

test('without it they wait for the third, and report that', async () => {
  const [info, warn] = (['info', 'warn'] as const).map((level) => vi.spyOn(console, level).mockImplementation(() => {}));
  onTestFinished(() => [info!, warn!].forEach((spy) => spy.mockRestore()));
  const { all, bus } = some(['a'], { clock: faster(20) });
  const reports = () => info!.mock.calls.map(([text]) => text as string);
  await expect
    .poll(reports)
    .toEqual([
      `"locks" of peer "a": 1 of 3 peers connected; waiting for b, c. A new cluster without storage starts when all are connected. With bootstrap: 'majority' a majority suffices.`,
    ]);
  const second = createLocks({ transport: bus.transport('b'), peers });
  await expect.poll(() => reports().at(-1)).toContain('"a": 2 of 3 peers connected; waiting for c. ');
  const third = createLocks({ transport: bus.transport('c'), peers });
  await all[0]!.ready;
  const count = reports().length;
  await Promise.all([second.close(), third.close()]);
  expect(reports().length).toBe(count);
});

test('a voter reports its progress at most once in three seconds', async () => {
  const [info, warn] = (['info', 'warn'] as const).map((level) => vi.spyOn(console, level).mockImplementation(() => {}));
  onTestFinished(() => [info!, warn!].forEach((spy) => spy.mockRestore()));
  const clock = new VirtualClock();
  const bus = new InProcessBus();
  const many = Array.from({ length: 9 }, (_, i) => `p${i}`);
  const all = [createLocks({ transport: bus.transport('p0'), peers: many, clock })];
  onTestFinished(() => bus.close());
  await all[0]!.node.ready;
  clock.runUntil(clock.now() + 3_000);
  for (const id of many.slice(1, 8)) {
    all.push(createLocks({ transport: bus.transport(id), peers: many, clock: new VirtualClock() }));
    await vi.waitFor(() => expect(all[0]!.status().missing).not.toContain(id));
  }
  const reports = () => info!.mock.calls.map(([text]) => /(\d) of 9/.exec(text as string)![1]);
  clock.runUntil(clock.now() + 2_900);
  expect(reports()).toEqual(['1']);
  clock.runUntil(clock.now() + 100);
  expect(reports()).toEqual(['1', '8']);
  clock.runUntil(clock.now() + 30_000);
  expect(reports()).toEqual(['1', '8']);
});

test('bootstrap is refused for anything else, and for a client', () => {
  const transport = new InProcessBus().transport('a');
  expect(() => createLocks({ transport, peers, bootstrap: true as never })).toThrow(UsageError);
  expect(() => createLocks({ transport, peers: ['b'], client: true, bootstrap: 'majority' })).toThrow(
    'Pass nothing together with client: true',
  );
});
