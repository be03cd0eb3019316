/** A register between peers that the test is: what it asks, what it answers, what it stores, and what it makes of the copies of others. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BOUNDS, firstFence } from '../../machines/locks/epoch.js';
import type { PeerStorage } from '../storage/storage.js';
import { ClosedError, LostError } from '../transports/errors.js';
import type { Json } from '../transports/transport.js';
import { copy, FIRST, initial, isNumber, keepers, locksOf, none, registerOf, stored, turn } from './register.fixture.js';
import { Register } from './register.js';

describe('a change', () => {
  test('reads a majority, takes the latest copy, and writes to a majority, under a lock of its own', async () => {
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

  test('its own copy counts as one of the majority once it has one', async () => {
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

  test('where everybody has forgotten, the value begins anew', async () => {
    const { register, answer } = await registerOf();
    const changed = register.change((n) => n + 1);
    await turn();
    await answer('b', none);
    await answer('c', none);
    await answer('b', stored);
    expect(await changed).toBe(1);
  });

  test('where too many have, and not all, it is refused', async () => {
    const { register, released, answer } = await registerOf();
    const changed = register.change((n) => n + 1).catch((error: Error) => error);
    await turn();
    await answer('b', none);
    await answer('c', copy(7, 40));
    expect(await changed).toMatchObject({
      name: 'ForgottenError',
      message: '"x" is known to 1 of 3 peers; the others have restarted without it',
    });
    expect(released).toHaveLength(1);
  });

  test('who has not answered is asked again, who has is not, and nobody once it is enough', async () => {
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

  test('whoever does not answer is asked less and less often, and at once when it is there anew', async () => {
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

  test('who has lost its lock begins once more, and counts what it has written already', async () => {
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

  test('begins from what is there then, where nothing of it was written', async () => {
    const { register, granted, answer } = await registerOf();
    const changed = register.change((n) => n + 1);
    await turn();
    granted[0]!.lose(new LostError('the lock was taken away'));
    await turn();
    for (const peer of ['b', 'c']) await answer(peer, copy(FIRST + 5, 60));
    await answer('b', stored);
    expect(await changed).toBe(61);
  });

  test('is not known to count where others have changed the value since, and says so', async () => {
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

  test('who comes late to a peer that has promised its copy to a later holder begins once more', async () => {
    const { register, granted, answer } = await registerOf();
    const changed = register.change((n) => n + 1);
    await turn();
    await answer('b', { type: 'late' });
    expect(granted).toHaveLength(2);
    for (const peer of ['b', 'c']) await answer(peer, copy(FIRST, 1));
    await answer('b', stored);
    expect(await changed).toBe(2);
  });

  test('is made again at once when it comes late, then ten times a second, and after ten seconds it is said who refuses it', async () => {
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

  test('is given up by its signal, before and while it is asked for, and gives the lock back', async () => {
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

  test('ends with what ends the lock, where that is no loss, and with what the function throws', async () => {
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

describe('what others ask', () => {
  const question = (type: string, fence: number, value?: number) => ({
    type,
    fence,
    number: 3,
    ...(value === undefined ? {} : { value, keepers }),
  });

  test('is answered from its copy, which the latest holder writes; an earlier one is late', async () => {
    const { say, sent } = await registerOf();
    const ask = async (type: string, fence: number, value?: number) => {
      sent.length = 0;
      say('b', question(type, fence, value));
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

  test('is late before the first number of the epoch that it has served first, however many an epoch has', async () => {
    const { say, sent } = await registerOf({ grants: 8 });
    say('b', question('read', 39));
    say('b', question('read', 40));
    await turn();
    expect(sent.map(({ message }) => message.type)).toEqual(['late', 'copy']);
  });

  test('is not answered before it knows where it stands', async () => {
    let serve!: (epoch: number) => void;
    const { say, sent } = await registerOf({ served: new Promise((resolve) => (serve = resolve)) });
    say('b', question('read', 2 ** 50));
    await turn();
    expect(sent).toEqual([]);
    serve(0);
    await turn();
    say('b', question('read', 2 ** 50));
    await turn();
    expect(sent).toHaveLength(1);
  });

  test('and is malformed is not answered; no such answer counts, nor that of one who does not keep it', async () => {
    const { register, say, sent, lastTo } = await registerOf();
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
    for (const [from, message] of bad) say(from, message);
    await turn();
    expect(sent).toEqual([]);
    let isDone = false;
    void register.change((n) => n).then(() => (isDone = true));
    await turn();
    const { number } = lastTo('b');
    for (const said of [
      { type: 'copy', copy: { fence: 1.5, value: 1 } },
      { type: 'copy', copy: { fence: 1 } },
      { type: 'copy', copy: { fence: 1, value: 1, keepers: {} } },
      { type: 'copy', copy: 7 },
      { type: 'copy' },
      { type: 'known' },
    ])
      for (const from of ['b', 'c']) say(from, { ...said, number });
    for (const from of ['y', 'z']) say(from, { ...copy(1, 1), number });
    for (const from of ['b', 'c']) say(from, { ...copy(1, 1), number: number - 1 });
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

  test('it knows its copy and its promise, and saves both before it answers', async () => {
    const { storage, saves, keys, fail } = inHand({
      peer: 'a',
      stored: { promised: 20, copy: { fence: 10, value: 4, keepers } },
    });
    const { say, sent } = await registerOf({ storage, served: new Promise(() => {}) });
    say('b', read(19));
    say('b', read(21));
    await turn();
    expect(keys).toEqual(['locks/x']);
    expect(sent.map(({ message }) => message)).toEqual([
      { type: 'late', number: 3 },
      { type: 'copy', copy: { fence: 10, value: 4, keepers }, initial, number: 3 },
    ]);
    expect(saves).toEqual([{ peer: 'a', stored: { promised: 21, copy: { fence: 10, value: 4, keepers } } }]);
    sent.length = 0;
    fail(new Error('full'));
    say('b', { type: 'write', fence: 30, value: 9, keepers, number: 3 });
    await turn();
    say('b', read(22));
    await turn();
    expect(sent).toEqual([]);
  });

  test('in which nothing ever was, it is that of a peer that has never changed the value', async () => {
    const { storage } = inHand(undefined);
    const { say, sent } = await registerOf({ storage, served: new Promise(() => {}) });
    say('b', read(0));
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
    const { say, sent } = await registerOf({ storage: inHand(loaded as Json).storage });
    const since = firstFence(5, BOUNDS.grants);
    say('b', read(since));
    await turn();
    expect(sent.map(({ message }) => message)).toEqual([{ type: 'copy', copy: null, initial, since, number: 3 }]);
  });

  test('a change ends with what its storage says', async () => {
    const { storage } = inHand({ peer: 'b', stored: {} });
    const { register } = await registerOf({ storage });
    await expect(register.change((n) => n)).rejects.toMatchObject({ name: 'StorageError' });
  });
});

test('what it is made of is checked, and clients and tabs do not keep it', async () => {
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
