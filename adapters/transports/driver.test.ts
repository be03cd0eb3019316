/** Rules for every driver: repeated, aborted and late calls. The media belong to the tests. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTransport, type DriverListener } from './driver.js';
import { inProcessGuarantees } from './guarantees.js';

/** A connected transport and its medium. */
async function connected() {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  warn.mockClear();
  const close = vi.fn();
  let medium!: DriverListener;
  const transport = createTransport('a', inProcessGuarantees, (given) => {
    medium = given;
    medium.opened({ send: () => {}, close });
  });
  await transport.connect();
  const events: unknown[] = [];
  /** Records events from now on. */
  const listen = () => (transport.events.subscribe((event) => events.push(event)), events);
  return { transport, medium, warn, close, listen };
}

test('without a subscriber, the error that ends a transport is printed', async () => {
  const unheard = await connected();
  unheard.medium.lost(new Error('the cable is cut'));
  expect(unheard.warn.mock.calls).toEqual([
    [expect.stringMatching(/^transport "a" has ended: the cable is cut. Subscribe to its events/)],
  ]);
  const arrived = await connected();
  const events: unknown[] = [];
  arrived.transport.events.subscribe((event) => events.push(event));
  arrived.medium.lost(new Error('the cable is cut'));
  expect(events).toEqual([{ type: 'closed', error: new Error('the cable is cut') }]);
  const closed = await connected();
  await closed.transport.close();
  expect(closed.warn).not.toHaveBeenCalled();
});

test('a connection that is aborted before it starts is not opened', async () => {
  const driver = vi.fn();
  const transport = createTransport('a', inProcessGuarantees, driver);
  await expect(transport.connect({ signal: AbortSignal.abort(new Error('never mind')) })).rejects.toThrow('never mind');
  expect(driver).not.toHaveBeenCalled();
});

test('an invalid message is refused with an error that names the reason', async () => {
  const early = createTransport('a', inProcessGuarantees, () => {});
  expect(() => early.send('b', 1)).toThrow('transport "a" is not connected. Await connect() before you send');
  const { transport } = await connected();
  expect(() => transport.send('a', 1)).toThrow('transport "a" does not send to itself. Handle the message locally');
  expect(() => transport.send('b', 'x'.repeat(inProcessGuarantees.messageBytesMax))).toThrow('transport "a"');
  await transport.close();
  expect(() => transport.send('b', 1)).toThrow('transport "a" is closed. Create a new one');
  expect(() => createTransport('', inProcessGuarantees, () => {})).toThrow('the id of a transport cannot be ""');
});

test('a peer that is reported up or down twice is reported once', async () => {
  const { medium, listen } = await connected();
  const events = listen();
  for (const _ of [1, 2]) medium.up('b');
  for (const _ of [1, 2]) medium.down('b');
  expect(events).toEqual([
    { type: 'up', peer: 'b' },
    { type: 'down', peer: 'b' },
  ]);
});

test('a closed transport delivers nothing and lists no peers', async () => {
  let medium!: DriverListener;
  const transport = createTransport('a', inProcessGuarantees, (given, signal) => {
    medium = given;
    medium.opened({ send: () => {}, close: () => {} });
    signal.addEventListener('abort', () => medium.received('b', 'too late'));
  });
  await transport.connect();
  const events: unknown[] = [];
  transport.events.subscribe((event) => events.push(event));
  await transport.close();
  medium.up('b');
  expect([events, transport.peers.size]).toEqual([[{ type: 'closed', error: null }], 0]);
});

test('a connection that is lost twice is closed once', async () => {
  const { medium, close } = await connected();
  for (const _ of [1, 2]) medium.lost(new Error('the cable is cut'));
  expect(close).toHaveBeenCalledTimes(1);
});

test('an error during connect is reported only to the waiting callers', async () => {
  const { warn } = await connected();
  const transport = createTransport('a', inProcessGuarantees, (medium) => medium.lost(new Error('nobody listens')));
  await expect(transport.connect()).rejects.toThrow('nobody listens');
  expect(warn).not.toHaveBeenCalled();
});

/** A transport that is closed while its driver still opens it. */
function closedEarly() {
  let medium!: DriverListener;
  let give!: () => void;
  const transport = createTransport('a', inProcessGuarantees, (given) => {
    medium = given;
    return new Promise<void>((resolve) => (give = resolve));
  });
  transport.connect().catch(() => {});
  const over = vi.fn();
  const closing = transport.close().then(over);
  return { medium, give, over, closing };
}

test('a transport that is closed while connecting waits until its driver has stopped', async () => {
  const { give, over, closing } = closedEarly();
  await new Promise((resolve) => setImmediate(resolve));
  expect(over).not.toHaveBeenCalled();
  give();
  await closing;
});

test('a driver that does not stop within a second is not waited for any longer', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { over, closing } = closedEarly();
  await vi.advanceTimersByTimeAsync(999);
  expect(over).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await vi.waitFor(() => expect(over).toHaveBeenCalled());
  await closing;
});

test('a connection that opens too late is closed', async () => {
  const { medium, give } = closedEarly();
  const close = vi.fn();
  medium.opened({ send: () => {}, close });
  expect(close).toHaveBeenCalledTimes(1);
  give();
});

test.each([
  ['messageBytesMax', undefined, /guarantees\.messageBytesMax is missing. Pass the largest message in bytes/],
  ['messageBytesMax', Number.NaN, /guarantees\.messageBytesMax is NaN/],
  ['messageBytesMax', 0, /an integer of at least 1/],
  ['order', 'random', /guarantees\.order is "random". Choose fifo or unordered/],
  ['loss', undefined, /guarantees\.loss is missing. Choose none or possible/],
])('a transport whose %s is %s is refused', (key, value, message) => {
  const guarantees = {
    order: 'fifo',
    loss: 'none',
    duplication: 'none',
    presence: 'none',
    identity: 'claimed',
    messageBytesMax: 1_000,
    [key]: value,
  };
  expect(() => createTransport('a', guarantees as never, (() => {}) as never)).toThrow(message);
});
