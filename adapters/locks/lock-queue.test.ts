/** One queue of callers, with the test as its node: the order of grants, the commands to the node, and the notifications. */
import { expect, test } from 'vitest';
import { LockQueue, type LockQueueHost, type LockQueueNotification, type LockQueueCommand } from './lock-queue.js';
import { Lock } from './lock-handle.js';

interface Standing {
  now: number;
  isConfirmed: boolean;
  isOpen: boolean;
  /** The reaction of the node to a command. */
  asked: (command: LockQueueCommand) => void;
}

/** The queue of lock `x`. */
function queueOf(given: Partial<Standing> = {}) {
  const standing: Standing = { now: 0, isConfirmed: false, isOpen: true, asked: () => {}, ...given };
  const commands: LockQueueCommand[] = [];
  const notifications: LockQueueNotification[] = [];
  const host: LockQueueHost = {
    ask: (command) => {
      commands.push(command);
      standing.asked(command);
    },
    notify: (notification) => void notifications.push(notification),
    now: () => standing.now,
    get isConfirmed() {
      return standing.isConfirmed;
    },
    isOpen: () => standing.isOpen,
  };
  const queue = new LockQueue('x', host);
  const answers = new Map<string, Lock | null | Error>();
  /** Requests the lock for `who`; the result is recorded after the promises have settled. */
  const ask = (who: string, mode: 'exclusive' | 'shared' = 'exclusive', ifAvailable = false, signal?: AbortSignal) => {
    const taken = queue.take(mode, ifAvailable, signal);
    taken.then(
      (lock) => answers.set(who, lock),
      (error: Error) => answers.set(who, error),
    );
    return taken;
  };
  const lockOf = (who: string) => answers.get(who) as Lock;
  return { queue, standing, commands, notifications, answers, ask, lockOf };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const since = (list: unknown[]) => list.splice(0);

test('a queue without callers is idle', () => {
  const { queue, commands, notifications } = queueOf();
  expect([queue.isIdle, queue.hasCallers, queue.fence, queue.inside, queue.pending]).toEqual([true, false, undefined, [], []]);
  expect([commands, notifications]).toEqual([[], []]);
});

test('the first caller requests, is granted the lock, and gives it back once', async () => {
  const { queue, standing, commands, notifications, ask, lockOf } = queueOf();
  void ask('first');
  expect([commands, queue.pending, queue.isIdle, queue.hasCallers]).toEqual([['request'], ['exclusive'], false, true]);
  standing.now = 7;
  queue.granted(3);
  await turn();
  expect(lockOf('first')).toMatchObject({ name: 'x', fence: 3, mode: 'exclusive', isGivenBack: false });
  expect([queue.fence, queue.inside, queue.pending, queue.hasCallers]).toEqual([3, ['exclusive'], [], true]);
  standing.now = 10;
  lockOf('first').release();
  expect([commands, queue.fence, queue.inside, queue.isIdle, queue.hasCallers]).toEqual([
    ['request', 'release'],
    undefined,
    [],
    true,
    false,
  ]);
  lockOf('first').release();
  await lockOf('first')[Symbol.asyncDispose]();
  expect(commands).toHaveLength(2);
  expect(notifications).toEqual([
    { type: 'asked', ms: 0 },
    { type: 'granted', ms: 7 },
    { type: 'released', ms: 3 },
  ]);
  expect([lockOf('first').isGivenBack, lockOf('first').signal.aborted]).toEqual([true, false]);
});

test('the node is asked for one writer after the other', async () => {
  const { queue, commands, answers, ask, lockOf } = queueOf();
  for (const who of ['first', 'second', 'third']) void ask(who);
  expect([since(commands), queue.pending.length]).toEqual([['request'], 3]);
  queue.granted(1);
  await turn();
  expect([answers.size, since(commands)]).toEqual([1, []]);
  lockOf('first').release();
  expect(since(commands)).toEqual(['release', 'request']);
  queue.granted(2);
  await turn();
  expect([lockOf('second').fence, answers.size]).toEqual([2, 2]);
});

test('adjacent readers in line share a grant; the last of them gives it back', async () => {
  const { queue, standing, commands, notifications, answers, ask, lockOf } = queueOf();
  void ask('reader', 'shared');
  void ask('another', 'shared');
  void ask('writer');
  void ask('late', 'shared');
  expect(since(commands)).toEqual(['share']);
  queue.granted(5);
  await turn();
  expect([[...answers.keys()], queue.inside, queue.pending]).toEqual([
    ['reader', 'another'],
    ['shared', 'shared'],
    ['exclusive', 'shared'],
  ]);
  expect([lockOf('reader').fence, lockOf('another').fence, lockOf('another').mode]).toEqual([5, 5, 'shared']);
  standing.now = 4;
  lockOf('reader').release();
  expect([since(commands), queue.inside]).toEqual([[], ['shared']]);
  standing.now = 9;
  lockOf('another').release();
  expect(since(commands)).toEqual(['release', 'request']);
  expect(notifications.filter(({ type }) => type === 'released')).toEqual([
    { type: 'released', ms: 4 },
    { type: 'released', ms: 9 },
  ]);
});

test('a reader joins the present readers, unless a request waits for them to end', async () => {
  const { queue, standing, answers, ask } = queueOf();
  void ask('reader', 'shared');
  queue.granted(1);
  void ask('second', 'shared');
  await turn();
  expect(answers.has('second')).toBe(true);
  standing.isOpen = false;
  void ask('third', 'shared');
  await turn();
  expect(answers.has('third')).toBe(false);
  standing.isOpen = true;
  queue.letIn();
  await turn();
  expect(answers.has('third')).toBe(true);
  void ask('writer');
  void ask('behind', 'shared');
  await turn();
  expect([answers.has('behind'), queue.pending]).toEqual([false, ['exclusive', 'shared']]);
});

test('no caller joins a writer, and no writer joins readers', async () => {
  const { queue, answers, ask } = queueOf();
  void ask('writer');
  queue.granted(1);
  void ask('reader', 'shared');
  await turn();
  expect([...answers.keys()]).toEqual(['writer']);
});

test('a confirmed grant is only for callers that came before its request', async () => {
  const { queue, commands, answers, ask, lockOf } = queueOf({ isConfirmed: true });
  void ask('reader', 'shared');
  queue.granted(1);
  void ask('late', 'shared');
  await turn();
  expect([[...answers.keys()], since(commands)]).toEqual([['reader'], ['share']]);
  lockOf('reader').release();
  expect(since(commands)).toEqual(['release', 'share']);
  void ask('later', 'shared');
  queue.granted(2);
  await turn();
  expect([lockOf('late').fence, answers.has('later')]).toEqual([2, false]);
});

test('an abandoned confirmed grant is given back: a later caller repeats the request', async () => {
  const { queue, commands, answers, ask } = queueOf({ isConfirmed: true });
  const giving = new AbortController();
  void ask('first', 'exclusive', false, giving.signal);
  giving.abort(new Error('enough'));
  void ask('second');
  expect(since(commands)).toEqual(['request', 'cancel']);
  queue.granted(1);
  await turn();
  expect([answers.get('first'), answers.has('second'), since(commands)]).toEqual([
    new Error('enough'),
    false,
    ['release', 'request'],
  ]);
  queue.granted(2);
  await turn();
  expect((answers.get('second') as Lock).fence).toBe(2);
});

test('otherwise a later caller takes over the request, except in another mode', async () => {
  for (const [mode, commandsThen] of [
    ['exclusive', []],
    ['shared', ['release', 'share']],
  ] as const) {
    const { queue, commands, answers, ask } = queueOf();
    const giving = new AbortController();
    void ask('first', 'exclusive', false, giving.signal);
    giving.abort(new Error('enough'));
    void ask('second', mode);
    since(commands);
    queue.granted(1);
    await turn();
    expect([commands, answers.has('second')]).toEqual([commandsThen, mode === 'exclusive']);
  }
});

test('a caller that gives up gets the reason, and its grant is given back', async () => {
  const { queue, standing, commands, notifications, answers, ask } = queueOf();
  const giving = new AbortController();
  void ask('first', 'exclusive', false, giving.signal);
  standing.now = 5;
  giving.abort(new Error('enough'));
  await turn();
  expect([answers.get('first'), queue.pending, queue.isIdle, queue.hasCallers]).toEqual([new Error('enough'), [], false, false]);
  expect(notifications.at(-1)).toEqual({ type: 'abandoned', ms: 5 });
  queue.granted(1);
  expect([commands, queue.isIdle]).toEqual([['request', 'cancel', 'release'], true]);
});

test('a canceled request is repeated for a new caller; wanted ones are not canceled', async () => {
  const { queue, commands, ask } = queueOf();
  const [one, other] = [new AbortController(), new AbortController()];
  void ask('first', 'exclusive', false, one.signal);
  void ask('second', 'exclusive', false, other.signal);
  one.abort();
  other.abort();
  queue.canceled();
  expect([since(commands), queue.isIdle]).toEqual([['request', 'cancel'], true]);
  void ask('third');
  expect([since(commands), queue.isIdle]).toEqual([['request'], false]);
});

test('a writer that gives up lets in the readers behind it', async () => {
  const { queue, answers, ask } = queueOf();
  const giving = new AbortController();
  void ask('reader', 'shared');
  queue.granted(1);
  void ask('writer', 'exclusive', false, giving.signal);
  void ask('behind', 'shared');
  await turn();
  expect(answers.has('behind')).toBe(false);
  giving.abort(new Error('enough'));
  await turn();
  expect([answers.has('behind'), queue.inside]).toEqual([true, ['shared', 'shared']]);
});

test('only the caller that gives up leaves, and a later signal has no effect', async () => {
  const { queue, answers, notifications, ask } = queueOf();
  const [one, two] = [new AbortController(), new AbortController()];
  void ask('first', 'exclusive', false, one.signal);
  void ask('second', 'exclusive', false, two.signal);
  void ask('third');
  two.abort(new Error('enough'));
  await turn();
  expect([[...answers.keys()], queue.pending.length]).toEqual([['second'], 2]);
  queue.granted(1);
  one.abort(new Error('late'));
  await turn();
  expect([(answers.get('first') as Lock).fence, queue.pending.length]).toEqual([1, 1]);
  expect(notifications.map(({ type }) => type)).toEqual(['asked', 'asked', 'asked', 'abandoned', 'granted']);
});

test('a lock is available without requests, and not while one is pending', async () => {
  const { queue, commands, notifications, answers, ask } = queueOf();
  void ask('first', 'exclusive', true);
  expect(commands).toEqual(['request', 'probe']);
  void ask('second', 'exclusive', true);
  await turn();
  expect([answers.get('second'), answers.has('first')]).toEqual([null, false]);
  expect(notifications.at(-1)).toEqual({ type: 'unavailable', ms: 0 });
  queue.granted(1);
  await turn();
  expect((answers.get('first') as Lock).fence).toBe(1);
  const other = queueOf();
  const giving = new AbortController();
  void other.ask('first', 'exclusive', false, giving.signal);
  giving.abort();
  void other.ask('second', 'exclusive', true);
  await turn();
  expect(other.answers.get('second')).toBeNull();
});

test('a lock that is granted at once is not probed', async () => {
  const { queue, standing, commands, ask } = queueOf();
  standing.asked = (command) => command === 'request' && queue.granted(1);
  await ask('first', 'exclusive', true);
  expect(commands).toEqual(['request']);
});

test('a shared lock is available while others read and no request waits', async () => {
  const { queue, standing, answers, ask } = queueOf();
  void ask('reader', 'shared');
  queue.granted(1);
  void ask('joins', 'shared', true);
  void ask('writes', 'exclusive', true);
  await turn();
  expect([(answers.get('joins') as Lock).fence, answers.get('writes')]).toEqual([1, null]);
  standing.isOpen = false;
  void ask('closed', 'shared', true);
  await turn();
  expect(answers.get('closed')).toBeNull();
  standing.isOpen = true;
  void ask('waits');
  void ask('behind', 'shared', true);
  await turn();
  expect(answers.get('behind')).toBeNull();
});

test('if the request is queued, ifAvailable callers at the front get null', async () => {
  const { queue, standing, notifications, answers, ask } = queueOf();
  void ask('first', 'exclusive', true);
  standing.now = 3;
  void ask('patient');
  queue.resolveUnavailable();
  await turn();
  expect([answers.get('first'), answers.has('patient'), queue.pending.length]).toEqual([null, false, 1]);
  expect(notifications.at(-1)).toEqual({ type: 'unavailable', ms: 3 });
  queue.resolveUnavailable();
  await turn();
  expect(answers.has('patient')).toBe(false);
});

test('a lost lock notifies all holders, and is requested again for waiting callers', async () => {
  const { queue, standing, commands, notifications, answers, ask, lockOf } = queueOf();
  for (const who of ['one', 'two']) void ask(who, 'shared');
  queue.granted(1);
  void ask('writer');
  await turn();
  since(commands);
  standing.now = 8;
  queue.lost();
  for (const who of ['one', 'two'])
    expect(lockOf(who).signal.reason).toMatchObject({
      name: 'LostError',
      message: expect.stringMatching(/^lock "x" is lost: other peers may have continued without this peer. Request it again/),
    });
  expect([commands, queue.fence, queue.inside]).toEqual([['request'], undefined, []]);
  expect(notifications.filter(({ type }) => type === 'lost')).toEqual([
    { type: 'lost', ms: 8 },
    { type: 'lost', ms: 8 },
  ]);
  lockOf('one').release();
  expect([commands, notifications.filter(({ type }) => type === 'released')]).toEqual([['request'], []]);
  queue.granted(2);
  await turn();
  expect((answers.get('writer') as Lock).fence).toBe(2);
});

test('a request that is lost is asked for again', () => {
  const { queue, commands, ask } = queueOf();
  void ask('first');
  queue.lost();
  expect([commands, queue.pending.length]).toEqual([['request', 'request'], 1]);
});

test('without room, all waiting callers are rejected, and the next one requests again', async () => {
  const { queue, commands, answers, ask } = queueOf();
  for (const who of ['first', 'second']) void ask(who);
  queue.refused(new Error('full'));
  await turn();
  expect([[...answers.values()], queue.isIdle]).toEqual([[new Error('full'), new Error('full')], true]);
  void ask('third');
  expect(commands).toEqual(['request', 'request']);
});

test('close with kept locks: callers are rejected, and holders are notified to stop', async () => {
  const { queue, commands, notifications, answers, ask, lockOf } = queueOf();
  void ask('first');
  queue.granted(1);
  void ask('second');
  await turn();
  let isClosed = false;
  const error = new Error('the locks are closed');
  const closing = queue.close(error, true).then(() => (isClosed = true));
  await turn();
  expect([answers.get('second'), isClosed, queue.fence]).toEqual([error, false, 1]);
  expect(lockOf('first').signal.reason).toMatchObject({
    name: 'LostError',
    message: expect.stringMatching(
      /^lock "x" must be released: the locks are closed. The lock passes to the next waiter when its callback ends or it is released/,
    ),
    cause: error,
  });
  lockOf('first').release();
  await closing;
  expect([isClosed, commands, notifications.at(-1)!.type]).toEqual([true, ['request', 'release'], 'released']);
});

test('close without kept locks ends at once, and later releases have no effect', async () => {
  const { queue, commands, notifications, ask, lockOf } = queueOf();
  void ask('first');
  queue.granted(1);
  await turn();
  await queue.close(new Error('cut'), false);
  expect(lockOf('first').signal.reason).toMatchObject({ message: expect.stringMatching(/^lock "x" is lost: cut. /) });
  lockOf('first').release();
  expect([commands, notifications.at(-1)!.type, queue.hasCallers]).toEqual([['request'], 'lost', false]);
  await queueOf().queue.close(new Error('cut'), true);
});
