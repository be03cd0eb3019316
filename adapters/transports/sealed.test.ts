import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { asyncScheduler } from 'rxjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { transportConformance } from './conformance.js';
import { fuzz } from './fuzz.fixture.js';
import { InProcessBus } from './in-process.js';
import { createTransport } from './driver.js';
import { linked } from '../linked.js';
import { hostile } from './hostile.fixture.js';
import { sealed, type SealedOptions } from './sealed.js';
import type { Json, Transport } from './transport.js';
import { inProcessGuarantees } from './guarantees.js';

const key = 'not a key that anybody guesses';

const messageBytesMax = Math.floor((inProcessGuarantees.messageBytesMax - 1_024) / 2);

transportConformance({
  test,
  guarantees: { ...inProcessGuarantees, messageBytesMax },
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
  const arrived: Json[] = [];
  b.events.subscribe((event) => event.type === 'message' && arrived.push(event.message));
  await Promise.all([a.connect(), b.connect()]);
  return { bus, a, arrived, warn };
}

const next = (transport: Transport): Promise<any> =>
  new Promise((resolve) => transport.events.subscribe((event) => event.type === 'message' && resolve(event.message)));

describe('a process without the key is ignored', () => {
  test.each<[string, (stranger: Transport) => void]>([
    ['no seal', (stranger) => stranger.send('b', 'open')],
    ['an invented seal', (stranger) => stranger.send('b', ['AAAA', '"false"'])],
    ['a seal that is not base64', (stranger) => stranger.send('b', ['***', '"false"'])],
    ...fuzz.slice(0, 20).map((value, i): [string, (s: Transport) => void] => [`garbage ${i}`, (s) => s.send('b', value)]),
  ])('%s', async (_, speak) => {
    const { bus, a, arrived, warn } = await pair();
    const stranger = bus.transport('x');
    await stranger.connect();
    speak(stranger);
    a.send('b', 'sound');
    await expect.poll(() => arrived).toEqual(['sound']);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]![0]).toMatch(/has no seal|is broken|with a different key/);
  });

  test('a different key', async () => {
    const { bus, a, arrived } = await pair();
    const other = sealed(bus.transport('x'), { key: 'another key of sixteen' });
    await other.connect();
    other.send('b', 'false');
    a.send('b', 'sound');
    await expect.poll(() => arrived).toEqual(['sound']);
  });

  test('a valid seal with another sender or receiver', async () => {
    const { bus, a, arrived } = await pair();
    const thief = bus.transport('c');
    await thief.connect();
    const caught = next(thief);
    a.send('c', 'for c');
    const frame = await caught;
    thief.send('b', frame);
    a.send('b', 'sound');
    await expect.poll(() => arrived).toEqual(['sound']);
  });
});

test('under the link layer, a public broker has the guarantees of the papers', async () => {
  const bus = new InProcessBus();
  const ids = ['a', 'b'];
  const [a, b] = ids.map((id) =>
    linked(sealed(bus.transport(id), { key: new Uint8Array(32).fill(7) }), { peers: ids, beatMs: 10 }),
  );
  const met = new Promise((resolve) => a!.events.subscribe((event) => event.type === 'up' && resolve(null)));
  await Promise.all([a!.connect(), b!.connect(), met]);
  const arrived = next(b!);
  a!.send('b', 'sealed');
  expect(await arrived).toBe('sealed');
  await Promise.all([a!.close(), b!.close()]);
  bus.close();
});

test('a short key is refused', () => {
  const transport = new InProcessBus().transport('a');
  expect(() => sealed(transport, { key: 'short' })).toThrow('a key needs at least 16 random bytes, but has 5');
});

describe('under the link layer, on a bus that loses, duplicates and reorders messages', () => {
  transportConformance({
    test,
    guarantees: { ...inProcessGuarantees, messageBytesMax: 2 ** 23 },
    create: (ids) => {
      const bus = new InProcessBus();
      const wire = (id: string, seed: number) => hostile(bus.transport(id), { seed, loss: 0.3, duplicate: 0.3, delayMs: 5 });
      return ids.map((id, seed) =>
        linked(sealed(wire(id, seed), { key }), { peers: [...new Set(ids)], beatMs: 10, patience: 25 }),
      );
    },
  });
});

