/** What comes from outside is read in one place, within bounds; what is to go out is held to the same ones. */
import { expect, test, vi } from 'vitest';
import { linked } from '../linked.js';
import { broadcastChannel } from './broadcast-channel.js';
import { refusal } from './envelope.js';
import { FrameReader } from './frame.js';
import { isId } from './ids.js';
import { InProcessBus } from './in-process.js';
import { messagePort } from './message-port.js';
import { mqtt } from './mqtt.js';
import { nats } from './nats.js';
import { DEPTH_MAX, FRAME_BYTES_MAX, quote, readFrame, VALUES_MAX, write } from './reading.js';
import { sealed } from './sealed.js';
import { WebSocket } from 'ws';
import { webSocket } from './web-socket.js';
import { webSocketMesh } from './web-socket-mesh.js';

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.each<[string, unknown, RegExp]>([
  ['5,000 brackets', deep(5_000), /more than 64 lists and objects inside each other/],
  ['objects as deep', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, /more than 64 lists/],
  ['half a frame', '{"from":"a","mess', /no JSON: \{"from":"a","mess$/],
  ['a megabyte and one', JSON.stringify('x'.repeat(FRAME_BYTES_MAX - 1)), /over the limit of 1048576 bytes/],
  ['a megabyte of three bytes each', JSON.stringify('€'.repeat(FRAME_BYTES_MAX / 3)), /over the limit/],
  ['too many values', `[${'0,'.repeat(VALUES_MAX)}0]`, /more than 131072 keys and values/],
  ['too many keys', JSON.stringify(Object.fromEntries(Array.from({ length: VALUES_MAX / 2 + 1 }, (_, i) => [i, 0]))), /keys/],
  ['a number beyond all', '{"ack":1e999}', /a number that JSON cannot carry/],
  ['no text', { from: 'a' }, /no text but an object/],
  ['a list', ['a'], /no text but a list/],
  ['bytes', new Uint8Array(3), /no text but an object/],
])('%s: refused with the reason, and nothing is thrown', (_, text, reason) => {
  expect(readFrame(text)).toEqual({ refused: expect.stringMatching(reason) });
});

test('what is just within the bounds is read', () => {
  for (const text of [
    deep(DEPTH_MAX),
    JSON.stringify('x'.repeat(FRAME_BYTES_MAX - 2)),
    '1e308',
    `[${'0,'.repeat(VALUES_MAX - 3)}0]`,
  ]) {
    expect(readFrame(text)).toHaveProperty('value');
  }
});

test.each<[string, unknown, RegExp]>([
  ['a deep message', JSON.parse(deep(DEPTH_MAX + 1)), /it has more than 64 lists/],
  ['a large one', 'x'.repeat(100), /it has 102 bytes as JSON, and 64 are the limit; split it/],
  ['no JSON', undefined, /it is undefined, which is no JSON/],
  ['a bigint', [1n], /it is no JSON \(/],
  ['no number', [NaN], /a number that JSON cannot carry/],
])('%s is refused by name at send', (_, message, reason) => {
  expect(() => write(message as never, 64, 'transport "a"')).toThrow(reason);
});

test('a cycle is refused at send, not followed', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  expect(() => write(cycle as never, 64, 'transport "a"')).toThrow(/more than 64 lists/);
});

test('a transport refuses at send what it cannot carry, and goes on', async () => {
  const bus = new InProcessBus();
  const [a, b] = [bus.transport('a'), bus.transport('b')];
  const heard: unknown[] = [];
  b.events.subscribe((event) => event.type === 'message' && heard.push(event.message));
  await Promise.all([a.connect(), b.connect()]);
  expect(() => a.send('b', 'x'.repeat(a.guarantees.messageBytesMax))).toThrow(
    /transport "a" cannot carry this message: it has \d+ bytes/,
  );
  expect(() => a.send('b', JSON.parse(deep(5_000)))).toThrow(/nothing was sent/);
  a.send('b', 'x'.repeat(a.guarantees.messageBytesMax - 2));
  await expect.poll(() => heard.length).toBe(1);
  await Promise.all([a.close(), b.close()]);
});

test.each<[string, unknown, string]>([
  ['a hundred characters', 'x'.repeat(100), 'x'.repeat(100)],
  ['a hundred and one', 'x'.repeat(101), `${'x'.repeat(99)}…`],
  ['what a terminal obeys', '\u001B[2Jgone\r\n\u202E', '\\u{1b}[2Jgone\\u{d}\\u{a}\\u{202e}'],
  ['an object', { a: 1 }, 'an object'],
  ['a number', -0.5, '-0.5'],
])('%s is quoted', (_, value, text) => {
  expect(quote(value)).toBe(text);
});

test('a warning about a frame shows a hundred escaped characters of it at most', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const reader = (medium = { received: vi.fn() }) => new FrameReader('a', medium as never);
  reader().read(`\u001B]0;evil\u0007${'y'.repeat(10_000)}`);
  const [text] = warn.mock.calls[0]!;
  expect(text).toContain('\\u{1b}]0;evil\\u{7}yyy');
  expect(text.length).toBeLessThan(200);
  warn.mockRestore();
  // The version of an envelope is the sender's to say, and was written out whole.
  expect(refusal({ v: JSON.parse(deep(60)), name: 'x', message: { type: 'find' } })).toContain('version a list of');
});

const evil: [string, unknown][] = [
  ['constructor', 'constructor'],
  ['__proto__', '__proto__'],
  ['toString', 'toString'],
  ['600 characters', 'x'.repeat(600)],
  ['nothing', ''],
  ['a line break', 'a\nb'],
  ['half a character', '\uD800'],
  ['another normal form than NFC', 'e\u0301'],
  ['text from right to left', 'a\u202Eb'],
  ['a space of no width', 'a\u200B'],
  ['a byte order mark', '\uFEFFa'],
  ['a line separator', 'a\u2028b'],
  ['a letter that nobody sees', 'a\u3164'],
  ['a variation of what stands before it', 'a\uFE0F'],
  ['a space that does not break', 'a\u00A0b'],
  ['a space', ' '],
  ['a space at the end', 'a '],
  ['a number', 7],
];
const transports: [string, (id: string) => unknown][] = [
  ['in-process', (id) => new InProcessBus().transport(id)],
  ['message-port', (id) => messagePort(new MessageChannel().port1, { id })],
  ['broadcast-channel', (id) => broadcastChannel({ id })],
  ['web-socket', (id) => webSocket({ id, url: 'ws://127.0.0.1:1', WebSocket })],
  ['web-socket-mesh', (id) => webSocketMesh({ id, listen: { port: 0 }, peers: [] })],
  ['nats', (id) => nats({ id, connection: () => Promise.reject(new Error('none')) })],
  ['mqtt', (id) => mqtt({ id, connection: () => Promise.reject(new Error('none')) })],
  ['sealed', (id) => sealed(Object.assign(new InProcessBus().transport('a'), { id }), { key: 'sixteen bytes and more' })],
  ['linked, among the peers', (id) => linked(new InProcessBus().transport('a'), { peers: ['a', id] })],
];

test.each(transports)('%s refuses at creation what can be no id', (_, create) => {
  for (const [, id] of evil)
    expect(() => create(id as string)).toThrow(/cannot be ".*": .*; give a non-empty string of at most 255/s);
});

test('what people write is an id', () => {
  for (const id of ['printer 3', 'ä b', '日本', 'a.*>', '😀', 'x'.repeat(255)]) expect(isId(id)).toBe(true);
});

test('what is larger than any frame is dropped before it is decoded', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const decode = vi.spyOn(TextDecoder.prototype, 'decode');
  const received = vi.fn();
  const reader = new FrameReader('a', { received } as never);
  reader.readBytes(new Uint8Array(FRAME_BYTES_MAX + 1));
  expect(decode).not.toHaveBeenCalled();
  expect(warn.mock.calls.join()).toContain('its 1048577 bytes are over the limit of 1048576');
  reader.readBytes(new TextEncoder().encode('{"from":"b","message":1}'));
  expect(received.mock.calls).toEqual([['b', 1]]);
  vi.restoreAllMocks();
});

test('a sender that can be none is not heard', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const received = vi.fn();
  const reader = new FrameReader('a', { received } as never);
  for (const [, from] of evil) reader.read(JSON.stringify({ from, message: 1 }));
  reader.read('{"from":"b","message":1}');
  expect(received.mock.calls).toEqual([['b', 1]]);
  warn.mockRestore();
});
