/** Messages that wait for the peers of a linked transport, on a link that the test controls. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { roleTo } from '../machines/link/view.js';
import type { PeerLimits } from './limits.js';
import type { LiveNode } from './node/node.js';
import { Outgoing, roomsIn } from './outgoing.js';
import { envelopeOf } from './transports/envelope.js';
import { Drops } from './transports/drops.js';
import type { Json } from './transports/transport.js';

const MIB = 2 ** 20;
const LIMITS = { window: 30, room: 40, roomSize: MIB, nodesRoomSize: MIB / 2 } as PeerLimits;

/** The end of the link to peer `b`: posted messages wait until the test takes them. Parts have four characters by default. */
function linkOf(value = 'up', partLength = 4, limits: Partial<PeerLimits> = {}) {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const end = { value, context: { peer: 'b', outbox: [] as string[], outboxSize: 0, sent: 0 } };
  /** Reaction of the link to a message that is posted when it is full. */
  const link = { full: () => {} };
  const node = {
    id: 'a',
    role: (name: string) => (name === roleTo('b') ? { value: end.value, context: { ...end.context } } : undefined),
    attempt: (what: string, { peer, body }: { peer: string; body: string }) => {
      expect([what, peer]).toEqual(['post', 'b']);
      end.context.outbox.push(body);
      end.context.outboxSize += body.length;
      link.full();
    },
  } as unknown as LiveNode;
  const outgoing = new Outgoing(node, partLength, new Drops('transport "a"', { now: () => 0 }), { ...LIMITS, ...limits });
  const send = (message: Json) => outgoing.send('b', message, JSON.stringify(message));
  /** Messages that wait at the link, which has sent all of them. */
  const taken = () => {
    end.context.outboxSize = 0;
    return end.context.outbox.splice(0);
  };
  return { outgoing, end, link, send, taken, warnings: () => warn.mock.calls.map(([text]) => text as string) };
}

test('the link has space for messages of applications and of nodes', () => {
  expect(roomsIn({ window: 3, room: 4, roomSize: 100, nodesRoomSize: 10 } as PeerLimits)).toEqual({
    window: 3,
    room: 11,
    roomSize: 110,
  });
});

test('a message of one part is posted to the link at once', () => {
  const { outgoing, end, send } = linkOf();
  send('ab');
  expect([end.context.outbox, outgoing.hasTurns('b')]).toEqual([['="ab"'], false]);
});

test('parts of a message are posted four ahead, and more when the link has sent some', () => {
  const { outgoing, end, send, taken } = linkOf();
  send('abcdefghijklmnopqrstuvwxyz');
  expect([end.context.outbox, outgoing.hasTurns('b')]).toEqual([['+"abc', '+defg', '+hijk', '+lmno'], true]);
  outgoing.handOn('b');
  expect(end.context.outbox).toHaveLength(4);
  end.context.sent = 2;
  outgoing.handOn('b');
  expect(end.context.outbox.slice(4)).toEqual(['+pqrs', '+tuvw']);
  end.context.sent = 0;
  taken();
  outgoing.handOn('b');
  expect([taken(), outgoing.hasTurns('b')]).toEqual([['-xyz"'], false]);
});

test('small messages overtake other conversations, and wait behind their own', () => {
  const { outgoing, send, taken } = linkOf('up', 50);
  send('x'.repeat(300));
  expect(taken().map((body) => body[0])).toEqual(['+', '+', '+', '+']);
  send(envelopeOf('n', { type: 'x' }));
  send('own');
  expect(taken().map((body) => body[0])).toEqual(['=', '+', '+', '-', '=']);
  expect(outgoing.hasTurns('b')).toBe(false);
});

test('messages of an application are one conversation, whatever their form', () => {
  const { send, taken } = linkOf('up', 50);
  send({ type: 'chat', text: 'x'.repeat(300) });
  taken();
  send({ v: 1, name: '', message: { type: 'x' } });
  expect(taken().map((body) => body[0])).toEqual(['+', '+', '-', '=']);
});

test('while a peer is sought, only messages that need no turn are posted', () => {
  const { outgoing, end, send } = linkOf('seeking');
  send('ab');
  send('abcdefgh');
  expect([end.context.outbox, outgoing.hasTurns('b')]).toEqual([['="ab"'], true]);
  end.value = 'up';
  outgoing.handOn('b');
  expect(end.context.outbox).toEqual(['="ab"', '+"abc', '+defg', '-h"']);
});

test.each(['down', 'left'])('messages to a peer that is %s, or not in the list, are dropped', (value) => {
  const { outgoing, end, send } = linkOf(value);
  send('ab');
  outgoing.send('z', 'ab', '"ab"');
  expect([end.context.outbox, outgoing.hasTurns('b'), outgoing.hasTurns('z')]).toEqual([[], false, false]);
});

