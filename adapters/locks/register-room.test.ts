/** The maximum size of a value: it fits into each message that will contain it, for all members. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { firstMembership, hasRoomForVoters, LIST, VOTERS_MAX } from '../../machines/locks/membership.js';
import { LINKED_MESSAGE_BYTES_MAX } from '../linked.js';
import { MapStorage } from '../storage/map.fixture.js';
import { BackpressureError } from '../transports/errors.js';
import { inProcessGuarantees } from '../transports/guarantees.js';
import { InProcessBus } from '../transports/in-process.js';
import { ID_LENGTH_MAX } from '../transports/ids.js';
import type { Json } from '../transports/transport.js';
import { createLocks } from './locks.js';
import { narrow } from './peers.fixture.js';
import { copy, keepers, locksOf, none, registerOf, stored, turn } from './register.fixture.js';
import { RegisterRoom } from './register-room.js';
import { Register } from './register.js';

const BYTES = 16_000;
const isText = (value: unknown): value is string => typeof value === 'string';
const isAny = (value: unknown): value is Json => value !== undefined;

function silent() {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  return warn;
}

/** Peers on a bus that carries messages of this many bytes, each with a register and a storage. */
function cluster() {
  silent();
  const bus = new InProcessBus();
  const disks = new Map<string, MapStorage>();
  const start = (id: string, how: { readonly peers: readonly string[] } | { readonly join: true }) => {
    if (!disks.has(id)) disks.set(id, new MapStorage());
    const locks = createLocks({ transport: narrow(bus, id, BYTES), storage: disks.get(id)!, ...how });
    onTestFinished(() => locks.close({ withinMs: 0 }));
    const text = new Register(locks, 'text', '', isText);
    const end = async () => {
      await locks.close({ withinMs: 0 });
      await locks.transport.close();
    };
    const reached = (peer: string) => vi.waitFor(() => expect(locks.transport.peers.has(peer)).toBe(true));
    return { id, locks, text, end, reached };
  };
  return { start, begin: (ids: readonly string[]) => ids.map((id) => start(id, { peers: ids })) };
}
type Peer = ReturnType<ReturnType<typeof cluster>['start']>;

const change = (peer: Peer, how: (text: string) => string) => peer.text.change(how, { signal: AbortSignal.timeout(5_000) });
const changes = { signal: AbortSignal.timeout(60_000) };

