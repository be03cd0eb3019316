/** The link layer in virtual time: its frames, those that it accepts, and the order of leaving. */
import { describe, expect, test } from 'vitest';
import { linked } from './linked.js';
import { beats, byWay, clock, DAY, pair, turns, warnings, wireOf } from './linked.fixture.js';
import { lastSession } from './clocks.js';
import { absenceOf } from './transports/absence.js';
import type { Json } from './transports/transport.js';

describe('frames', () => {
  test.each(['€', '😀', '"', '\u0001'])('fit the medium with the smallest messages, for any content: %j', async (character) => {
    const { a, b, sent, receivedA, receivedB, time } = await pair({}, { messageBytesMax: 8_192 });
    const arrived: Json[] = [];
    b.events.subscribe((event) => event.type === 'message' && arrived.push(event.message));
    const large = character.repeat(20_000);
    for (const message of ['first', large]) a.send('b', message);
    b.send('a', large);
    await beats(time, 120);
    expect([arrived[0], arrived[1] === large, arrived.length, receivedA.length, receivedB.length]).toEqual([
      'first',
      true,
      2,
      2,
      3,
    ]);
    expect(Math.max(...sent.map(([, , message]) => Buffer.byteLength(JSON.stringify(message))))).toBeLessThanOrEqual(8_192);
  });

  test('messages that waited for a gone peer are not sent when it returns', async () => {
    const reported = warnings();
    const { a, wire, receivedB, time } = await pair({ patience: 5 }, { messageBytesMax: 8_192 });
    wire.isCut = () => true;
    a.send('b', 'x'.repeat(50_000));
    await beats(time, 12);
    wire.isCut = () => false;
    await beats(time, 12);
    a.send('b', 'new');
    await beats(time, 12);
    expect([receivedB, reported()]).toEqual([['a up', 'a down', 'a up', 'a: "new"'], []]);
  });

  test('invalid messages and frames are dropped with a warning', async () => {
    const reported = warnings();
    const { a, b, wire, sent, receivedB, time } = await pair();
    const becomes = (body: string) => {
      wire.changed = (message) => {
        const { bodies } = message.message;
        return { ...message, message: { ...message.message, ...(bodies?.length > 0 && { bodies: bodies.map(() => body) }) } };
      };
    };
    becomes('={');
    a.send('b', 'first');
    await beats(time, 1);
    expect([receivedB, reported()]).toEqual([
      ['a up'],
      [expect.stringMatching(/^transport "b" dropped a message: .*, from "a"$/)],
    ]);
    becomes('0"second"');
    const count = sent.length;
    b.send('a', 'second');
    await beats(time, 1);
    expect(sent.length).toBeGreaterThan(count);
    expect(reported()[1]).toMatch(/^node "a" of "link\/1" dropped a message: "frame" from "b" is malformed/);
  });
});

describe('accepted sessions', () => {
  const now = clock().now();
  const latest = lastSession(now);
  const frame = {
    type: 'frame',
    session: 1,
    to: null,
    nonce: 1,
    echo: null,
    ack: 0,
    checksum: 0,
    seq: 0,
    rejects: false,
    hears: true,
    bodies: [],
  };
  const bye = { type: 'bye', session: 1, echo: null };
  const passed = (message: object) => [
    { type: 'relay', target: 'c', message },
    { type: 'relayed', origin: 'c', message },
  ];
  /** Report of peer `a` about a frame of peer `b`. */
  const complaints = async (message: object) => {
    const reported = warnings();
    const before = reported().length;
    const { ends, transport } = wireOf();
    const time = clock();
    const a = linked(transport('a'), { peers: ['b', 'c'], clock: time });
    await a.connect();
    for (const peer of ['b', 'c']) ends.get('a')!.up(peer);
    ends.get('a')!.received('b', { v: 1, name: 'link/1', message } as Json);
    void a.close();
    await beats(time, 40);
    return reported()
      .slice(before)
      .filter((text) => /is malformed|clock is more than a day ahead/.test(text)).length;
  };
  const ways = (message: object): object[] => [message, ...passed(message)];

  test.each(ways(frame))('sessions up to a day ahead, in %j', async (word: any) => {
    const of = (more: object) => (word.message ? { ...word, message: { ...word.message, ...more } } : { ...word, ...more });
    expect(await complaints(of({ session: latest, to: latest }))).toBe(0);
    expect(await complaints(of({ session: latest + 1 }))).toBe(1);
    expect(await complaints(of({ to: latest + 1 }))).toBe(1);
    expect(await complaints(of({ bodies: ['=1', '0'] }))).toBe(1);
    expect(await complaints(of({ ack: -1 }))).toBe(1);
  });

  test.each(ways(bye))('the same in %j', async (word: any) => {
    const of = (session: number) => (word.message ? { ...word, message: { ...word.message, session } } : { ...word, session });
    expect([await complaints(of(latest)), await complaints(of(latest + 1))]).toEqual([0, 1]);
  });
});