test("an application's waiting messages are limited, and send rejects without effect", () => {
  const { end, send } = linkOf('up', 100, { window: 3, room: 4 });
  for (let i = 0; i < 7; i++) send('ab');
  expect(() => send('ab')).toThrow(
    'transport "a" accepts no more messages for "b" now: 0.0 MiB in 7 messages or parts of them wait for it. The limit is 1 MiB or 7 messages. Send less or later; if a hub or mesh is slow, raise limits.bytesPerSecond there. Nothing was sent',
  );
  expect(() => send('ab')).toThrow(expect.objectContaining({ name: 'BackpressureError', peer: 'b' }));
  expect(end.context.outbox).toHaveLength(7);
  send(envelopeOf('n', { type: 'x' }));
  expect(end.context.outbox).toHaveLength(8);
});

test('and their size, including four characters for each part that waits', () => {
  const { end, send } = linkOf();
  end.context.outboxSize = MIB - 8;
  expect(() => send('ab')).toThrow('1.0 MiB in 0 messages or parts of them wait for it. The limit is 1 MiB or 70 messages');
  end.context.outboxSize = MIB - 9;
  send('ab');
  expect(end.context.outbox).toEqual(['="ab"']);
  const other = linkOf();
  // As if four parts were ready.
  other.end.context.sent = -4;
  other.send('abcdefgh');
  expect([other.end.context.outbox, other.outgoing.hasTurns('b')]).toEqual([[], true]);
  other.end.context.outboxSize = MIB - 33;
  expect(() => other.send('ab')).toThrow('1.0 MiB in 3 messages');
  other.end.context.outboxSize = MIB - 34;
  other.send('ab');
  expect(() => other.send('abcdefgh')).toThrow('1.0 MiB in 4 messages or parts');
  const few = linkOf('up', 4, { window: 2, room: 3 });
  few.end.context.sent = -4;
  few.send('abcdefgh');
  for (let i = 0; i < 2; i++) few.send('ab');
  expect(() => few.send('ab')).toThrow('0.0 MiB in 5 messages or parts');
});

test('messages of nodes have extra space; beyond it the link decides, with a warning', () => {
  const { outgoing, end, link, send, warnings } = linkOf('up', 100);
  link.full = () => void (end.context.outbox.length > 12 && (end.value = 'down'));
  const word = envelopeOf('n', { type: 'word' });
  for (let i = 0; i < 20 && end.value === 'up'; i++) send(word);
  expect(warnings()).toEqual([
    expect.stringMatching(
      /^transport "a" dropped a message: "b" counts as gone: 0\.0 MiB in \d+ messages or parts of them wait for it, the limit for nodes$/,
    ),
  ]);
  outgoing.forget('b');
  expect(outgoing.hasTurns('b')).toBe(false);
});

test('beyond all limits a message goes to the link, which drops the peer', () => {
  const word = envelopeOf('n', { type: 'word', text: 'x'.repeat(30) } as never);
  const sizeOf = (partLength: number) => {
    const { end, send } = linkOf('up', partLength);
    send(word);
    return end.context.outbox.reduce((sum, body) => sum + body.length + 4, 0);
  };
  for (const [beyond, count] of [
    [0, 0],
    [1, 1],
  ]) {
    const { end, send, link } = linkOf('up', 40);
    end.context.sent = -4;
    end.context.outboxSize = MIB + MIB / 2 - sizeOf(40) + beyond!;
    link.full = () => void (end.context.outboxSize = 0);
    send(word);
    expect(end.context.outbox).toHaveLength(count!);
  }
  const counted = linkOf('up', 40, { window: 1, room: 1 });
  counted.end.context.sent = -4;
  for (let i = 0; i < 3; i++) counted.send(word);
  // One in the window and three of nodes may wait; each has two parts.
  expect(counted.end.context.outbox.length).toBeGreaterThan(0);
});

test('a peer waits while its link or queue has messages; lost ones are reported', () => {
  const { outgoing, end, send, taken, warnings } = linkOf();
  expect(outgoing.waitsFor(end.context as never)).toBe(false);
  outgoing.noteLost(end.context as never);
  expect(warnings()).toEqual([]);
  send('ab');
  expect(outgoing.waitsFor(end.context as never)).toBe(true);
  send('abcdefghijklmnopqrstuvwxyz');
  taken();
  expect([outgoing.waitsFor(end.context as never), outgoing.hasTurns('c')]).toEqual([true, false]);
  outgoing.noteLost(end.context as never);
  expect(warnings()).toEqual([
    'transport "a" dropped a message: the transport closed while 0.0 MiB in 4 messages or parts of them wait for "b"',
  ]);
  outgoing.forget('b');
  expect(outgoing.waitsFor(end.context as never)).toBe(false);
});

test('only lost messages of the application are reported at the end', () => {
  const { outgoing, end, send, taken, warnings } = linkOf('up', 1_000);
  const ofNode = envelopeOf('locks', { type: 'hello' });
  const lose = () => (outgoing.noteLost(end.context as never), warnings().length);
  send('received');
  taken();
  send(ofNode);
  expect(lose()).toBe(0);
  send('lost');
  send(ofNode);
  expect(lose()).toBe(1);
});