describe('between peers on a bus', () => {
  test('values around the limit are kept and read by all, or refused without a change', async () => {
    const { begin } = cluster();
    const all = begin(['a', 'b', 'c']);
    let kept = '';
    const refused: string[] = [];
    for (let size = 13_700; size < 13_900; size += 10) {
      const by = all[size % 3]!;
      await change(by, () => 'x'.repeat(size)).then(
        (value) => (kept = value),
        (error: Error) => void refused.push(`${error.name}: ${error.message}`),
      );
      for (const peer of all) expect((await change(peer, (text) => text)).length).toBe(kept.length);
    }
    expect(kept.length).toBeGreaterThan(13_700);
    expect(refused.length).toBeGreaterThan(3);
    expect(refused.at(-1)).toMatch(
      /^UsageError: "text": a change of it gives one that is too long to send: a message with it has 141\d\d bytes as JSON; the limit is 14000. Split it. Nothing has changed$/,
    );
  });

  test('the longest value moves to voters with the longest ids, and back, over restarts', async () => {
    const { start, begin } = cluster();
    const first = ['a', 'b'];
    const long = ['d', 'e'].map((id) => id.padEnd(ID_LENGTH_MAX, '界').normalize());
    let [a, b] = begin(first) as [Peer, Peer];
    const longest = Number(
      await change(a, () => 'x'.repeat(BYTES)).catch((error: Error) => / has (\d+) /.exec(error.message)![1]),
    );
    const value = 'x'.repeat(BYTES - (longest - (1 - 2 * LIST) * BYTES));
    await expect(change(a, () => `${value}x`)).rejects.toThrow(/has 14001 bytes/);
    expect(await change(a, () => value)).toBe(value);
    expect(hasRoomForVoters(['b', long[0]!], BYTES)).toBe(true);
    expect(hasRoomForVoters(long, BYTES)).toBe(false);
    const d = start(long[0]!, { join: true });
    await a.reached(d.id);
    expect(await a.locks.replaceMember('a', d.id, changes)).toEqual(['b', d.id]);
    await a.end();
    for (const peer of [b, d]) expect(await change(peer, (text) => text)).toBe(value);
    // A list without room.
    const e = start(long[1]!, { join: true });
    await b.reached(e.id);
    await expect(b.locks.addMember(e.id, changes)).rejects.toMatchObject({
      name: 'UsageError',
      message:
        'a list of 3 voters with ids of this length is too long for peer "b": a sixteenth of its largest message, 1000 bytes as JSON, and 8192 voters are the limit. Use shorter ids, fewer voters or a transport with larger messages. Nothing has changed',
    });
    expect(b.locks.members).toEqual(['b', d.id]);
    for (const peer of [b, d, e]) await peer.end();
    [a, b] = [start('a', { join: true }), start('b', { peers: ['b', d.id] })];
    const again = start(d.id, { peers: ['b', d.id] });
    for (const peer of [b, again]) expect(await change(peer, (text) => text)).toBe(value);
    await b.reached('a');
    await b.locks.replaceMember(d.id, 'a', changes);
    await again.end();
    for (const peer of [a, b]) expect(await change(peer, (text) => text)).toBe(value);
  });

  test('two voters that are added at once, with room for one of them', async () => {
    const { start, begin } = cluster();
    const [a, b] = begin(['a', 'b']) as [Peer, Peer];
    const others = ['d', 'e'].map((id) => start(id.padEnd(200, '界').normalize(), { join: true }));
    for (const peer of [a, b]) for (const { id } of others) await peer.reached(id);
    await Promise.all([a, b].map(({ locks }) => locks.ready));
    const added = await Promise.allSettled([a, b].map(({ locks }, i) => locks.addMember(others[i]!.id, changes)));
    expect(added.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const [{ reason }] = added.filter((end): end is PromiseRejectedResult => end.status === 'rejected') as [
      PromiseRejectedResult,
    ];
    expect(reason.message).toMatch(/^a list of 4 voters with ids of this length is too long for peer "[ab]"/);
    await vi.waitFor(() => expect([a.locks.members.length, b.locks.members.length]).toEqual([3, 3]));
  });
});

test('a first list without room is refused at once', () => {
  const peers = ['a', 'b'.repeat(200)];
  const make = () => createLocks({ transport: narrow(new InProcessBus(), 'a', 3_000), peers });
  expect(make).toThrow(
    'a list of 2 voters with ids of this length is too long for peer "a": a sixteenth of its largest message, 187 bytes',
  );
});

test('a list of more voters than a message has values is refused for any ids', () => {
  const many = firstMembership(Array.from({ length: VOTERS_MAX }, (_, i) => i.toString(36))).voters;
  expect(hasRoomForVoters(many, LINKED_MESSAGE_BYTES_MAX)).toBe(true);
  expect(hasRoomForVoters([...many, 'x x'], LINKED_MESSAGE_BYTES_MAX)).toBe(false);
});

test.each([
  [inProcessGuarantees.messageBytesMax, 84, 913_920],
  [LINKED_MESSAGE_BYTES_MAX, 682, 7 * 2 ** 20],
])('messages of %i bytes fit two lists of %i voters with the longest ids and value', (bytes, count, value) => {
  const list = (size: number) => Array<string>(size).fill('界'.repeat(ID_LENGTH_MAX));
  expect([count, count + 1].map((size) => hasRoomForVoters(list(size), bytes))).toEqual([true, false]);
  const room = new RegisterRoom({ guarantees: { messageBytesMax: bytes } } as never, 'locks/x');
  expect([215, 200].map((beside) => room.refused('x'.repeat(value - beside)) === null)).toEqual([true, false]);
  const copy = {
    fence: 1,
    value: 'x'.repeat(value - 215),
    keepers: { version: 2 ** 52, peers: list(count), from: list(count) },
  };
  expect(room.refusedCopy(copy)).toBeNull();
});

describe('a value is refused, also as the initial one,', () => {
  const nested = (depth: number): Json => (depth === 0 ? 0 : [nested(depth - 1)]);
  test.each<[what: string, has: Json, hasNot: Json, description: string]>([
    ['that is as deep as a message', nested(61), nested(62), 'has more than 64 lists and objects inside each other'],
    [
      'that has as many values as a message',
      Array(114_650).fill(0),
      Array(114_680).fill(0),
      'has more than 114688 keys and values',
    ],
  ])('%s', async (_, has, hasNot, description) => {
    const { locks } = await locksOf({ peers: ['a'] });
    const register = new Register<Json>(locks, 'x', has, isAny);
    await expect(register.change(() => hasNot)).rejects.toThrow(
      `"x": a change of it gives one that is too long to send: a message with it ${description}. Nothing has changed`,
    );
    expect(await register.change(() => has)).toEqual(has);
    expect(() => new Register<Json>(locks, 'y', hasNot, isAny)).toThrow(
      `"y": its initial value is one that is too long to send: a message with it ${description}. Nothing has changed`,
    );
  });
});

describe('of a peer with larger messages', () => {
  const { messageBytesMax } = inProcessGuarantees;
  /** A value that fits into the message that writes it, and not into an answer that contains it. */
  const long = (fence: number) => ({ fence, value: 'x'.repeat(messageBytesMax - 150), keepers });
  const textOf = async (storage?: MapStorage) => {
    const all = await locksOf({ ...(storage && { storage }) });
    for (const peer of ['b', 'c']) all.medium.up(peer);
    const register = new Register<string>(all.locks, 'x', '', isText);
    await turn();
    const answer = async (peer: string, reported: object) => {
      const { number } = all.sent.filter(({ to }) => to === peer).at(-1)!.message;
      all.sendText(peer, { ...reported, number });
      await turn();
    };
    return { ...all, register, answer };
  };

  test('a copy that is too long for a message is reported, and not left unanswered', async () => {
    const storage = new MapStorage();
    storage.values.set('locks/x', { peer: 'a', stored: { promised: 5, copy: long(5) } } as never);
    const { sendText, sent } = await textOf(storage);
    sendText('b', { type: 'read', fence: 2 ** 50, number: 3 });
    await vi.waitFor(() => expect(sent.map(({ message }) => message)).toEqual([{ type: 'long', number: 3 }]));
  });

  test('its write is refused if the value would be too long', async () => {
    const { sendText, sent } = await textOf();
    sendText('b', { type: 'write', ...long(2 ** 50), number: 3 });
    await vi.waitFor(() => expect(sent.map(({ message }) => message)).toEqual([{ type: 'refused', long: true, number: 3 }]));
  });

  test('a change ends with an error if too many copies are too long', async () => {
    const { register, answer, released } = await textOf();
    const changed = register.change(() => 'short').catch((error: Error) => error);
    await turn();
    await answer('b', { type: 'long' });
    await answer('c', { type: 'long' });
    expect(await changed).toMatchObject({
      name: 'ConfigurationError',
      message: `the value of "x" at b, c is too long for a message: ${messageBytesMax} bytes are the limit at "a". Use transports with larger messages at all peers, or a register with another name`,
    });
    expect(released).toHaveLength(1);
  });

  test('one such copy counts as a missing answer', async () => {
    const { register, answer, sent } = await textOf();
    let end: unknown;
    register
      .change(() => 'short')
      .then(
        (value) => (end = value),
        (error: Error) => (end = error),
      );
    await turn();
    await answer('b', { type: 'long' });
    await answer('c', { type: 'copy', copy: { fence: 7, value: 'x', keepers } });
    // It has no copy: this is not a majority.
    expect(end).toMatchObject({ name: 'ConfigurationError' });
    const again = register.change((value) => `${value}y`);
    await turn();
    await answer('c', { type: 'copy', copy: { fence: 7, value: 'x', keepers } });
    expect(sent.at(-1)!.message.type).toBe('read');
    await answer('b', { type: 'copy', copy: { fence: 7, value: 'x', keepers } });
    await answer('c', stored);
    expect(await again).toBe('xy');
  });

  test('a change ends with an error if other peers have smaller messages', async () => {
    const { register, answer } = await registerOf();
    const changed = register.change((n) => n + 1).catch((error: Error) => error);
    await turn();
    for (const peer of ['b', 'c']) await answer(peer, copy(7, 40));
    for (const peer of ['b', 'c']) await answer(peer, { type: 'refused', long: true });
    expect(await changed).toMatchObject({
      name: 'ConfigurationError',
      message:
        'the new value of "x" is too long at b, c for a message. Use transports with messages of the same size at all peers. Whether the change counts is unknown until you repeat it or make another one',
    });
  });

  test('a value without room for two lists does not move, until it is shorter', async () => {
    const { register, locks, decide, answer, sent, asked } = await textOf();
    const warn = silent();
    const value = 'x'.repeat(messageBytesMax - 200);
    const theirs = { type: 'copy', copy: { fence: 7, value, keepers } };
    decide(2, ['a', 'b', 'd'.repeat(200)]);
    const moved = [...locks.registers][0]!.moved().catch((error: Error) => error);
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    await turn();
    for (const peer of ['b', 'c']) await answer(peer, theirs);
    expect(await moved).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(
        /^the members of "locks" are a, b, d+ now, and "x" has not moved to them: "x" holds a value that is too long to be kept with a, b, d+, a, b, c: a message with it has \d+ bytes as JSON; the limit is 1044480. Split it. Change it to a shorter one. Nothing has changed. Keep all previous members running, fix the problem, and repeat the change$/,
      ),
      cause: { name: 'UsageError' },
    });
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^"x" of "locks" at peer "a" cannot move to the current members: "x" holds/)],
    ]);
    // A repeated call tries again.
    const again = [...locks.registers][0]!.moved().catch((error: Error) => error);
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    await turn();
    for (const peer of ['b', 'c']) await answer(peer, theirs);
    expect(await again).toMatchObject({ name: 'ConfigurationError' });
    expect(sent.every(({ message }) => message.type === 'read')).toBe(true);
    const shorter = register.change(() => 'short');
    await turn();
    for (const peer of ['b', 'c']) await answer(peer, theirs);
    for (const peer of ['b', 'c']) await answer(peer, stored);
    await answer('b', stored);
    expect(await shorter).toBe('short');
    await [...locks.registers][0]!.moved();
  });
});

test('a slow reader is asked again, and the process continues', async () => {
  const { register, locks, clock, answer, lastTo } = await registerOf();
  const { send } = locks.transport;
  const changed = register.change((n) => n + 1);
  await turn();
  await answer('b', none);
  await answer('c', none);
  let isFull = true;
  locks.transport.send = (to, message) => {
    if (isFull) throw new BackpressureError('too much waits', to);
    send.call(locks.transport, to, message);
  };
  for (const peer of ['b', 'c']) expect(lastTo(peer).type).toBe('write');
  clock.runUntil(100);
  isFull = false;
  clock.runUntil(200);
  await answer('b', stored);
  await answer('c', stored);
  expect(await changed).toBe(1);
});
