import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ANSWER_SECONDS } from './bounds.js';
import type { FromWorker, Task } from './messages.js';
import { inspectorAnswers, type Shown } from './workers.js';

const begun: StubWorker[] = [];

/** Answers all but runs, which it never ends. */
class StubWorker extends EventTarget {
  isEnded = false;
  readonly asked: string[] = [];

  constructor() {
    super();
    begun.push(this);
  }

  postMessage(task: Task): void {
    if (task.do !== 'answer') throw new Error('the inspector runs nothing');
    this.asked.push(task.name);
    const data: FromWorker = { answer: { json: `${task.name} of ${task.chart}` } };
    if (task.name !== 'run') queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data })));
  }

  terminate(): void {
    this.isEnded = true;
  }
}

let shown: Shown;
const answers = () =>
  inspectorAnswers(
    () => shown,
    () => new StubWorker() as unknown as Worker,
  );

beforeEach(() => {
  vi.useFakeTimers();
  begun.length = 0;
  shown = { trace: 'a trace', chart: 'one' };
});
afterEach(() => void vi.useRealTimers());

test('a call without an answer ends with an error, and a new worker takes the next', async () => {
  const ask = answers();
  const endless = ask('./run', { body: '{}' });
  const next = ask('./stories');
  await vi.advanceTimersByTimeAsync(1000 * ANSWER_SECONDS - 1);
  expect(begun).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  const given = await endless;
  expect([given.ok, await given.text()]).toEqual([false, expect.stringMatching(/no answer came within \d+ seconds/)]);
  expect(await (await next).json()).toBe('stories of one');
  expect(begun.map(({ isEnded, asked }) => [isEnded, asked])).toEqual([
    [true, ['run']],
    [false, ['stories']],
  ]);
});

test('another run waits for nothing that was asked about the one before', async () => {
  const ask = answers();
  void ask('./run', { body: '{}' });
  const waiting = ask('./stories');
  await vi.advanceTimersByTimeAsync(0);
  shown = { trace: 'another trace', chart: 'two' };
  expect(await (await ask('./trace')).text()).toBe('another trace');
  expect(await (await ask('./offer', { body: '{}' })).json()).toBe('offer of two');
  expect(begun.map(({ isEnded }) => isEnded)).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(1000 * ANSWER_SECONDS);
  expect((await waiting).ok).toBe(false);
  expect(begun).toHaveLength(2);
});
