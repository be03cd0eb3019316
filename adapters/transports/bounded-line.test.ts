/** The checks of a line: whether its other end answers, and how often it is asked. */
import { EventEmitter } from 'node:events';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { environmentOf } from '../environment.js';
import { BoundedLine, LINE_LIMITS, SharedBacklog } from './bounded-line.js';

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

/** A socket whose other end is the test. */
class Far extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  readonly asked: string[] = [];
  isPaused = false;
  ping = (data: string) => void this.asked.push(data);
  /** Answers the ping at this index, by default the last one. */
  answer = (at = -1) => void this.emit('pong', Buffer.from(this.asked.at(at)!));
  pause = () => void (this.isPaused = true);
  resume = () => void (this.isPaused = false);
  terminate = () => {
    this.readyState = 3;
    this.emit('close');
  };
  addEventListener = (type: string, listener: (event: { data: unknown }) => void) =>
    void this.on(type, (data) => listener({ data }));
  get pings(): number {
    return this.asked.length;
  }
  sends = (text: string) => void this.emit('message', text);
}

function line(limits = {}, frame: (text: unknown) => void = () => {}) {
  const far = new Far();
  const notified: Far[] = [];
  const near = new BoundedLine(
    far as unknown as WebSocket,
    { ...LINE_LIMITS, ...limits },
    environmentOf({}),
    () => notified.push(far),
    new SharedBacklog(Infinity, () => {}),
  );
  near.listen({ frame, closed: () => {} });
  return { far, near, notified };
}

/** Result of a question after the given milliseconds. */
async function after(ms: number, answer: Promise<boolean>): Promise<boolean | 'open'> {
  await vi.advanceTimersByTimeAsync(ms);
  return Promise.race([answer, Promise.resolve<'open'>('open')]);
}

test('a hundred concurrent callers cause two questions in turn; later ones a third', async () => {
  const { far, near } = line();
  const before = far.eventNames().map((name) => far.listenerCount(name));
  const [first, ...others] = Array.from({ length: 100 }, () => near.answers());
  expect(far.pings).toBe(1);
  far.answer();
  expect(await first).toBe(true);
  expect(await after(0, others[0]!)).toBe('open');
  expect(far.pings).toBe(2);
  far.answer();
  expect(new Set(await Promise.all(others))).toEqual(new Set([true]));
  expect(far.eventNames().map((name) => far.listenerCount(name))).toEqual(before);
  const last = near.answers();
  expect([far.pings, await after(999, last), await after(1, last)]).toEqual([3, 'open', false]);
  expect(vi.getTimerCount()).toBe(0);
});

test('the answer to an earlier beat does not answer a later question', async () => {
  const { far, near } = line();
  for (let i = 0; i < 2; i++) near.beat();
  const answer = near.answers();
  near.beat();
  far.answer(0);
  expect(await after(900, answer)).toBe('open');
  // An end may answer only the last of several pings.
  far.answer();
  expect(await answer).toBe(true);
});

test('an answer before the end closed does not count for a later question', async () => {
  const { far, near } = line();
  const before = near.answers();
  // The close of the end is queued behind its answer.
  const later = near.answers();
  far.answer();
  expect(await before).toBe(true);
  far.terminate();
  expect(await later).toBe(false);
});

test('one late timer decides nothing: the answer may wait in a paused process', async () => {
  const { near } = line();
  const answer = near.answers();
  await vi.advanceTimersToNextTimerAsync();
  expect(await after(0, answer)).toBe('open');
});

test('an end that is closed or closing does not answer', async () => {
  const { far, near } = line();
  const answer = near.answers();
  far.terminate();
  expect([await answer, await near.answers(), far.pings]).toEqual([false, false, 1]);
});

test('an earlier frame does not answer the question, but extends the deadline', async () => {
  const { far, near } = line();
  const answer = near.answers();
  for (let i = 0; i < 5; i++) {
    await vi.advanceTimersByTimeAsync(900);
    far.sends('{}');
  }
  expect(await after(900, answer)).toBe('open');
  far.answer();
  expect(await answer).toBe(true);
  const silent = near.answers();
  far.sends('{}');
  expect([await after(1_000, silent), await after(200, silent)]).toEqual(['open', false]);
});

test('a line that is read slowly gets extra time for its pauses', async () => {
  const { far, near } = line({ bytesPerSecond: 1_000 });
  far.sends('x'.repeat(4_000));
  far.sends('{}');
  expect(far.isPaused).toBe(true);
  const answer = near.answers();
  expect(await after(2_900, answer)).toBe('open');
  await vi.advanceTimersByTimeAsync(200);
  expect([far.isPaused, await after(800, answer), await after(300, answer)]).toEqual([false, 'open', false]);
});

test('a silent end is pinged after one beat and disconnected after three', () => {
  const { far, near } = line();
  const beats = Array.from({ length: 3 }, () => (near.beat(), far.pings));
  expect([beats, far.readyState]).toEqual([[0, 1, 2], 1]);
  near.beat();
  expect(far.readyState).toBe(3);
});

