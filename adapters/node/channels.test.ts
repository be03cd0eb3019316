/** Conversations on a medium that trusts the claimed sender: the number of names is unlimited. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTransport, type DriverListener } from '../transports/driver.js';
import { InProcessBus } from '../transports/in-process.js';
import type { Guarantees, Json } from '../transports/transport.js';
import { Channels } from './channels.js';
import { inProcessGuarantees } from '../transports/guarantees.js';

const quiet = () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
};

/** Number of entries that the channels keep for their lifetime, over all tables. */
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

test('30,000 invented names leave nothing behind', async () => {
  quiet();
  const { channels, medium } = await on({ ...inProcessGuarantees, loss: 'possible', presence: 'none', identity: 'claimed' });
  const message: Json = { v: 1, name: 'link/1', message: { type: 'frame' } };
  for (let i = 0; i < 30_000; i++) medium.received(`x${i}`, message);
  expect(kept(channels)).toBe(0);
});

test('at most 10,000 peers that come and go at a hub are remembered', async () => {
  const { channels, medium } = await on(inProcessGuarantees);
  for (let i = 0; i < 30_000; i++) {
    medium.up(`x${i}`);
    medium.down(`x${i}`);
  }
  expect(kept(channels)).toBe(10_000);
});

test('on reliable ordered channels both ends count alike', async () => {
  const bus = new InProcessBus();
  const [a, b] = [bus.transport('a'), bus.transport('b')];
  await Promise.all([a.connect(), b.connect()]);
  const numbers: number[] = [];
  Channels.of(b).open('x', { message: (_, __, number) => numbers.push(number) });
  for (const sent of [1, 2, 3]) expect(Channels.of(a).send('x', 'b', { type: 'find' })).toBe(sent);
  await expect.poll(() => numbers).toEqual([1, 2, 3]);
  bus.close();
});

test('few names of conversations without a local node are kept, while the peer is up', async () => {
  const { channels, medium } = await on(inProcessGuarantees);
  const sendText = (name: string, type: string) => medium.received('b', { v: 1, name, message: { type } });
  medium.up('b');
  for (let i = 0; i < 10; i++) sendText(`x${i}`, 'node.hello');
  expect(channels.unansweredGreetingsOf('b')).toEqual(['x0', 'x1', 'x2', 'x3']);
  sendText('x1', 'node.bye');
  channels.open('x2', { message: () => {} });
  expect(channels.unansweredGreetingsOf('b')).toEqual(['x0', 'x3']);
  medium.down('b');
  expect(channels.unansweredGreetingsOf('b')).toEqual([]);
});

