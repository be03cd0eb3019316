/** One desk, and a node behind it that the test is: who comes in, in which order, what the node is asked, and what is notified of it. */
import { expect, test } from 'vitest';
import { LockQueue, type LockQueueHost, type LockQueueNotification, type LockQueueCommand } from './lock-queue.js';
import { Lock } from './lock-handle.js';

interface Standing {
  now: number;
  isConfirmed: boolean;
  isOpen: boolean;
  /** What is done when the node is asked something. */
  asked: (command: LockQueueCommand) => void;
}

/** The desk of lock `x`. */
function queueOf(given: Partial<Standing> = {}) {
  const standing: Standing = { now: 0, isConfirmed: false, isOpen: true, asked: () => {}, ...given };
  const commands: LockQueueCommand[] = [];
  const told: LockQueueNotification[] = [];
  const host: LockQueueHost = {
    ask: (command) => {
      commands.push(command);
      standing.asked(command);
    },
    notify: (notification) => void told.push(notification),
    now: () => standing.now,
    get isConfirmed() {
      return standing.isConfirmed;
    },
    isOpen: () => standing.isOpen,
  };
  const queue = new LockQueue('x', host);
  const answers = new Map<string, Lock | null | Error>();
  /** `who` asks; the answer is there once the promises have had their turn. */
  const ask = (who: string, mode: 'exclusive' | 'shared' = 'exclusive', ifAvailable = false, signal?: AbortSignal) => {
    const taken = queue.take(mode, ifAvailable, signal);
    taken.then(
      (lock) => answers.set(who, lock),
      (error: Error) => answers.set(who, error),
    );
    return taken;
  };
  const lockOf = (who: string) => answers.get(who) as Lock;
  return { queue, standing, commands, told, answers, ask, lockOf };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const since = (list: unknown[]) => list.splice(0);

test('a desk where nobody was is idle', () => {
  const { queue, commands, told } = queueOf();
  expect([queue.isIdle, queue.hasCallers, queue.fence, queue.inside, queue.pending]).toEqual([true, false, undefined, [], []]);
  expect([commands, told]).toEqual([[], []]);
});

test('the first asks, comes in with the grant, gives it back once, and then nobody is there', async () => {
  const { queue, standing, commands, told, ask, lockOf } = queueOf();
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
  expect(told).toEqual([
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

test('those next in line who want to read share a grant; the last of them gives it back', async () => {
  const { queue, standing, commands, told, answers, ask, lockOf } = queueOf();
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
  expect(told.filter(({ type }) => type === 'released')).toEqual([
    { type: 'released', ms: 4 },
    { type: 'released', ms: 9 },
  ]);
});

test('who comes to read while others do joins them, unless somebody waits for them to end', async () => {
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

test('nobody joins a writer, and no writer those who read', async () => {
  const { queue, answers, ask } = queueOf();
  void ask('writer');
  queue.granted(1);
  void ask('reader', 'shared');
  await turn();
  expect([...answers.keys()]).toEqual(['writer']);
});

test('where grants are confirmed, only who asked before the node did comes in', async () => {
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

test('a confirmed grant for one who has given up is none for who came later: it asks anew', async () => {
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

test('without confirmation who came later takes up the old place, unless it wants the lock in another mode', async () => {
  for (const [mode, wishesThen] of [
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
    expect([commands, answers.has('second')]).toEqual([wishesThen, mode === 'exclusive']);
  }
});

test('who gives up hears the reason, holds nobody up, and its grant is given back', async () => {
  const { queue, standing, commands, told, answers, ask } = queueOf();
  const giving = new AbortController();
  void ask('first', 'exclusive', false, giving.signal);
  standing.now = 5;
  giving.abort(new Error('enough'));
  await turn();
  expect([answers.get('first'), queue.pending, queue.isIdle, queue.hasCallers]).toEqual([new Error('enough'), [], false, false]);
  expect(told.at(-1)).toEqual({ type: 'abandoned', ms: 5 });
  queue.granted(1);
  expect([commands, queue.isIdle]).toEqual([['request', 'cancel', 'release'], true]);
});

test('what the node has canceled is asked for anew by who has come meanwhile, and only what nobody wants is canceled', async () => {
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

test('a writer who gives up lets in those who want to read behind it', async () => {
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

test('only the one that gives up goes, and after its answer a signal means nothing', async () => {
  const { queue, answers, told, ask } = queueOf();
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
  expect(told.map(({ type }) => type)).toEqual(['asked', 'asked', 'asked', 'abandoned', 'granted']);
});

test('a lock is available where nobody asks, and not where a request is out, even one that was given up', async () => {
  const { queue, commands, told, answers, ask } = queueOf();
  void ask('first', 'exclusive', true);
  expect(commands).toEqual(['request', 'probe']);
  void ask('second', 'exclusive', true);
  await turn();
  expect([answers.get('second'), answers.has('first')]).toEqual([null, false]);
  expect(told.at(-1)).toEqual({ type: 'unavailable', ms: 0 });
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

test('a lock that is granted at once is not asked for whether it is', async () => {
  const { queue, standing, commands, ask } = queueOf();
  standing.asked = (command) => command === 'request' && queue.granted(1);
  await ask('first', 'exclusive', true);
  expect(commands).toEqual(['request']);
});

test('to read is available where others read, nobody waits, and it may', async () => {
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

test('who is told that others are before us gets nothing, those first in line who would not wait, and no one else', async () => {
  const { queue, standing, told, answers, ask } = queueOf();
  void ask('first', 'exclusive', true);
  standing.now = 3;
  void ask('patient');
  queue.resolveUnavailable();
  await turn();
  expect([answers.get('first'), answers.has('patient'), queue.pending.length]).toEqual([null, false, 1]);
  expect(told.at(-1)).toEqual({ type: 'unavailable', ms: 3 });
  queue.resolveUnavailable();
  await turn();
  expect(answers.has('patient')).toBe(false);
});

test('a lock that is lost: all who hold it are told, and it is asked for again for who waits', async () => {
  const { queue, standing, commands, told, answers, ask, lockOf } = queueOf();
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
      message: expect.stringMatching(
        /^lock "x" is lost: other peers may have continued without this peer. Request it again. What to do/,
      ),
    });
  expect([commands, queue.fence, queue.inside]).toEqual([['request'], undefined, []]);
  expect(told.filter(({ type }) => type === 'lost')).toEqual([
    { type: 'lost', ms: 8 },
    { type: 'lost', ms: 8 },
  ]);
  lockOf('one').release();
  expect([commands, told.filter(({ type }) => type === 'released')]).toEqual([['request'], []]);
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

test('where there is no room for it, all who wait hear so, and the next asks anew', async () => {
  const { queue, commands, answers, ask } = queueOf();
  for (const who of ['first', 'second']) void ask(who);
  queue.refused(new Error('full'));
  await turn();
  expect([[...answers.values()], queue.isIdle]).toEqual([[new Error('full'), new Error('full')], true]);
  void ask('third');
  expect(commands).toEqual(['request', 'request']);
});

test('closing, where the lock is kept until it is given back: who waits is refused, and who holds is told to stop', async () => {
  const { queue, commands, told, answers, ask, lockOf } = queueOf();
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
      /^lock "x" must be released: the locks are closed. It passes to the next waiter when its callback ends or it is released/,
    ),
    cause: error,
  });
  lockOf('first').release();
  await closing;
  expect([isClosed, commands, told.at(-1)!.type]).toEqual([true, ['request', 'release'], 'released']);
});

test('closing, where it is not kept, ends at once, and what is given back afterward is nothing', async () => {
  const { queue, commands, told, ask, lockOf } = queueOf();
  void ask('first');
  queue.granted(1);
  await turn();
  await queue.close(new Error('cut'), false);
  expect(lockOf('first').signal.reason).toMatchObject({ message: expect.stringMatching(/^lock "x" is lost: cut. /) });
  lockOf('first').release();
  expect([commands, told.at(-1)!.type, queue.hasCallers]).toEqual([['request'], 'lost', false]);
  await queueOf().queue.close(new Error('cut'), true);
});