/** Peers on a medium that trusts the claimed sender. Processes on it can read and send everything. */
class Broker {
  readonly seen: { from: string; to: string; message: Json }[] = [];
  private readonly ears = new Map<string, (from: string, message: Json) => void>();

  say(from: string, to: string, message: Json): void {
    this.ears.get(to)?.(from, structuredClone(message));
  }

  async peer(
    id: string,
    given: SealedOptions['key'] = key,
    clock?: SealedOptions['clock'],
  ): Promise<{ transport: Transport; arrived: string[] }> {
    const promised = { order: 'fifo', loss: 'possible', duplication: 'none', presence: 'none', identity: 'claimed' } as const;
    const wire = createTransport(id, { ...promised, messageBytesMax: 2 ** 20 }, (medium) => {
      const ear = (from: string, message: Json) => medium.received(from, message);
      this.ears.set(id, ear);
      medium.opened({
        send: (to, message) => {
          this.seen.push({ from: id, to, message });
          queueMicrotask(() => this.say(id, to, message));
        },
        close: () => void (this.ears.get(id) === ear && this.ears.delete(id)),
      });
    });
    const transport = sealed(wire, { key: given, ...(clock ? { clock } : {}) });
    const arrived: string[] = [];
    transport.events.subscribe(
      (event) => event.type === 'message' && arrived.push(`${event.from}: ${JSON.stringify(event.message)}`),
    );
    await transport.connect();
    onTestFinished(() => transport.close());
    return { transport, arrived };
  }
}

test('on a lossy medium, waiting messages to an absent peer are dropped silently', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  let now = 0;
  const clock = { now: () => now, schedule: asyncScheduler.schedule.bind(asyncScheduler) };
  const broker = new Broker();
  const { transport: a } = await broker.peer('a', key, clock);
  // Ten minutes of heartbeats, ten a second.
  for (; now < 600_000; now += 100) a.send('b', { beat: now, more: 'x'.repeat(100) });
  const { arrived } = await broker.peer('b');
  now += 100;
  a.send('b', 'last');
  await expect.poll(() => arrived.at(-1)).toBe('a: "last"');
  // The messages of the last five seconds, and this one.
  expect(arrived).toHaveLength(52);
  expect(warn).not.toHaveBeenCalled();
});

describe('a sealed message is accepted once, by its receiver, in its run', () => {
  const quiet = () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    return warn;
  };

  test('the same run, the next run and other peers reject replayed frames', async () => {
    quiet();
    const broker = new Broker();
    const [a, b] = [await broker.peer('a'), await broker.peer('b')];
    for (const n of [1, 2, 3]) a.transport.send('b', n);
    await expect.poll(() => b.arrived).toEqual(['a: 1', 'a: 2', 'a: 3']);
    const recorded = [...broker.seen];
    const replay = () => {
      for (const { to, message } of recorded) for (const name of ['a', 'b', 'c']) broker.say(name, to, message);
    };
    replay();
    await b.transport.close();
    const again = await broker.peer('b');
    replay();
    a.transport.send('b', 'meant for the run before');
    await expect.poll(() => broker.seen.some(({ message }) => (message as Json[])[2] === 'stale')).toBe(true);
    await expect.poll(() => broker.seen.filter(({ message }) => (message as Json[])[2] === 'tell').length).toBeGreaterThan(2);
    await new Promise((resolve) => setTimeout(resolve, 0));
    a.transport.send('b', 'new');
    await expect.poll(() => again.arrived).toEqual(['a: "new"']);
    expect(b.arrived).toHaveLength(3);
    expect(a.arrived).toEqual([]);
  });

  test('a restarted peer is accepted, and messages of its earlier run are not', async () => {
    quiet();
    const broker = new Broker();
    const [a, b] = [await broker.peer('a'), await broker.peer('b')];
    a.transport.send('b', 'first');
    await expect.poll(() => b.arrived).toEqual(['a: "first"']);
    const recorded = [...broker.seen];
    await a.transport.close();
    const again = await broker.peer('a');
    again.transport.send('b', 'second');
    await expect.poll(() => b.arrived).toEqual(['a: "first"', 'a: "second"']);
    for (const { from, to, message } of recorded) broker.say(from, to, message);
    again.transport.send('b', 'third');
    await expect.poll(() => b.arrived).toEqual(['a: "first"', 'a: "second"', 'a: "third"']);
  });

  test('a question that was sealed for one peer is answered by no other peer', async () => {
    quiet();
    const broker = new Broker();
    const [a, b] = [await broker.peer('a'), await broker.peer('b')];
    a.transport.send('c', 'for c');
    const forC = broker.seen.map(({ message }) => message);
    for (const message of forC) broker.say('a', 'b', message);
    a.transport.send('b', 'for b');
    await expect.poll(() => b.arrived).toEqual(['a: "for b"']);
    expect(broker.seen.filter(({ from }) => from === 'b')).toHaveLength(1);
  });

  test('an answer without a question, or to an earlier one, changes nothing', async () => {
    quiet();
    const broker = new Broker();
    const [a, b] = [await broker.peer('a'), await broker.peer('b')];
    a.transport.send('b', 1);
    await expect.poll(() => b.arrived).toHaveLength(1);
    const notified = broker.seen.filter(({ message }) => (message as Json[])[2] === 'tell');
    await b.transport.close();
    const again = await broker.peer('b');
    a.transport.send('b', 'lost');
    await expect.poll(() => broker.seen.filter(({ message }) => (message as Json[])[2] === 'tell').length).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 0));
    for (const { from, to, message } of notified) broker.say(from, to, message);
    a.transport.send('b', 2);
    await expect.poll(() => again.arrived).toEqual(['a: 2']);
  });
});

