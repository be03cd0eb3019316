import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { transportConformance } from './conformance.js';
import { fuzz } from './fuzz.fixture.js';
import { InProcessBus, inProcessGuarantees } from './in-process.js';
import { linked } from '../linked.js';
import { sealed } from './sealed.js';
import type { Json, Transport } from './transport.js';

const key = 'not a key that anybody guesses';

transportConformance({
  test,
  guarantees: inProcessGuarantees,
  values: fuzz,
  create: (ids) => {
    const bus = new InProcessBus();
    return ids.map((id) => sealed(bus.transport(id), { key }));
  },
});

async function pair(bus = new InProcessBus()) {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const [a, b] = [sealed(bus.transport('a'), { key }), sealed(bus.transport('b'), { key })] as const;
  onTestFinished(async () => {
    warn.mockRestore();
    await Promise.all([a.close(), b.close()]);
    bus.close();
  });
  const heard: Json[] = [];
  b.events.subscribe((event) => event.type === 'message' && heard.push(event.message));
  await Promise.all([a.connect(), b.connect()]);
  return { bus, a, heard, warn };
}

const next = (transport: Transport): Promise<any> =>
  new Promise((resolve) => transport.events.subscribe((event) => event.type === 'message' && resolve(event.message)));

describe('who has not the key is not heard', () => {
  test.each<[string, (stranger: Transport) => void]>([
    ['no seal', (stranger) => stranger.send('b', 'open')],
    ['an invented seal', (stranger) => stranger.send('b', ['AAAA', '"false"'])],
    ['a seal that is no base64', (stranger) => stranger.send('b', ['***', '"false"'])],
    ...fuzz.slice(0, 20).map((value, i): [string, (s: Transport) => void] => [`nonsense ${i}`, (s) => s.send('b', value)]),
  ])('%s', async (_, speak) => {
    const { bus, a, heard, warn } = await pair();
    const stranger = bus.transport('x');
    await stranger.connect();
    speak(stranger);
    a.send('b', 'sound');
    await expect.poll(() => heard).toEqual(['sound']);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]![0]).toMatch(/has no seal|is broken/);
  });

  test('another key', async () => {
    const { bus, a, heard } = await pair();
    const other = sealed(bus.transport('x'), { key: 'another key of sixteen' });
    await other.connect();
    other.send('b', 'false');
    a.send('b', 'sound');
    await expect.poll(() => heard).toEqual(['sound']);
  });

  test('a sound seal under another name, or for somebody else', async () => {
    const { bus, a, heard } = await pair();
    const thief = bus.transport('c');
    await thief.connect();
    const caught = next(thief);
    a.send('c', 'for c');
    const frame = await caught;
    thief.send('b', frame);
    a.send('b', 'sound');
    await expect.poll(() => heard).toEqual(['sound']);
  });
});

test('under the link layer: a broker that anybody writes to carries what the papers assume', async () => {
  const bus = new InProcessBus();
  const ids = ['a', 'b'];
  const [a, b] = ids.map((id) =>
    linked(sealed(bus.transport(id), { key: new Uint8Array(32).fill(7) }), { peers: ids, beatMs: 10 }),
  );
  const met = new Promise((resolve) => a!.events.subscribe((event) => event.type === 'up' && resolve(null)));
  await Promise.all([a!.connect(), b!.connect(), met]);
  const heard = next(b!);
  a!.send('b', 'sealed');
  expect(await heard).toBe('sealed');
  await Promise.all([a!.close(), b!.close()]);
  bus.close();
});

test('a key that can be guessed is refused', () => {
  const transport = new InProcessBus().transport('a');
  expect(() => sealed(transport, { key: 'short' })).toThrow('a key of 5 bytes can be guessed; give at least 16 random ones');
});
