/** Conversations on a medium that believes who says to be somebody: there is no end of names. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTransport, type DriverListener } from '../transports/driver.js';
import { InProcessBus, inProcessGuarantees } from '../transports/in-process.js';
import type { Guarantees, Json } from '../transports/transport.js';
import { Channels } from './channels.js';

const quiet = () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
};

/** What the channels keep for as long as they live, counted over all their tables. */
const kept = (channels: Channels): number =>
  Object.values(channels).reduce<number>(
    (sum, table) => sum + (table instanceof Map || table instanceof Set ? table.size : 0),
    0,
  );

async function on(guarantees: Guarantees) {
  let medium!: DriverListener;
  const transport = createTransport('a', guarantees, (given) => {
    medium = given;
    given.opened({ send: () => {}, close: () => {} });
  });
  const channels = Channels.of(transport);
  await transport.connect();
  return { channels, medium };
}

test('30,000 names that were made up leave nothing behind', async () => {
  quiet();
  const { channels, medium } = await on({ ...inProcessGuarantees, loss: 'possible', presence: 'none', identity: 'claimed' });
  const message: Json = { v: 1, name: 'link/3', message: { type: 'frame' } };
  for (let i = 0; i < 30_000; i++) medium.received(`x${i}`, message);
  expect(kept(channels)).toBe(0);
});

test('of peers that come and go at a hub no more than 10,000 are remembered', async () => {
  const { channels, medium } = await on(inProcessGuarantees);
  for (let i = 0; i < 30_000; i++) {
    medium.up(`x${i}`);
    medium.down(`x${i}`);
  }
  expect(kept(channels)).toBe(10_000);
});

test('where channels keep their order and lose nothing, both ends count alike', async () => {
  const bus = new InProcessBus();
  const [a, b] = [bus.transport('a'), bus.transport('b')];
  await Promise.all([a.connect(), b.connect()]);
  const numbers: number[] = [];
  Channels.of(b).open('x', { message: (_, __, number) => numbers.push(number) });
  for (const sent of [1, 2, 3]) expect(Channels.of(a).send('x', 'b', { type: 'find' })).toBe(sent);
  await expect.poll(() => numbers).toEqual([1, 2, 3]);
  bus.close();
});
