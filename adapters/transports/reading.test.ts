/** Text from outside is read in one place within limits, and outgoing text has the same limits. */
import { expect, test } from 'vitest';
import { UsageError } from '../../machines/errors.js';
import { InProcessBus } from './in-process.js';
import {
  bytesOf,
  DEPTH_MAX,
  escape,
  FRAME_BYTES_MAX,
  MESSAGE_BYTES_MAX,
  quote,
  readFrame,
  reasonIn,
  messageOf,
  VALUES_MAX,
  write,
} from './reading.js';

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.each<[string, unknown, RegExp]>([
  ['5,000 brackets', deep(5_000), /more than 64 lists and objects inside each other/],
  ['objects as deep', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, /more than 64 lists/],
  ['half a frame', '{"from":"a","mess', /not JSON: \{"from":"a","mess$/],
  ['a megabyte and one', JSON.stringify('x'.repeat(FRAME_BYTES_MAX - 1)), /over the limit of 1048576 bytes/],
  ['a megabyte of three bytes each', JSON.stringify('€'.repeat(FRAME_BYTES_MAX / 3)), /over the limit/],
  ['too many values', `[${'0,'.repeat(VALUES_MAX)}0]`, /more than 131072 keys and values/],
  ['too many keys', JSON.stringify(Object.fromEntries(Array.from({ length: VALUES_MAX / 2 + 1 }, (_, i) => [i, 0]))), /keys/],
  ['a number beyond all', '{"ack":1e999}', /a number that JSON cannot carry/],
  ['not text', { from: 'a' }, /not text but an object/],
  ['a list', ['a'], /not text but a list/],
  ['bytes', new Uint8Array(3), /not text but an object/],
])('invalid text is refused with a reason and never throws: %s', (_, text, reason) => {
  expect(readFrame(text)).toEqual({ refused: expect.stringMatching(reason) });
});

test('text exactly within the limits is read', () => {
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
  ['a large one', 'x'.repeat(100), /it has 102 bytes as JSON; the limit is 64. Split it/],
  ['not JSON', undefined, /it is undefined, which is not JSON/],
  ['a bigint', [1n], /it is not JSON \(/],
  ['not a number', [NaN], /a number that JSON cannot carry/],
  ['too many values', Array.from({ length: VALUES_MAX }, () => 0), /it has more than 131072 keys and values/],
])('send refuses an invalid message with an error: %s', (_, message, reason) => {
  expect(() => write(message as never, 64, 'transport "a"')).toThrow(reason);
  expect(() => write(message as never, 64, 'transport "a"')).toThrow(UsageError);
});

test('a cycle is refused at send, not followed', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  expect(() => write(cycle as never, 64, 'transport "a"')).toThrow(/more than 64 lists/);
});

test('send rejects an invalid message, and later ones work', async () => {
  const bus = new InProcessBus();
  const [a, b] = [bus.transport('a'), bus.transport('b')];
  const arrived: unknown[] = [];
  b.events.subscribe((event) => event.type === 'message' && arrived.push(event.message));
  await Promise.all([a.connect(), b.connect()]);
  expect(() => a.send('b', 'x'.repeat(a.guarantees.messageBytesMax))).toThrow(
    /transport "a" cannot carry this message: it has \d+ bytes/,
  );
  expect(() => a.send('b', JSON.parse(deep(5_000)))).toThrow(/Nothing was sent/);
  a.send('b', 'x'.repeat(a.guarantees.messageBytesMax - 2));
  await expect.poll(() => arrived.length).toBe(1);
  await Promise.all([a.close(), b.close()]);
});

test.each<[string, unknown, string]>([
  ['a hundred characters', 'x'.repeat(100), 'x'.repeat(100)],
  ['a hundred and one', 'x'.repeat(101), `${'x'.repeat(99)}…`],
  ['terminal control codes', '\u001B[2Jgone\r\n\u202E', '\\u{1b}[2Jgone\\u{d}\\u{a}\\u{202e}'],
  ['an object', { a: 1 }, 'an object'],
  ['a number', -0.5, '-0.5'],
])('%s is quoted', (_, value, text) => {
  expect(quote(value)).toBe(text);
});

test.each<[string, unknown, string]>([
  ['a list', [1], 'a list'],
  ['nothing', null, 'null'],
  ['a hundred that become more', '\n'.repeat(100), `${'\\u{a}'.repeat(20).slice(0, 99)}…`],
])('any value is quoted: %s', (_, value, text) => {
  expect(quote(value)).toBe(text);
});

test('escaping has no length limit, and keeps visible characters', () => {
  expect(escape(`ä ${'x'.repeat(200)}\u2029`)).toBe(`ä ${'x'.repeat(200)}\\u{2029}`);
});

test('the text of a thrown value is its message, also for values that are not errors', () => {
  expect([messageOf(new Error('late\n')), messageOf('none'), messageOf(undefined)]).toEqual(['late\\u{a}', 'none', 'undefined']);
});

test('the reason of a refusal is shown if there is one', () => {
  expect([{ why: 'full' }, { why: '' }, { why: 7 }, {}].map(reasonIn)).toEqual([
    'full',
    'it gave no reason',
    'it gave no reason',
    'it gave no reason',
  ]);
});

test('limits are in bytes of UTF-8, and a message leaves space for its head', () => {
  expect([bytesOf('x'), bytesOf('€'), MESSAGE_BYTES_MAX]).toEqual([1, 3, 1_044_480]);
  expect(write('€'.repeat(10), 32, 'a')).toBe(`"${'€'.repeat(10)}"`);
  expect(() => write('€'.repeat(10), 31, 'transport "a"')).toThrow(
    'transport "a" cannot carry this message: it has 32 bytes as JSON; the limit is 31. Split it. Nothing was sent',
  );
  expect(readFrame('"€"', 5)).toEqual({ value: '€' });
  expect(readFrame('"€"', 4)).toEqual({ refused: 'its 3 characters are over the limit of 4 bytes' });
});

test('a frame is as deep as its message and three levels more', () => {
  expect(readFrame(deep(DEPTH_MAX + 3))).toHaveProperty('value');
  expect(readFrame(deep(DEPTH_MAX + 4))).toHaveProperty('refused');
  const withNull = `${'['.repeat(DEPTH_MAX)}null${']'.repeat(DEPTH_MAX)}`;
  for (const text of [deep(DEPTH_MAX), withNull]) expect(write(JSON.parse(text) as never, 1_000, 'a')).toBe(text);
});

test('keys and values are counted together, to the last one', () => {
  const pairs = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [i, 0])));
  expect(readFrame(pairs(VALUES_MAX / 2 - 1))).toHaveProperty('value');
  expect(readFrame(pairs(VALUES_MAX / 2))).toHaveProperty('refused');
  expect(readFrame(`[${'0,'.repeat(VALUES_MAX - 2)}0]`)).toHaveProperty('value');
  expect(readFrame(`[${'0,'.repeat(VALUES_MAX - 1)}0]`)).toHaveProperty('refused');
});
