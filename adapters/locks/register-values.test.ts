/** Values that a register rejects: of changes here, of other peers, and values that other peers reject. */
import { describe, expect, test } from 'vitest';
import { copy, isNumber, keepers, locksOf, registerOf, turn } from './register.fixture.js';
import { Register } from './register.js';

describe('an invalid value', () => {
  test.each([
    ['text', () => 'text' as never, 'gives "text", which isValue rejects'],
    ['NaN, which JSON cannot represent', () => NaN, 'gives NaN, which isValue rejects after its conversion to JSON'],
    ['nothing', () => undefined as never, 'gives undefined, which JSON cannot represent'],
    ['a BigInt', () => 1n as never, 'gives 1n, which JSON cannot represent'],
    ['a promise', async () => 1, 'gives a promise. Await it first, and pass the value. Nothing has changed'],
    ['a promise that fails', () => Promise.reject(new Error('mine')), 'gives a promise'],
  ])('of a change is refused before a write: %s', async (_, how, description) => {
    const { register, sent, released, answer } = await registerOf();
    const changed = register.change(how as () => number).catch((error: Error) => error);
    await turn();
    for (const peer of ['b', 'c']) await answer(peer, copy(7, 40));
    expect(await changed).toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(`"x": a change of it ${description}`),
    });
    expect([sent.every(({ message }) => message.type === 'read'), released.length]).toEqual([true, 1]);
  });

  test('the value of another peer is not changed in place', async () => {
    const all = await locksOf({ peers: ['a'] });
    const register = new Register<number[]>(all.locks, 'x', [], Array.isArray as never);
    const first = register.change((list) => (list.push(1), list));
    expect(await first).toEqual([1]);
    await expect(
      register.change((list) => {
        list.push(2);
        throw new Error('mine');
      }),
    ).rejects.toThrow('mine');
    expect(await register.change((list) => list)).toEqual([1]);
  });

  test('is rejected by a peer that does not accept it', async () => {
    const { sendText, sent } = await registerOf();
    sendText('b', { type: 'write', fence: 2 ** 50, value: 'x', keepers, number: 3 });
    await turn();
    expect(sent.map(({ message }) => message)).toEqual([{ type: 'refused', number: 3 }]);
  });

  test('a change ends once too many peers reject its value, and not before', async () => {
    const { register, answer } = await registerOf();
    let end: unknown;
    void register.change((n) => n + 1).catch((error: Error) => (end = error));
    await turn();
    for (const peer of ['b', 'c']) await answer(peer, copy(7, 40));
    await answer('b', { type: 'refused' });
    expect(end).toBeUndefined();
    await answer('c', { type: 'refused' });
    expect(end).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('the new value of "x" is rejected by isValue at b, c. Use the same isValue at all peers'),
    });
  });

  test('an invalid copy counts as a missing answer, and a change may end because of it', async () => {
    const { register, medium, clock, answer } = await registerOf();
    const strange = { type: 'copy', copy: { fence: 9, value: 'new', keepers } };
    const changed = register.change((n) => n + 1).catch((error: Error) => error);
    await turn();
    await answer('b', strange);
    clock.runUntil(500);
    expect(await Promise.race([changed, turn()])).toBeUndefined();
    medium.down('c');
    clock.runUntil(1_000);
    expect(await changed).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('the value of "x" at b is rejected by isValue at "a"'),
    });
  });
});

test('its name is free again when the locks have ended', async () => {
  const { locks, end } = await locksOf();
  const open = () => new Register(locks, 'x', 0, isNumber);
  open();
  expect(open).toThrow('"locks/x" is already open');
  end(null);
  await turn();
  open();
});
