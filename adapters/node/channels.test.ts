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

test('the names in which a peer greets and nobody here takes part: a few, while it is up and until it leaves them', async () => {
  const { channels, medium } = await on(inProcessGuarantees);
  const say = (name: string, type: string) => medium.received('b', { v: 1, name, message: { type } });
  medium.up('b');
  for (let i = 0; i < 10; i++) say(`x${i}`, 'node.hello');
  expect(channels.elsewhereOf('b')).toEqual(['x0', 'x1', 'x2', 'x3']);
  say('x1', 'node.bye');
  channels.open('x2', { message: () => {} });
  expect(channels.elsewhereOf('b')).toEqual(['x0', 'x3']);
  medium.down('b');
  expect(channels.elsewhereOf('b')).toEqual([]);
});
