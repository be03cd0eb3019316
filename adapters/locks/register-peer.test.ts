/** A register between peers that the test controls: its questions, its answers, its stored state, and its use of the other copies. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BOUNDS, firstFence } from '../../machines/locks/epoch.js';
import type { PeerStorage } from '../storage/storage.js';
import { ClosedError, LostError } from '../transports/errors.js';
import type { Json } from '../transports/transport.js';
import { copy, FIRST, initial, isNumber, keepers, locksOf, none, registerOf, stored, turn } from './register.fixture.js';
import { Register } from './register.js';

describe('a change', () => {
  test('reads a majority, takes the latest copy, and writes to a majority, under a lock', async () => {
    const { register, asked, released, sent, answer } = await registerOf();
    const changed = register.change((n) => n + 1);
    await turn();
    expect(asked).toEqual([['locks/x', {}]]);
    expect(sent).toEqual(
      ['b', 'c'].map((to) => ({ to, name: 'locks/x', message: { type: 'read', fence: FIRST, initial, number: 71 } })),
    );
    await answer('b', copy(7, 40));
    await answer('c', copy(9, 41));
    expect(sent.slice(2).map(({ message }) => message)).toEqual([
      { type: 'write', fence: FIRST, value: 42, keepers, number: 72 },
      { type: 'write', fence: FIRST, value: 42, keepers, number: 72 },
    ]);
    await answer('b', stored);
    expect(await changed).toBe(42);
    expect(released.map(({ fence }) => fence)).toEqual([FIRST]);
  });

  test('its own copy counts for the majority once it has one', async () => {
    const { register, answer } = await registerOf();
    const first = register.change((n) => n + 1);
    await turn();
    await answer('b', copy(1, 10));
    await answer('c', copy(1, 10));
    await answer('c', stored);
    expect(await first).toBe(11);
    const second = register.change((n) => n + 1);
    await turn();
    await answer('b', copy(FIRST, 11));
    await answer('b', stored);
    expect(await second).toBe(12);
  });

  test('if all peers have forgotten, the value starts again', async () => {
    const { register, answer } = await registerOf();
    const changed = register.change((n) => n + 1);
    await turn();
    await answer('b', none);
    await answer('c', none);
    await answer('b', stored);
    expect(await changed).toBe(1);
  });

  test('if too many peers have forgotten, and not all, it is refused', async () => {
    const { register, released, answer } = await registerOf();
    const changed = register.change((n) => n + 1).catch((error: Error) => error);
    await turn();
    await answer('b', none);
    await answer('c', copy(7, 40));
    expect(await changed).toMatchObject({
      name: 'ForgottenError',
      message:
        'the value of register "x" is known to 1 of 3 peers; the others have lost it in a restart without storage. Start the members that have it, or use storage at all members',
    });
    expect(released).toHaveLength(1);
  });

  test('only peers without an answer are asked again, and none once it is enough', async () => {
    const { register, clock, sent, answer } = await registerOf();
    const changed = register.change((n) => n);
    await turn();
    sent.length = 0;
    clock.runUntil(99);
    expect(sent).toEqual([]);
    clock.runUntil(100);
    expect(sent.map(({ to }) => to)).toEqual(['b', 'c']);
    await answer('b', copy(7, 40));
    sent.length = 0;
    clock.runUntil(300);
    expect(sent.map(({ to }) => to)).toEqual(['c']);
    await answer('c', copy(7, 40));
    await answer('c', stored);
    expect(await changed).toBe(40);
    expect(clock.isIdle).toBe(true);
  });

  test('a silent peer is asked less and less often, and at once when it is back', async () => {
    const { register, clock, sent, medium } = await registerOf();
    const over = new AbortController();
    const changed = register.change((n) => n, { signal: over.signal });
    await turn();
    const times = (peer: string, until: number) => {
      const at: number[] = [];
      for (let ms = clock.now(); ms <= until; ms++) {
        sent.length = 0;
        clock.runUntil(ms);
        if (sent.some(({ to }) => to === peer)) at.push(ms);
      }
      return at;
    };
    expect(times('b', 6500)).toEqual([100, 300, 700, 1500, 3100, 4700, 6300]);
    medium.down('b');
    expect(times('b', 6800)).toEqual([]);
    sent.length = 0;
    medium.up('b');
    expect(sent.map(({ to }) => to)).toEqual(['b']);
    over.abort();
    await expect(changed).rejects.toThrow('aborted');
    expect(clock.isIdle).toBe(true);
  });

  test('a peer that has lost its lock begins again, and counts what it has written', async () => {
    const { register, granted, released, answer } = await registerOf();
    const seen: number[] = [];
    const changed = register.change((n) => (seen.push(n), n + 1));
    await turn();
    for (const peer of ['b', 'c']) await answer(peer, copy(7, 40));
    granted[0]!.lose(new LostError('the lock was taken away'));
    await turn();
    expect(granted.map(({ fence }) => fence)).toEqual([FIRST, FIRST + 1]);
    await answer('b', copy(FIRST, 41));
    await answer('b', stored);
    expect([await changed, seen, released.length]).toEqual([41, [40], 2]);
  });

  test('begins from the present value, if nothing of it was written', async () => {
    const { register, granted, answer } = await registerOf();
    const changed = register.change((n) => n + 1);
    await turn();
    granted[0]!.lose(new LostError('the lock was taken away'));
    await turn();
    for (const peer of ['b', 'c']) await answer(peer, copy(FIRST + 5, 60));
    await answer('b', stored);
    expect(await changed).toBe(61);
  });

  test('is of unknown effect if others have changed the value since, with an error', async () => {
    const { register, granted, released, answer } = await registerOf();
    const changed = register.change((n) => n + 1).catch((error: Error) => error);
    await turn();
    for (const peer of ['b', 'c']) await answer(peer, copy(7, 40));
    granted[0]!.lose(new LostError('the lock was taken away'));
    await turn();
    await answer('b', copy(FIRST + 3, 50));
    await answer('c', copy(FIRST + 4, 50));
    expect(await changed).toMatchObject({
      name: 'LostError',
      message: expect.stringContaining(
        'the lock was lost while "x" was being changed, and others have changed it since: it is unknown whether the change was stored. Read the value and decide',
      ),
    });
    expect(released).toHaveLength(2);
  });

  test('a peer that promised its copy to a later holder makes the change begin again', async () => {
    const { register, granted, answer } = await registerOf();
    const changed = register.change((n) => n + 1);
    await turn();
    await answer('b', { type: 'late' });
    expect(granted).toHaveLength(2);
    for (const peer of ['b', 'c']) await answer(peer, copy(FIRST, 1));
    await answer('b', stored);
    expect(await changed).toBe(2);
  });

  test('repeats a late change at once, then ten times a second, and reports after 10 s', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const { register, clock, granted, released, notified, answer } = await registerOf();
    const changed = register.change((n) => n + 1);
    await turn();
    await answer('b', { type: 'late' });
    await answer('b', { type: 'late' });
    expect([granted.length, released.length]).toEqual([2, 2]);
    for (let tenths = 1; tenths <= 103; tenths++) {
      if (tenths === 99) expect(warn).not.toHaveBeenCalled();
      clock.runUntil(100 * tenths);
      await turn();
      expect(granted).toHaveLength(2 + tenths);
      await answer('b', { type: 'late' });
    }
    expect(warn.mock.calls).toEqual([
      [
        '"x" of "locks" at peer "a" holds its lock, but has been refused for 10 s by "b", which has answered a holder with a larger fencing token. Check that the storage of "b" belongs to this cluster',
      ],
    ]);
    expect(notified).toEqual([{ type: 'register.waits', register: 'x', ms: 10_000, missing: ['b'] }]);
    clock.runUntil(10_400);
    await turn();
    for (const peer of ['b', 'c']) await answer(peer, copy(FIRST, 1));
    await answer('b', stored);
    expect(await changed).toBe(2);
  });

  test('is ended by its signal, before and during the request, and releases the lock', async () => {
    const { register, asked, released, clock } = await registerOf();
    const giving = new AbortController();
    const changed = register.change((n) => n, { signal: giving.signal }).catch((error: Error) => error);
    await turn();
    expect(asked).toEqual([['locks/x', { signal: giving.signal }]]);
    giving.abort(new LostError('enough'));
    expect(await changed).toEqual(new LostError('enough'));
    expect([released.length, clock.isIdle]).toEqual([1, true]);
    await expect(register.change((n) => n, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
  });

  test('ends with the error of the lock, unless it is a loss, or of the function', async () => {
    const { register, granted, answer } = await registerOf();
    const changed = register.change((n) => n).catch((error: Error) => error);
    await turn();
    granted[0]!.lose(new ClosedError('the locks are closed'));
    expect(await changed).toEqual(new ClosedError('the locks are closed'));
    const failing = register.change(() => {
      throw new Error('mine');
    });
    failing.catch(() => {});
    await turn();
    for (const peer of ['b', 'c']) await answer(peer, copy(1, 1));
    await expect(failing).rejects.toThrow('mine');
  });
});

describe('questions of other peers', () => {
  const question = (type: string, fence: number, value?: number) => ({
    type,
    fence,
    number: 3,
    ...(value === undefined ? {} : { value, keepers }),
  });

  test('are answered from its copy, which the latest holder writes', async () => {
    const { sendText, sent } = await registerOf();
    const ask = async (type: string, fence: number, value?: number) => {
      sent.length = 0;
      sendText('b', question(type, fence, value));
      await turn();
      expect(sent.map(({ to }) => to)).toEqual(['b']);
      return sent[0]!.message;
    };
    const first = firstFence(5, BOUNDS.grants);
    expect(await ask('read', first - 1)).toEqual({ type: 'late', number: 3 });
    expect(await ask('read', first)).toEqual({ type: 'copy', copy: null, initial, since: first, number: 3 });
    expect(await ask('write', first + 5, 40)).toEqual({ type: 'stored', number: 3 });
    expect(await ask('read', first + 4)).toEqual({ type: 'late', number: 3 });
    expect(await ask('read', first + 6)).toEqual({
      type: 'copy',
      copy: { fence: first + 5, value: 40, keepers },
      initial,
      number: 3,
    });
    expect(await ask('write', first + 5, 41)).toEqual({ type: 'late', number: 3 });
  });

  test('are late before the first fence of the epoch that it has served first', async () => {
    const { sendText, sent } = await registerOf({ grants: 8 });
    sendText('b', question('read', 39));
    sendText('b', question('read', 40));
    await turn();
    expect(sent.map(({ message }) => message.type)).toEqual(['late', 'copy']);
  });

  test('are not answered before its state is known', async () => {
    let serve!: (epoch: number) => void;
    const { sendText, sent } = await registerOf({ served: new Promise((resolve) => (serve = resolve)) });
    sendText('b', question('read', 2 ** 50));
    await turn();
    expect(sent).toEqual([]);
    serve(0);
    await turn();
    sendText('b', question('read', 2 ** 50));
    await turn();
    expect(sent).toHaveLength(1);
  });

  test('are ignored if malformed, and so are malformed answers and those of non-members', async () => {
    const { register, sendText, sent, lastTo } = await registerOf();
    const bad: [string, object][] = [
      ['b', { ...question('read', 2 ** 50), number: 'x' }],
      ['b', { type: 'read', number: 3 }],
      ['b', question('write', 2 ** 50)],
      ['b', { ...question('write', 2 ** 50), keepers: 7 }],
      ['b', { ...question('write', 2 ** 50, 1), keepers: { version: 1, peers: [7] } }],
      ['b', { ...question('write', 2 ** 50, 1), keepers: { version: 1, peers: [], from: 'a' } }],
      ['b', { ...question('read', 1.5) }],
      ['b', { ...question('erase', 2 ** 50) }],
    ];
    for (const [from, message] of bad) sendText(from, message);
    await turn();
    expect(sent).toEqual([]);
    let isDone = false;
    void register.change((n) => n).then(() => (isDone = true));
    await turn();
    const { number } = lastTo('b');
    for (const wrong of [
      { type: 'copy', copy: { fence: 1.5, value: 1 } },
      { type: 'copy', copy: { fence: 1 } },
      { type: 'copy', copy: { fence: 1, value: 1, keepers: {} } },
      { type: 'copy', copy: 7 },
      { type: 'copy' },
      { type: 'known' },
    ])
      for (const from of ['b', 'c']) sendText(from, { ...wrong, number });
    for (const from of ['y', 'z']) sendText(from, { ...copy(1, 1), number });
    for (const from of ['b', 'c']) sendText(from, { ...copy(1, 1), number: number - 1 });
    await turn();
    expect([lastTo('b').type, isDone]).toEqual(['read', false]);
  });
});

describe('with storage', () => {
  const inHand = (loaded: Json | undefined) => {
    const saves: Json[] = [];
    const keys: string[] = [];
    let failing: Error | null = null;
    const storage: PeerStorage = {
      load: async (key) => (keys.push(key), loaded),
      save: async (_, value) => {
        if (failing) throw failing;
        saves.push(value);
      },
    };
    return { storage, saves, keys, fail: (error: Error) => (failing = error) };
  };
  const read = (fence: number) => ({ type: 'read', fence, number: 3 });

  test('it loads its copy and its promise, and saves both before it answers', async () => {
    const { storage, saves, keys, fail } = inHand({
      peer: 'a',
      stored: { promised: 20, copy: { fence: 10, value: 4, keepers } },
    });
    const { sendText, sent } = await registerOf({ storage, served: new Promise(() => {}) });
    sendText('b', read(19));
    sendText('b', read(21));
    await turn();
    expect(keys).toEqual(['locks/x']);
    expect(sent.map(({ message }) => message)).toEqual([
      { type: 'late', number: 3 },
      { type: 'copy', copy: { fence: 10, value: 4, keepers }, initial, number: 3 },
    ]);
    expect(saves).toEqual([{ peer: 'a', stored: { promised: 21, copy: { fence: 10, value: 4, keepers } } }]);
    sent.length = 0;
    fail(new Error('full'));
    sendText('b', { type: 'write', fence: 30, value: 9, keepers, number: 3 });
    await turn();
    sendText('b', read(22));
    await turn();
    expect(sent).toEqual([]);
  });

  test('empty storage belongs to a peer that has never changed the value', async () => {
    const { storage } = inHand(undefined);
    const { sendText, sent } = await registerOf({ storage, served: new Promise(() => {}) });
    sendText('b', read(0));
    await turn();
    expect(sent.map(({ message }) => message)).toEqual([
      { type: 'copy', copy: { fence: 0, value: 0, keepers }, initial, number: 3 },
    ]);
  });

  test.each([
    ['damaged', null],
    ['no promise', { peer: 'a', stored: { copy: null, promised: 'x' } }],
    ['no copy', { peer: 'a', stored: { promised: 3, copy: { fence: 'x', value: 1 } } }],
  ])('%s: it counts as one that has forgotten', async (_, loaded) => {
    const { sendText, sent } = await registerOf({ storage: inHand(loaded as Json).storage });
    const since = firstFence(5, BOUNDS.grants);
    sendText('b', read(since));
    await turn();
    expect(sent.map(({ message }) => message)).toEqual([{ type: 'copy', copy: null, initial, since, number: 3 }]);
  });

  test('a change ends with the error of its storage', async () => {
    const { storage } = inHand({ peer: 'b', stored: {} });
    const { register } = await registerOf({ storage });
    await expect(register.change((n) => n)).rejects.toMatchObject({ name: 'StorageError' });
  });
});

test('its arguments are checked, and clients and tabs cannot create it', async () => {
  const [{ locks }, tab] = [await locksOf(), await locksOf({ peers: [], isKeeper: false })];
  const client = await locksOf({ peers: ['b'], isKeeper: false });
  expect(() => new Register(locks, '', 0, isNumber)).toThrow('Register: name is "". Pass a text');
  expect(() => new Register(locks, 'x', 0, 7 as never)).toThrow(
    'Register: isValue is 7. Pass a function that checks a value of this register',
  );
  expect(() => new Register({} as never, 'x', 0, isNumber)).toThrow('Register: locks is an object. Pass locks from createLocks');
  expect(() => new Register(tab.locks, 'x', 0, isNumber)).toThrow(
    '"x" is stored by voters, and "a" is a tab. Create it at the voters and request its value from them',
  );
  expect(() => new Register(client.locks, 'x', 0, isNumber)).toThrow('and "a" is a client. Create it');
  expect(() => new Register(locks, 'x', 'text' as never, isNumber)).toThrow(
    '"x": its initial value is "text", which isValue rejects after its conversion to JSON. Nothing has changed',
  );
});
