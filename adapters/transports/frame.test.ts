/** Frames on a medium without senders: invalid ones are dropped. Also, names that brokers accept. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { DriverListener } from './driver.js';
import { refusal } from './envelope.js';
import { FrameReader, frameText, isTopicRoot, topicToken } from './frame.js';
import { evil } from './ids.fixture.js';
import { FRAME_BYTES_MAX } from './reading.js';

/** A reader with a clock that the test sets, and records of its messages and warnings. */
function readerOf() {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const received = vi.fn<DriverListener['received']>();
  const clock = { time: 0, now: () => clock.time };
  const reader = new FrameReader('a', { received } as unknown as DriverListener, clock);
  return { reader, received, clock, warnings: () => warn.mock.calls.map(([text]) => text as string) };
}

test('a frame consists of the sender and the JSON of a message', () => {
  const { reader, received, warnings } = readerOf();
  expect(frameText('b "1"', '{"x":[]}')).toBe('{"from":"b \\"1\\"","message":{"x":[]}}');
  reader.read(frameText('b "1"', '{"x":[]}'));
  reader.read(frameText('b', 'null'));
  expect(received.mock.calls).toEqual([
    ['b "1"', { x: [] }],
    ['b', null],
  ]);
  expect(warnings()).toEqual([]);
});

test.each([
  ['text of another program', 'hello', 'it is not JSON: hello'],
  ['a text', '"b"', 'its sender or its message is missing'],
  ['nothing', 'null', 'its sender or its message is missing'],
  ['no sender', '{"message":1}', 'its sender or its message is missing'],
  ['no message', '{"from":"b"}', 'its sender or its message is missing'],
])('an invalid frame is dropped with a warning: %s', (_, text, why) => {
  const { reader, received, warnings } = readerOf();
  reader.read(text);
  expect(received).not.toHaveBeenCalled();
  expect(warnings()).toEqual([`transport "a" dropped a message: ${why}`]);
});

test('an invalid sender is ignored', () => {
  const { reader, received } = readerOf();
  for (const [, from] of evil) reader.read(JSON.stringify({ from, message: 1 }));
  reader.read('{"from":"b","message":1}');
  expect(received.mock.calls).toEqual([['b', 1]]);
});

test('a warning about a frame shows a hundred escaped characters of it at most', () => {
  const { reader, warnings } = readerOf();
  reader.read(`\u001B]0;evil\u0007${'y'.repeat(10_000)}`);
  const [text] = warnings();
  expect(text).toContain('\\u{1b}]0;evil\\u{7}yyy');
  expect(text!.length).toBeLessThan(200);
  // The sender of an envelope sets its version, which used to be printed completely.
  const deep = JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`);
  expect(refusal({ v: deep, name: 'x', message: { type: 'find' } })).toContain('version a list of');
});

test('bytes beyond the limit of a frame are dropped before decoding', () => {
  const { reader, received, warnings } = readerOf();
  const decode = vi.spyOn(TextDecoder.prototype, 'decode');
  reader.readBytes(new Uint8Array(FRAME_BYTES_MAX + 1));
  expect(decode).not.toHaveBeenCalled();
  expect(warnings().join()).toContain('its 1048577 bytes are over the limit of 1048576');
  reader.readBytes(new TextEncoder().encode('{"from":"b","message":1}'));
  expect(received.mock.calls).toEqual([['b', 1]]);
  const text = JSON.stringify({ from: 'b', message: '' });
  reader.readBytes(new TextEncoder().encode(JSON.stringify({ from: 'b', message: 'x'.repeat(FRAME_BYTES_MAX - text.length) })));
  expect(received).toHaveBeenCalledTimes(2);
});

test('a topic may begin with any readable text that brokers accept', () => {
  const roots = ['locks', 'locks.of a', 'ä', 'x'.repeat(255), 'cost$'];
  expect(roots.filter((root) => !isTopicRoot(root))).toEqual([]);
  const none = ['', 'x'.repeat(256), '$SYS', 'a\nb', 'a\u200Bb', '\uD800', 'a\u2028b', 'a\u2029b', 7, null, undefined, ['a']];
  expect(none.filter(isTopicRoot)).toEqual([]);
});

test('an id is one token of a topic, and no two have the same', () => {
  expect(['printer-3_B', 'a.b', 'ä', '\t', '=', '*>+#/'].map(topicToken)).toEqual([
    'printer-3_B',
    'a=2eb',
    '=c3=a4',
    '=09',
    '=3d',
    '=2a=3e=2b=23=2f',
  ]);
});

test('frames of a flood are dropped, with one warning', () => {
  const { reader, received, clock, warnings } = readerOf();
  const flood = (count: number) => {
    for (let i = 0; i < count; i++) reader.read('{"from":"b","message":1}');
  };
  flood(100_010);
  expect(received).toHaveBeenCalledTimes(100_000);
  expect(warnings()).toEqual(['transport "a" dropped a message: more than 100000 frames arrive per second']);
  clock.time = 1000;
  flood(1);
  expect(received).toHaveBeenCalledTimes(100_001);
});
