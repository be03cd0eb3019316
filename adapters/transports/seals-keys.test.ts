/** Messages that wait for a seal, the keys of seals, and a sealed transport compared with the one below it. */
import { beforeEach, describe, expect, test } from 'vitest';
import { absenceOf } from './absence.js';
import { createTransport } from './driver.js';
import { ConnectionError } from './errors.js';
import { inProcessGuarantees } from './guarantees.js';
import { noteLinkedPeers } from './linked-peers.js';
import { sealed } from './sealed.js';
import { carry, drawn, endOf, key, pair, warnings, type Frame } from './seals.fixture.js';
import type { Json } from './transport.js';

beforeEach(() => drawn.clear());

describe('messages that wait', () => {
  test('for a peer that does not answer are limited', async () => {
    const reported = warnings();
    const { a, b, ends } = await pair();
    const large = 'x'.repeat(521_726);
    for (let i = 0; i < 9; i++) a.transport.send('b', large);
    expect(reported()).toEqual([
      'transport "a" dropped a message: "b" has not answered, and more than 4194304 characters wait for it',
    ]);
    carry(ends);
    expect(b.arrived).toHaveLength(8);
  });

  test.each([
    ['possible', 2],
    ['none', 3],
  ] as const)('older than five seconds, with loss: %s', async (loss, count) => {
    const { a, b, ends } = await pair({ guarantees: { loss } });
    a.transport.send('b', 1);
    a.clock.runUntil(1);
    a.transport.send('b', 2);
    a.clock.runUntil(5_001);
    a.news();
    a.transport.send('b', 3);
    carry(ends);
    expect(b.arrived.map((one) => (one as unknown[])[1])).toEqual([1, 2, 3].slice(3 - count));
  });

  test('are lost when the peer goes, which is asked again when it returns', async () => {
    const { a, b, ends } = await pair();
    a.medium.up('b');
    a.transport.send('b', 'lost');
    a.news();
    a.medium.down('b');
    a.medium.up('b');
    expect(a.events.map(({ type }) => type)).toEqual(['up', 'down', 'up']);
    a.transport.send('b', 'new');
    carry(ends);
    expect(b.arrived).toEqual([['a', 'new']]);
  });
});

describe('keys', () => {
  const [old, fresh] = ['the key of last year', 'the key of this year'];

  test('the first of several keys seals, all of them open; bytes and text are equal', async () => {
    warnings();
    const a = await endOf('a', { key: [old, fresh] });
    const b = await endOf('b', { key: [new TextEncoder().encode(fresh), new TextEncoder().encode(old)] });
    a.transport.send('b', 1);
    b.transport.send('a', 2);
    const frames = carry({ a, b });
    expect([a.arrived, b.arrived]).toEqual([[['b', 2]], [['a', 1]]]);
    const names = (id: string) => new Set(frames.filter(([from]) => from === id).map(([, , [name]]) => name));
    expect([names('a').size, names('b').size, new Set([...names('a'), ...names('b')]).size]).toEqual([1, 1, 2]);
  });

  test.each<[what: string, keys: unknown, why: string]>([
    ['none', [], 'no key was passed. Use at least one for every peer'],
    ['nothing', undefined, 'sealed: key is missing. Pass a key of at least 16 random bytes'],
    ['a short one', 'short', 'a key needs at least 16 random bytes, but has 5'],
    ['one that is fifteen bytes', 'x'.repeat(15), 'a key needs at least 16 random bytes, but has 15'],
    ['a number', 7, 'a key is 7. Use a string or a Uint8Array'],
    ['one short of two', ['x'.repeat(16), 'y'], 'a key needs at least 16 random bytes, but has 1'],
  ])('an invalid key is refused at once: %s', (_, keys, why) => {
    const wire = createTransport('a', inProcessGuarantees, () => {});
    expect(() => sealed(wire, { key: keys as string })).toThrow(why);
  });

  test('sixteen bytes are enough', () => {
    const wire = createTransport('a', inProcessGuarantees, () => {});
    expect(() => sealed(wire, { key: new Uint8Array(16) })).not.toThrow();
  });

  test.each<[what: string, given: () => unknown, why: string]>([
    ['nothing', () => undefined, 'returned no valid key: no key was passed. Use at least one for every peer'],
    ['null', () => null, 'returned no valid key: no key was passed'],
    ['a short one', () => 'short', 'returned no valid key: a key needs at least 16 random bytes, but has 5'],
    [
      'a promise',
      () => Promise.reject(new Error('late')),
      'returned a promise. Return the keys synchronously, for example from a map of the keys in use',
    ],
    [
      'an error',
      () => {
        throw new Error('EBUSY');
      },
      'failed: EBUSY',
    ],
    [
      'a value that is not an error',
      () => {
        throw 'busy';
      },
      'failed: busy',
    ],
  ])("a key function that returns %s drops that peer's messages with a warning", async (_, given, why) => {
    const reported = warnings();
    let isFailing = true;
    const a = await endOf('a', { key: (peer) => (peer === 'b' && isFailing ? given() : key) as string });
    const [b, c] = [await endOf('b'), await endOf('c')];
    const ends = { a, b, c };
    a.transport.send('b', 'lost');
    expect(reported()[0]).toBe(
      `transport "a" dropped a message: messages to "b" cannot be sealed: the key function of sealed, called with "b", ${reported()[0]!.split('called with "b", ')[1]}`,
    );
    expect(reported()[0]).toContain(why);
    a.clock.runUntil(10_000);
    b.transport.send('a', 'unheard');
    c.transport.send('a', 'arrived');
    carry(ends);
    expect(a.arrived).toEqual([['c', 'arrived']]);
    expect(reported()[1]).toContain(`the seal of a message from "b" cannot be checked: the key function of sealed`);
    expect(absenceOf(a.transport, 'b')).toBe('it sends, but sealed has no key for it here');
    isFailing = false;
    a.transport.send('b', 'sealed');
    carry(ends);
    expect(b.arrived).toEqual([['a', 'sealed']]);
  });
});