describe('keys', () => {
  const [old, fresh] = ['the key of last year', 'the key of this year'];

  test.each([
    ['before', [old], [old, fresh]],
    ['in the middle', [old, fresh], [fresh, old]],
    ['after', [fresh, old], [fresh]],
  ])('are changed in three rollouts without losing messages: %s', async (_, ofA, ofB) => {
    const broker = new Broker();
    const [a, b] = [await broker.peer('a', ofA), await broker.peer('b', ofB)];
    a.transport.send('b', 1);
    b.transport.send('a', 2);
    await expect.poll(() => [a.arrived, b.arrived]).toEqual([['b: 2'], ['a: 1']]);
  });

  test('a function is called for each frame: keys change at runtime without losses', async () => {
    const given: Record<string, string[]> = { a: [old], b: [old] };
    const broker = new Broker();
    const [a, b] = [await broker.peer('a', () => given['a']!), await broker.peer('b', () => given['b']!)];
    const rollouts = [[old, fresh], [fresh, old], [fresh]].flatMap((keys) => [['a', keys] as const, ['b', keys] as const]);
    for (const [step, [who, keys]] of rollouts.entries()) {
      given[who] = keys;
      a.transport.send('b', step);
      b.transport.send('a', step);
      await expect.poll(() => [a.arrived.at(-1), b.arrived.at(-1)]).toEqual([`b: ${step}`, `a: ${step}`]);
    }
    expect([a.arrived.length, b.arrived.length]).toEqual([rollouts.length, rollouts.length]);
    expect(new Set(broker.seen.slice(-2).map(({ message }) => (message as Json[])[0])).size).toBe(1);
  });

  test('a removed key is not accepted', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const broker = new Broker();
    const [a, b] = [await broker.peer('a', old), await broker.peer('b', fresh)];
    a.transport.send('b', 1);
    await expect.poll(() => warn.mock.calls.join()).toContain('the seal of a message from "a" was made with a different key');
    expect(b.arrived).toEqual([]);
  });

  test('separate keys for each pair: no peer can impersonate another on one broker', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const broker = new Broker();
    const pairKey = (one: string) => (other: string) => `between ${[one, other].sort().join(' and ')}, and nobody else`;
    const [a, b] = [await broker.peer('a', pairKey('a')), await broker.peer('b', pairKey('b'))];
    a.transport.send('b', 1);
    await expect.poll(() => b.arrived).toEqual(['a: 1']);
    // c has separate keys with a and with b, and claims to be a.
    const thief = await broker.peer('c', () => pairKey('c')('b'));
    thief.transport.send('b', 'question');
    const asked = () => broker.seen.filter(({ from }) => from === 'c');
    await expect.poll(() => thief.arrived.length + asked().length).toBeGreaterThan(1);
    for (const { message } of asked()) broker.say('a', 'b', message);
    await expect.poll(() => b.arrived).toEqual(['a: 1', 'c: "question"']);
    expect(warn.mock.calls.join()).toMatch(/from "a" was made with a different key|is broken/);
  });
});