describe('a conversation', () => {
  const notified = () => vi.mocked(console.warn).mock.calls.map(([text]) => text as string);

  test('has a name of 1 to 512 characters, unique on a transport shared by all', () => {
    const transport = new InProcessBus().transport('a');
    const channels = Channels.of(transport);
    expect(Channels.of(transport)).toBe(channels);
    const listener = { message: () => {} };
    expect(() => channels.open('', listener)).toThrow('The name "" has 0 characters. Use 1 to 512');
    expect(() => channels.open('x'.repeat(513), listener)).toThrow(
      'has 513 characters. Use 1 to 512, with suffixes such as "/locks"',
    );
    channels.open('x'.repeat(512), listener);
    channels.open('y', listener);
    expect(() => channels.open('y', listener)).toThrow(
      '"y" is already open on the transport of "a". Close it first, or use another name.',
    );
    channels.close('y');
    channels.open('y', listener);
  });

  test('receives messages, presence and the reason of the close, as far as it subscribes', async () => {
    const { channels, medium } = await on(inProcessGuarantees);
    const arrived: unknown[] = [];
    channels.open('x', {
      message: (from, { type }, number) => arrived.push([from, type, number]),
      peer: (type, peer) => arrived.push([type, peer]),
      closed: (error) => arrived.push(error?.message),
    });
    const others: unknown[] = [];
    channels.open('y', { message: (_, { type }) => others.push(type) });
    medium.up('b');
    for (const name of ['x', 'y', 'x']) medium.received('b', { v: 1, name, message: { type: `to ${name}` } });
    medium.down('b');
    medium.broke(new Error('the cable is cut'));
    expect(arrived).toEqual([['up', 'b'], ['b', 'to x', 1], ['b', 'to x', 2], ['down', 'b'], 'the cable is cut']);
    expect(others).toEqual(['to y']);
  });

  test('restarts counting on each connection, and loses messages to departed peers', async () => {
    const { channels, medium } = await on(inProcessGuarantees);
    const sendText = () => medium.received('b', { v: 1, name: 'x', message: { type: 'word' } });
    channels.open('x', { message: () => {} });
    const counts = () => [channels.receivedFrom('b', 'x'), channels.sentTo('b', 'x')];
    expect(counts()).toEqual([0, 0]);
    expect(channels.send('x', 'b', { type: 'early' })).toBe(1);
    medium.up('b');
    sendText();
    sendText();
    expect(channels.send('x', 'b', { type: 'word' })).toBe(2);
    expect(counts()).toEqual([2, 2]);
    expect([channels.receivedFrom('b', 'y'), channels.sentTo('c', 'x')]).toEqual([0, 0]);
    medium.down('b');
    expect(channels.send('x', 'b', { type: 'lost' })).toBe(0);
    expect(counts()).toEqual([0, 0]);
    medium.up('b');
    sendText();
    expect(channels.send('x', 'b', { type: 'word' })).toBe(1);
    expect(counts()).toEqual([1, 1]);
  });

  test.each([
    ['order', { order: 'unordered' }],
    ['loss', { loss: 'possible' }],
    ['duplication', { duplication: 'possible' }],
  ] as const)('is not counted on a medium without promises of %s', async (_, weaker) => {
    const { channels, medium } = await on({ ...inProcessGuarantees, ...weaker });
    const numbers: number[] = [];
    channels.open('x', { message: (__, ___, number) => numbers.push(number) });
    medium.up('b');
    medium.received('b', { v: 1, name: 'x', message: { type: 'word' } });
    medium.received('b', { v: 1, name: 'y', message: { type: 'node.hello' } });
    expect([numbers, channels.receivedFrom('b', 'x'), channels.unansweredGreetingsOf('b')]).toEqual([[0], 0, []]);
    expect(channels.isCounted).toBe(false);
  });

  test('of an unknown name is dropped with a warning that explains it, or as late', async () => {
    quiet();
    const { channels, medium } = await on(inProcessGuarantees);
    const sendText = (name: string) => medium.received('b', { v: 1, name, message: { type: 'word' } });
    channels.open('late', { message: () => {} });
    channels.close('late');
    medium.up('b');
    sendText('late');
    expect(channels.drops.count).toBe(0);
    sendText('x'.repeat(100));
    expect(notified()).toEqual([`peer "a" dropped a message: no local node belongs to "${'x'.repeat(80)}", named by "b"`]);
    const asked: string[] = [];
    channels.explain((name, from) => (asked.push(`first: ${name} of ${from}`), null));
    channels.explain((name) => (asked.push(`second: ${name}`), 'it has ended'));
    channels.explain(() => (asked.push('third'), null));
    sendText('y');
    expect(asked).toEqual(['first: y of b', 'second: y']);
    expect(channels.drops.count).toBe(2);
    channels.leave('z/');
    sendText('z/kept');
    expect(channels.drops.count).toBe(2);
    sendText('z');
    expect(channels.drops.count).toBe(3);
  });

  test('shares the transport with the application by default; malformed ones are dropped', async () => {
    quiet();
    const { channels, medium } = await on(inProcessGuarantees);
    medium.up('b');
    medium.received('b', 'my own words');
    medium.received('b', { mine: true });
    expect(channels.drops.count).toBe(0);
    medium.received('b', { v: 1, name: 'x', message: {} });
    expect(notified()).toEqual(['peer "a" dropped a message: its message has no type, from "b"']);
    channels.reserve();
    medium.received('b', 'my own words');
    expect(channels.drops.count).toBe(2);
  });
});
