/** The link layer in virtual time, on a medium that the test controls: its options, reasons for missing links, and its end. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { linked, type LinkedOptions } from './linked.js';
import { beats, clock, DAY, receivedBy, pair, turns, warnings, wireOf } from './linked.fixture.js';
import { absenceOf, explainAbsence } from './transports/absence.js';
import { createTransport, type DriverListener } from './transports/driver.js';
import { ConnectionError } from './transports/errors.js';
import { inProcessGuarantees } from './transports/guarantees.js';
import { linkedPeersOf } from './transports/linked-peers.js';
import type { Json, Transport } from './transports/transport.js';

describe('its options', () => {
  test.each<[what: string, options: unknown, answer: string]>([
    ['no options', undefined, 'linked takes its options as an object. Pass { peers }'],
    ['no peers', {}, "linked: peers is missing. Pass a list of ids of the others, as in ['a', 'b', 'c']"],
    ['an invalid peer', { peers: ['b', ''] }, 'a peer cannot be ""'],
    ['a peer twice', { peers: ['b', 'c', 'b'] }, 'linked: peers contains "b" twice. Pass a unique id for each peer'],
    ['no time between beats', { peers: [], beatMs: 0 }, 'linked: beatMs is 0. Pass a whole number of milliseconds from 1 to'],
    ['no patience', { peers: [], patience: 0 }, 'linked: patience is 0. Pass a whole number of beats from 1 to'],
    ['an invalid relay', { peers: [], relay: 1 }, 'linked: relay is 1. Pass true or false'],
    ['an unknown option', { peers: [], beat: 1 }, 'linked has no option beat'],
    [
      'longer than any timer',
      { peers: [], beatMs: 2 ** 30, patience: 3 },
      'linked: beatMs × patience is 3221225472. Pass less of either, for a number of milliseconds from 1 to 2147483647',
    ],
    [
      'longer than any timer, with the default patience',
      { peers: [], beatMs: 2 ** 30 },
      'linked: beatMs × patience is 32212254720. Pass less of either',
    ],
  ])('refused with an error: %s', (_, options, answer) => {
    expect(() => linked(wireOf().transport('a'), options as LinkedOptions)).toThrow(answer);
  });

  test('a value that is not a transport, is already linked, or is too narrow', () => {
    expect(() => linked({} as never, { peers: [] })).toThrow(
      'linked takes a transport as its first argument, as in linked(webSocket({ id, url }), { peers })',
    );
    const once = linked(wireOf().transport('a'), { peers: ['b'] });
    expect(() => linked(once, { peers: ['b'] })).toThrow('transport "a" is already linked. Use it');
    expect(linkedPeersOf(once)).toEqual(['b']);
    expect(() => linked(wireOf({ messageBytesMax: 8_191 }).transport('a'), { peers: [] })).toThrow(
      'transport "a" carries messages of 8191 bytes. linked needs at least 8192',
    );
    expect(() => linked(wireOf({ messageBytesMax: 8_192 }).transport('a'), { peers: [] })).not.toThrow();
  });

  test("it guarantees order, delivery, uniqueness, presence, and the medium's identity", () => {
    const { guarantees } = linked(
      wireOf({ order: 'unordered', loss: 'possible', duplication: 'possible', presence: 'none', identity: 'claimed' }).transport(
        'a',
      ),
      { peers: [] },
    );
    expect(guarantees).toEqual({
      order: 'fifo',
      loss: 'none',
      duplication: 'none',
      presence: 'reported',
      identity: 'claimed',
      messageBytesMax: 2 ** 23,
    });
  });
});

describe('two that are linked', () => {
  test("receive each other's messages of any size, in order", async () => {
    const { a, receivedB, time } = await pair();
    expect(receivedB).toEqual(['a up']);
    a.send('b', 'first');
    a.send('b', 'x'.repeat(700_000));
    a.send('b', { last: true });
    await beats(time, 12);
    expect(receivedB.slice(1)).toEqual(['a: "first"', `a: "${'x'.repeat(19)}`, 'a: {"last":true}']);
  });

  test('repeat messages that were lost', async () => {
    const { a, wire, receivedB, time } = await pair();
    wire.isCut = () => true;
    a.send('b', 'once');
    await beats(time, 2);
    wire.isCut = () => false;
    await beats(time, 5);
    expect(receivedB).toEqual(['a up', 'a: "once"']);
  });

  test('disconnect after their patience, and reconnect', async () => {
    const { a, wire, receivedA, receivedB, time } = await pair({ patience: 5 });
    wire.isCut = () => true;
    a.send('b', 'lost');
    await beats(time, 4);
    expect(receivedB).toEqual(['a up']);
    await beats(time, 8);
    expect([receivedA, receivedB]).toEqual([
      ['b up', 'b down'],
      ['a up', 'a down'],
    ]);
    wire.isCut = () => false;
    await beats(time, 8);
    a.send('b', 'new');
    await beats(time, 3);
    expect(receivedB).toEqual(['a up', 'a down', 'a up', 'a: "new"']);
  });

  test('leave once everything was received, and close the medium', async () => {
    const { a, receivedA, receivedB, ends, time } = await pair();
    a.send('b', 'last');
    let isClosed = false;
    const closing = a.close().then(() => (isClosed = true));
    await beats(time, 3);
    await closing;
    expect([receivedB, receivedA.at(-1), isClosed, ends.has('a')]).toEqual([
      ['a up', 'a: "last"', 'a down'],
      'closed: undefined',
      true,
      false,
    ]);
  });

  test('close waits for a silent peer up to its patience, and reports lost messages', async () => {
    const reported = warnings();
    const { a, wire, time } = await pair({ patience: 10 });
    wire.isCut = () => true;
    a.send('b', 'lost');
    let isClosed = false;
    void a.close().then(() => (isClosed = true));
    await beats(time, 9);
    expect(isClosed).toBe(false);
    await beats(time, 2);
    expect([isClosed, reported()]).toEqual([
      true,
      ['transport "a" dropped a message: the transport closed while 0.0 MiB in 1 messages or parts of them wait for "b"'],
    ]);
  });
});

describe('why a peer is not linked', () => {
  const of = async (peers: readonly string[], below: (medium: DriverListener, transport: Transport) => void = () => {}) => {
    const time = clock();
    const { ends, transport } = wireOf();
    const wire = transport('a');
    const a = linked(wire, { peers, clock: time });
    await a.connect();
    below(ends.get('a')!, wire);
    onTestFinished(async () => {
      void a.close();
      await beats(time, 40);
    });
    return { a, medium: ends.get('a')!, time };
  };

  test('it is not in the list, or is absent while unlisted peers are connected', async () => {
    const { a, medium } = await of(['b']);
    expect([absenceOf(a, 'x'), absenceOf(a, 'b')]).toEqual(['not in the peers of linked here', null]);
    for (let i = 1; i <= 7; i++) medium.up(`x${i}`);
    expect(absenceOf(a, 'b')).toBe('not connected; connected, but not in the peers of linked here: x1, x2, x3, x4, x5');
  });

  test('the reason of the medium is shown, with the unlisted peers', async () => {
    const { a, medium } = await of(['b', 'c'], (_, wire) =>
      explainAbsence(wire, (peer) => (peer === 'b' ? 'its hub is away' : null)),
    );
    expect(absenceOf(a, 'b')).toBe('its hub is away');
    medium.up('x');
    expect(absenceOf(a, 'b')).toBe('its hub is away; connected, but not in the peers of linked here: x');
    medium.up('b');
    // A peer in the list is not a stranger.
    expect(absenceOf(a, 'c')).toBe('not connected; connected, but not in the peers of linked here: x');
    expect(absenceOf(a, 'b')).toBe('its hub is away');
    medium.up('c');
    expect(absenceOf(a, 'c')).toBe(
      'connected, but its link layer does not answer: it is starting, or its peers of linked lack this peer',
    );
  });

  test('its clock is a day ahead, until it goes', async () => {
    const reported = warnings();
    const { a, medium, time } = await of(['b']);
    medium.up('b');
    const frame = { type: 'frame', session: (time.now() + 2 * DAY) * 1_000 };
    medium.received('b', { v: 1, name: 'link/1', message: frame } as Json);
    expect(absenceOf(a, 'b')).toMatch(/^connected, but refused because its clock is more than a day ahead/);
    medium.down('b');
    expect(absenceOf(a, 'b')).toBeNull();
    expect(reported().length).toBeGreaterThan(0);
  });

  test('a linked peer has no reason', async () => {
    const { a } = await pair();
    expect(absenceOf(a, 'b')).toBeNull();
  });
});

test.each(['link', 'link/12'])('a peer with the conversation "%s" has another version', async (name) => {
  const reported = warnings();
  const { ends, transport } = wireOf();
  const time = clock();
  const a = linked(transport('a'), { peers: ['b'], clock: time });
  await a.connect();
  ends.get('a')!.received('b', { v: 1, name, message: { type: 'frame' } });
  expect(reported()).toEqual([expect.stringContaining(`peer "b" uses version "${name}" of the link layer, this peer "link/1"`)]);
  void a.close();
  await beats(time, 40);
});

test('another version of the link layer, and a message without an envelope, are named', async () => {
  const reported = warnings();
  const { ends, transport } = wireOf();
  const time = clock();
  const a = linked(transport('a'), { peers: ['b'], clock: time });
  await a.connect();
  ends.get('a')!.received('b', { v: 1, name: 'link/2', message: { type: 'frame' } });
  expect(reported()).toEqual([
    'peer "a" dropped a message: peer "b" uses version "link/2" of the link layer, this peer "link/1". Run the same release on both',
  ]);
  const other = wireOf();
  const c = linked(other.transport('c'), { peers: ['b'], clock: time });
  await c.connect();
  other.ends.get('c')!.received('b', 'hello');
  const plain = wireOf();
  const d = linked(plain.transport('d'), { peers: ['b'], clock: time });
  await d.connect();
  plain.ends.get('d')!.received('b', { v: 1, name: 'linked', message: { type: 'frame' } });
  expect(reported().slice(1)).toEqual([
    'peer "c" dropped a message: it is not an envelope, from "b"',
    'peer "d" dropped a message: no local node belongs to "linked", named by "b"',
  ]);
  for (const each of [a, c, d]) void each.close();
  await beats(time, 40);
});

test('a medium that ends, or never connects, ends it', async () => {
  const { ends, transport } = wireOf();
  const time = clock();
  const a = linked(transport('a'), { peers: ['b'], clock: time });
  const arrived = receivedBy(a);
  await a.connect();
  ends.get('a')!.lost(new ConnectionError('cut'));
  await turns();
  expect(arrived).toEqual(['closed: cut']);
  const failing = createTransport('a', inProcessGuarantees, () => {
    throw new ConnectionError('nobody there');
  });
  await expect(linked(failing, { peers: ['b'], clock: time }).connect()).rejects.toThrow('nobody there');
  const never = createTransport('a', inProcessGuarantees, () => new Promise(() => {}));
  const waiting = linked(never, { peers: ['b'], clock: time });
  const connecting = waiting.connect().catch(({ name }: Error) => name);
  void waiting.close();
  expect([await connecting, never.isClosed]).toEqual(['ClosedError', true]);
});