test('10,000 forged frames cost one hash each; repeated or foreign ones cost none', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const broker = new Broker();
  const [a, b] = [await broker.peer('a'), await broker.peer('b')];
  a.transport.send('b', 0);
  await expect.poll(() => b.arrived).toHaveLength(1);
  const genuine = broker.seen.find(({ message }) => (message as Json[])[2] === 'say')!.message as Json[];
  const forged = (n: number): Json[] => [...genuine.slice(0, 5), n, genuine[6]!];
  const digest = vi.spyOn(Object.getPrototypeOf(hmac.create(sha256, 'any')), 'digest');
  onTestFinished(() => digest.mockRestore());
  const hashesOf = (run: (n: number) => void): number => {
    digest.mockClear();
    for (let n = 2; n < 10_002; n++) run(n);
    return digest.mock.calls.length;
  };
  expect(hashesOf((n) => broker.say('a', 'b', forged(n)))).toBe(10_000);
  expect(hashesOf((n) => broker.say('a', 'b', ['00000000', ...forged(n).slice(1)]))).toBe(0);
  expect(hashesOf(() => broker.say('a', 'b', genuine))).toBe(0);
  expect(hashesOf((n) => broker.say('a', 'b', [n, 'no frame at all']))).toBe(0);
  a.transport.send('b', 1);
  await expect.poll(() => b.arrived).toEqual(['a: 0', 'a: 1']);
});

test.each<[string, (peer: string) => any]>([
  ['none', (peer) => ({ a: key, b: key })[peer]],
  ['an empty list', (peer) => ({ a: key, b: key })[peer] ?? []],
  ['a short one', (peer) => ({ a: key, b: key })[peer] ?? 'short'],
  [
    'an error',
    (peer) => {
      if (peer !== 'a' && peer !== 'b') throw new Error(`who is ${peer}?`);
      return key;
    },
  ],
])('a stranger for which the key function has %s is ignored and ends no peer', async (_, keys) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const broker = new Broker();
  const [a, b] = [await broker.peer('a', keys), await broker.peer('b', keys)];
  a.transport.send('b', 1);
  await expect.poll(() => b.arrived).toEqual(['a: 1']);
  for (const { message } of broker.seen) broker.say('stranger', 'b', message);
  expect(warn.mock.calls.join()).toMatch(
    /the seal of a message from "stranger" cannot be checked: the key function of sealed, called with "stranger", (returned no valid key|failed): /,
  );
  a.transport.send('b', 2);
  await expect.poll(() => b.arrived).toEqual(['a: 1', 'a: 2']);
  // The link layer above would end if this threw an error.
  a.transport.send('stranger', 1);
  expect(warn.mock.calls.join()).toContain('messages to "stranger" cannot be sealed');
});

test.each<[string, () => unknown, string]>([
  [
    'throws',
    () => {
      throw new Error('EBUSY');
    },
    'failed: EBUSY',
  ],
  ['returns nothing', () => undefined, 'returned no valid key: no key was passed. Use at least one for every peer'],
  ['returns a short one', () => 'short', 'returned no valid key: a key needs at least 16 random bytes, but has 5'],
  ['returns a promise', () => Promise.reject(new Error('no such file')), 'returned a promise. Return the keys synchronously'],
])('a key function that temporarily %s loses only messages of that peer, and no link', async (_, fail, why) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  for (const failing of ['a', 'b']) {
    warn.mockClear();
    let isFailing = true;
    const other = failing === 'a' ? 'b' : 'a';
    const keys = (id: string) => (of: string) => (id === failing && of === other && isFailing ? fail() : key) as string;
    const [bus, ids] = [new InProcessBus(), ['a', 'b', 'c']];
    const all = ids.map((id) => linked(sealed(bus.transport(id), { key: keys(id) }), { peers: ids, beatMs: 5, relay: false }));
    await Promise.all(all.map((each) => each.connect()));
    await expect.poll(() => all.map(({ peers }) => [...peers].join())).toEqual(ids.map((id) => (id === 'c' ? 'a,b' : 'c')));
    await expect.poll(() => warn.mock.calls.join()).toContain(`the key function of sealed, called with "${other}", ${why}`);
    isFailing = false;
    await expect.poll(() => all.map(({ peers }) => peers.size)).toEqual([2, 2, 2]);
    await Promise.all(all.map((each) => each.close()));
    bus.close();
  }
});