test('an end that sends continuously for two minutes is never pinged', () => {
  const { far, near } = line({ framesPerSecond: 10 });
  for (let second = 0; second < 120; second++) {
    for (let i = 0; i < 20; i++) far.sends('{}');
    vi.advanceTimersByTime(1_000);
    near.beat();
  }
  expect([far.pings, far.readyState]).toEqual([0, 1]);
});

test.each([
  ['frames', '{}', 2_000],
  ['bytes', JSON.stringify('x'.repeat(400_000)), 2 ** 21 / 400_002],
  // A character is not a byte.
  ['bytes of other alphabets', JSON.stringify('€'.repeat(200_000)), 2 ** 21 / 600_002],
])('a flood of %s is read at the limits of frames and bytes per second', async (_, text, each) => {
  let arrived = 0;
  const { far, notified } = line({}, () => arrived++);
  const send = () => {
    for (let sent = 0; !far.isPaused && sent < 3_000; sent++) far.sends(text);
  };
  const flooding = setInterval(send, 10);
  await vi.advanceTimersByTimeAsync(30_000);
  clearInterval(flooding);
  expect(arrived).toBeGreaterThan(28 * each);
  expect(arrived).toBeLessThan(32 * each + 1);
  expect(notified.length).toBeGreaterThan(0);
});

test('an idle end may send ten seconds’ worth at once, a new one a second’s worth', async () => {
  const arrived: unknown[] = [];
  const { far, notified } = line({ framesPerSecond: 100 }, (text) => arrived.push(text));
  const send = (count: number) => {
    for (let i = 0; i < count; i++) far.sends('{}');
  };
  send(101);
  expect([arrived.length, notified.length]).toEqual([100, 1]);
  await vi.advanceTimersByTimeAsync(60_000);
  send(1_000);
  expect([arrived.length, notified.length]).toEqual([1_101, 1]);
  send(1);
  expect([arrived.length, notified.length]).toEqual([1_101, 2]);
});

test.each(['ping', 'pong'])('a flood of %s frames pauses its line until the rate allows all of them', async (kind) => {
  const { far, notified } = line({ framesPerSecond: 10 });
  for (let i = 0; i < 40; i++) far.emit(kind, Buffer.alloc(125));
  expect([far.isPaused, notified.length > 0]).toEqual([true, true]);
  await vi.advanceTimersByTimeAsync(2_900);
  expect(far.isPaused).toBe(true);
  await vi.advanceTimersByTimeAsync(300);
  expect(far.isPaused).toBe(false);
});

test('a paused line reads nothing, and later delivers everything in order', async () => {
  const arrived: unknown[] = [];
  let leave: Promise<unknown> | undefined;
  const { far, near } = line({}, (text) => {
    arrived.push(text);
    if (text === 'wait' || text === 'wait again') near.pauseUntil(leave!);
  });
  const waiting: (() => void)[] = [];
  const until = () => (leave = new Promise<void>((resolve) => waiting.push(resolve)));
  void until();
  for (const text of ['wait', '1', 'wait again', '2', '3']) far.sends(text);
  expect([arrived, far.isPaused]).toEqual([['wait'], true]);
  void until();
  waiting[0]!();
  await vi.advanceTimersByTimeAsync(5_000);
  // One of the held frames caused the line to be paused again.
  expect([arrived, far.isPaused]).toEqual([['wait', '1', 'wait again'], true]);
  waiting[1]!();
  await vi.advanceTimersByTimeAsync(5_000);
  expect([arrived, far.isPaused]).toEqual([['wait', '1', 'wait again', '2', '3'], false]);
});

test('an end that closes while its line is paused delivers no more frames', async () => {
  const arrived: unknown[] = [];
  const { far, near } = line({}, (text) => arrived.push(text));
  const over = Promise.resolve();
  near.pauseUntil(over);
  far.sends('late');
  far.terminate();
  await vi.advanceTimersByTimeAsync(100);
  expect([arrived, vi.getTimerCount()]).toEqual([[], 0]);
});

test('the connection with the most unread bytes is closed; bytes read do not count', () => {
  const notified: number[] = [];
  const backlog = new SharedBacklog(100, (bytes) => notified.push(bytes));
  const [a, b, c] = [60, 30, 5].map((bufferedAmount) => Object.assign(new Far(), { bufferedAmount }));
  for (const far of [a!, b!, c!]) backlog.watch(far as unknown as WebSocket);
  // The sum of all writes exceeds the limit, the waiting bytes do not.
  for (let i = 0; i < 10; i++) backlog.wrote(60);
  expect([notified, a!.readyState]).toEqual([[], 1]);
  c!.bufferedAmount = 20;
  backlog.wrote(60);
  expect([notified, [a, b, c].map((far) => far!.readyState)]).toEqual([[100], [3, 1, 1]]);
});