describe('two nodes of one id', () => {
  test('the second node replaces the first, which ends within fifteen beats', async () => {
    const { ends, transport, time, a, receivedA, receivedB } = await pair();
    const first = ends.get('a')!;
    await beats(time, 5);
    const second = linked(transport('a'), { peers: ['a', 'b'], clock: time });
    await second.connect();
    const own = ends.get('a')!;
    // Both receive frames for their id.
    ends.set('a', { ...own, received: (from, message) => [first, own].forEach((end) => end.received(from, message)) });
    await beats(time, 2);
    expect(a.isClosed).toBe(false);
    await beats(time, 13);
    expect(receivedA.at(-1)).toBe('closed: another node uses the id "a". Pass a unique id for each peer');
    expect([second.isClosed, [...second.peers], receivedB]).toEqual([false, ['b'], ['a up', 'a down', 'a up']]);
    void second.close();
  });

  test('a peer that continues its session is trusted despite frames of a later one', async () => {
    const { ends, time, a, sent } = await pair();
    const { message } = sent.findLast(([from, to]) => from === 'b' && to === 'a')![2];
    const forged = { ...message, to: message.to + 1_000 };
    for (let i = 0; i < 8; i++) {
      ends.get('a')!.received('b', { v: 1, name: 'link/1', message: forged });
      await beats(time, 1);
    }
    expect([a.isClosed, [...a.peers]]).toEqual([false, ['b']]);
  });
});

test('an absent peer counts as gone for good when too many node messages wait for it', async () => {
  const time = clock();
  const a = linked(wireOf().transport('a'), { peers: ['b'], clock: time });
  const arrived: string[] = [];
  a.events.subscribe((event) => arrived.push(event.type === 'closed' ? String(event.error?.message) : event.type));
  await a.connect();
  const large = { v: 1, name: 'mine', message: { type: 'find', text: 'x'.repeat(1_000_000) } };
  for (let i = 0; i < 200 && !a.isClosed; i++) a.send('b', large);
  await turns();
  expect(arrived).toEqual([
    expect.stringMatching(/^more than \d+ messages or \d+ characters wait for peer "b", which has not connected$/),
  ]);
});

describe('a close', () => {
  const leaves = (sent: readonly (readonly [string, string, any])[], of: string) =>
    sent.flatMap(([from, to, { message }]) => {
      if (from !== of) return [];
      if (message.type === 'bye') return [to];
      return message.type === 'relay' && message.message.type === 'bye' ? [`${message.target} by way of ${to}`] : [];
    });

  test('leaves a peer once it has everything, others after its patience', async () => {
    const reported = warnings();
    const { a, c, wire, receivedB, receivedC, time, sent } = await byWay({ patience: 10, relay: false });
    wire.isCut = () => false;
    await beats(time, 4);
    expect([receivedB.at(-1), receivedC.at(-1)]).toEqual(['c up', 'a up']);
    // Frames from c are lost, and c receives everything.
    wire.isCut = (from, to) => from === 'c' && to === 'a';
    a.send('c', 'last');
    let isClosed = false;
    const closing = a.close().then(() => (isClosed = true));
    await beats(time, 2);
    expect([receivedB.at(-1), receivedC.slice(-1), leaves(sent, 'a').includes('c')]).toEqual(['a down', ['a: "last"'], false]);
    await beats(time, 6);
    expect(isClosed).toBe(false);
    await beats(time, 3);
    await closing;
    expect([isClosed, leaves(sent, 'a').at(-1), reported().length]).toEqual([true, 'c', 1]);
    void c.close();
  });

  test('leaves relayed peers before their relay, and none before all have everything', async () => {
    const { a, sent, receivedB, receivedC, time } = await byWay();
    expect([receivedB, receivedC].map((arrived) => arrived.includes('a up'))).toEqual([true, true]);
    sent.length = 0;
    a.send('c', 'x'.repeat(1_000));
    const closing = a.close();
    await beats(time, 6);
    await closing;
    expect(receivedC.slice(-2)).toEqual([expect.stringMatching(/^a: "xxx/), 'a down']);
    const order = leaves(sent, 'a');
    expect(order.indexOf('c by way of b')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('c by way of b')).toBeLessThan(order.indexOf('b'));
  });
});

test('after a peer was linked, its earlier clock is not reported as the reason', async () => {
  warnings();
  const { a, ends, wire, transport, time } = await (async () => {
    const net = wireOf();
    const time = clock();
    const a = linked(net.transport('a'), { peers: ['a', 'b'], clock: time, patience: 5 });
    await a.connect();
    return { ...net, a, time };
  })();
  ends.get('a')!.up('b');
  ends
    .get('a')!
    .received('b', { v: 1, name: 'link/1', message: { type: 'frame', session: (time.now() + 2 * DAY) * 1_000 } } as Json);
  expect(absenceOf(a, 'b')).toMatch(/its clock is more than a day ahead/);
  const b = linked(transport('b'), { peers: ['a', 'b'], clock: time, patience: 5 });
  await b.connect();
  await beats(time, 3);
  expect([[...a.peers], absenceOf(a, 'b')]).toEqual([['b'], null]);
  wire.isCut = () => true;
  await beats(time, 12);
  expect([a.peers.size, absenceOf(a, 'b')]).toEqual([0, expect.stringMatching(/^connected, but its link layer does not answer/)]);
  for (const peer of [a, b]) void peer.close();
  await beats(time, 40);
});