describe('a sealed transport and its wire', () => {
  test('it has the guarantees of its wire, with messages half as large', async () => {
    const { transport } = await endOf('a', { guarantees: { messageBytesMax: 5_025, order: 'unordered' } });
    expect(transport.guarantees).toEqual({ ...inProcessGuarantees, order: 'unordered', messageBytesMax: 2_000 });
  });

  test('earlier events are delivered once it is open, in order', async () => {
    const a = await endOf('a');
    a.transport.send('b', 1);
    const [[, ask]] = a.news() as [[string, Frame]];
    const b = await endOf('b', {
      before: (medium) => {
        medium.up('a');
        medium.received('a', ask as unknown as Json);
      },
    });
    expect(b.events).toEqual([{ type: 'up', peer: 'a' }]);
    expect(b.news().map(([to, [, , kind]]) => [to, kind])).toEqual([['a', 'tell']]);
  });

  test('it ends with its wire, and closing it closes the wire', async () => {
    const broken = await endOf('a');
    broken.medium.lost(new ConnectionError('cut'));
    expect(broken.events.at(-1)).toEqual({ type: 'closed', error: new ConnectionError('cut') });
    const { transport, wire, events } = await endOf('a');
    await wire.close();
    expect(events.at(-1)).toMatchObject({ type: 'closed', error: { message: 'the transport of "a" was closed' } });
    expect(transport.isClosed).toBe(true);
    const other = await endOf('b');
    await other.transport.close();
    expect(other.wire.isClosed).toBe(true);
  });

  test('closing it while its wire connects stops that', async () => {
    const wire = createTransport('a', inProcessGuarantees, () => new Promise(() => {}));
    const transport = sealed(wire, { key });
    const connecting = transport.connect().catch((error: Error) => error.name);
    void transport.close();
    expect([await connecting, wire.isClosed]).toEqual(['ClosedError', true]);
    await wire.close();
  });

  test('other options, an invalid transport, or one already linked are refused', () => {
    expect(() => sealed({} as never, { key })).toThrow(
      'sealed takes a transport as its first argument, as in sealed(nats({ id, connection }), { key })',
    );
    const wire = createTransport('a', inProcessGuarantees, () => {});
    expect(() => sealed(wire, { key, salt: 1 } as never)).toThrow('sealed has no option salt');
    expect(() => sealed(wire, { key: null } as never)).toThrow('sealed: key is null. Pass a key of at least 16 random bytes');
    noteLinkedPeers(wire, ['b']);
    expect(() => sealed(wire, { key })).toThrow(
      'sealed goes below linked, and transport "a" is linked already. Write linked(sealed(transport, { key }), { peers })',
    );
  });
});
