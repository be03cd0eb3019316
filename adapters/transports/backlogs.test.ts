/** Writes of a line to its socket, and the limits above which the line, or the slowest of all, is closed. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { VirtualClock } from '../../network/clock.js';
import { BoundedLine, LINE_LIMITS, SharedBacklog, type LineRate } from './bounded-line.js';

/** A socket that records its writes. */
class Far extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  isPaused = false;
  ends = 0;
  pings = 0;
  readonly written: unknown[] = [];
  send = (...given: unknown[]) => void this.written.push(given.length === 1 ? given[0] : given);
  ping = () => void this.pings++;
  pause = () => void (this.isPaused = true);
  resume = () => void (this.isPaused = false);
  close = () => void this.ends++;
  terminate = () => {
    this.readyState = 3;
    this.emit('close');
  };
  addEventListener = (type: string, listener: (event: { data: unknown }) => void) =>
    void this.on(type, (data) => listener({ data }));
}

function lineOf(limits = {}, backlog = new SharedBacklog(Infinity, () => {})) {
  const clock = new VirtualClock();
  const far = new Far();
  const notified: [LineRate, string | undefined][] = [];
  const environment = { clock, crypto: globalThis.crypto };
  const socket = far as unknown as WebSocket;
  const line = new BoundedLine(socket, { ...LINE_LIMITS, ...limits }, environment, (...given) => notified.push(given), backlog);
  const arrived: unknown[] = [];
  line.listen({ frame: (text) => arrived.push(text), closed: () => arrived.push('closed') });
  return { clock, far, line, notified, arrived };
}

test('text is sent as it is, as bytes while others wait, not at all once closing', () => {
  const { far, line } = lineOf();
  line.send('ä');
  far.bufferedAmount = 1;
  line.send('ä');
  expect(far.written.splice(0)).toEqual(['ä', [Buffer.from('ä'), { binary: false }]]);
  far.readyState = 2;
  line.send('late');
  expect(far.written).toEqual([]);
});

test('a line with more unread bytes than its limit is closed, and drops messages', () => {
  const { far, line, arrived } = lineOf({ backlogBytes: 100 });
  far.bufferedAmount = 100;
  line.send('x');
  expect([far.written.length, far.readyState]).toEqual([1, 1]);
  far.bufferedAmount = 101;
  line.send('x');
  expect([far.written.length, far.readyState, arrived]).toEqual([1, 3, ['closed']]);
});

test('a line is closed through its socket, and terminated immediately', async () => {
  const { far, line } = lineOf();
  const closing = line.close();
  expect(far.ends).toBe(1);
  line.terminate();
  await closing;
  expect(far.readyState).toBe(3);
});

test('lines share a limit in bytes, and the slowest open one is closed above it', () => {
  const full: number[] = [];
  const backlog = new SharedBacklog(10, (bytesMax) => full.push(bytesMax));
  const [a, b, gone] = [lineOf({}, backlog), lineOf({}, backlog), lineOf({}, backlog)];
  const states = () => [a, b, gone].map(({ far }) => far.readyState);
  gone.far.bufferedAmount = 1_000;
  gone.far.readyState = 2;
  a.far.bufferedAmount = 5;
  b.far.bufferedAmount = 6;
  a.line.send('ä'.repeat(5));
  expect([full, states()]).toEqual([[], [1, 1, 2]]);
  a.line.send('x');
  expect([full, states()]).toEqual([[10], [1, 3, 2]]);
  // The remaining bytes count: five of the first line.
  a.line.send('x'.repeat(5));
  expect(full).toEqual([10]);
  a.far.bufferedAmount = 11;
  a.line.send('x');
  expect([full, states()]).toEqual([
    [10, 10],
    [3, 3, 2],
  ]);
});

test('exactly the limit closes no line, and closed sockets do not count', () => {
  const full: number[] = [];
  const backlog = new SharedBacklog(10, (bytesMax) => full.push(bytesMax));
  const [a, b] = [lineOf({}, backlog), lineOf({}, backlog)];
  a.far.bufferedAmount = 10;
  a.line.send('x'.repeat(11));
  expect(full).toEqual([]);
  b.far.bufferedAmount = 20;
  b.far.emit('close');
  a.line.send('x'.repeat(11));
  expect([full, b.far.readyState]).toEqual([[], 1]);
  const equal = [lineOf({}, backlog), lineOf({}, backlog)];
  for (const { far } of equal) far.bufferedAmount = 30;
  equal[0]!.line.send('x'.repeat(11));
  expect(equal.map(({ far }) => far.readyState)).toEqual([3, 1]);
});

test('the exceeded limit of a line is reported with its peer', () => {
  const { far, line, notified } = lineOf({ framesPerSecond: 1 });
  for (const text of ['1', '2']) far.emit('message', text);
  expect(notified).toEqual([['framesPerSecond', undefined]]);
  const wide = lineOf({ bytesPerSecond: 10 });
  wide.line.peer = 'b';
  for (const text of ['x'.repeat(11), '2']) wide.far.emit('message', text);
  expect(wide.notified).toEqual([['bytesPerSecond', 'b']]);
  void line;
});

test('a frame that is not text is passed on and never held', () => {
  const { far, arrived } = lineOf({ framesPerSecond: 1 });
  for (const data of ['1', '2', 7, Buffer.from('x')]) far.emit('message', data);
  expect(arrived).toEqual(['1', 7, Buffer.from('x')]);
});

test('held frames are delivered at the allowed rate, then the socket is resumed', () => {
  const { clock, far, arrived, notified } = lineOf({ framesPerSecond: 10 });
  for (let i = 0; i < 12; i++) far.emit('message', `${i}`);
  expect([arrived.length, far.isPaused]).toEqual([10, true]);
  clock.runUntil(100);
  expect([arrived.length, far.isPaused]).toEqual([11, true]);
  clock.runUntil(200);
  expect(arrived.length).toBe(12);
  clock.runUntil(320);
  expect([far.isPaused, clock.isIdle]).toEqual([false, true]);
  expect(notified.length).toBeGreaterThan(5);
});

test('a socket that is paused or closing is not pinged at a beat', () => {
  const { far, line } = lineOf();
  line.pauseUntil(new Promise(() => {}));
  for (let i = 0; i < 6; i++) line.beat();
  expect([far.pings, far.readyState]).toEqual([0, 1]);
  const closing = lineOf();
  closing.far.readyState = 2;
  for (let i = 0; i < 3; i++) closing.line.beat();
  expect(closing.far.pings).toBe(0);
});
