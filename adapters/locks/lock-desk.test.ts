/** One desk, and a node behind it that the test is: who comes in, in which order, what the node is asked, and what is told of it. */
import { expect, test } from 'vitest';
import { LockDesk, type DeskHost, type DeskNotice, type Wish } from './lock-desk.js';
import { Lock } from './lock-handle.js';

interface Standing {
  now: number;
  isConfirmed: boolean;
  isOpen: boolean;
  /** What is done when the node is asked something. */
  asked: (wish: Wish) => void;
}

/** The desk of lock `x`. */
function deskOf(given: Partial<Standing> = {}) {
  const standing: Standing = { now: 0, isConfirmed: false, isOpen: true, asked: () => {}, ...given };
  const wishes: Wish[] = [];
  const told: DeskNotice[] = [];
  const host: DeskHost = {
    ask: (wish) => {
      wishes.push(wish);
      standing.asked(wish);
    },
    hear: (notice) => void told.push(notice),
    now: () => standing.now,
    get isConfirmed() {
      return standing.isConfirmed;
    },
    isOpen: () => standing.isOpen,
  };
  const desk = new LockDesk('x', host);
  const answers = new Map<string, Lock | null | Error>();
  /** `who` asks; the answer is there once the promises have had their turn. */
  const ask = (who: string, mode: 'exclusive' | 'shared' = 'exclusive', ifAvailable = false, signal?: AbortSignal) => {
    const taken = desk.take(mode, ifAvailable, signal);
    taken.then(
      (lock) => answers.set(who, lock),
      (error: Error) => answers.set(who, error),
    );
    return taken;
  };
  const lockOf = (who: string) => answers.get(who) as Lock;
  return { desk, standing, wishes, told, answers, ask, lockOf };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const since = (list: unknown[]) => list.splice(0);

test('a desk where nobody was is idle', () => {
  const { desk, wishes, told } = deskOf();
  expect([desk.isIdle, desk.hasCallers, desk.fence, desk.inside, desk.pending]).toEqual([true, false, undefined, [], []]);
  expect([wishes, told]).toEqual([[], []]);
});

test('the first asks, comes in with the grant, gives it back once, and then nobody is there', async () => {
  const { desk, standing, wishes, told, ask, lockOf } = deskOf();
  void ask('first');
  expect([wishes, desk.pending, desk.isIdle, desk.hasCallers]).toEqual([['request'], ['exclusive'], false, true]);
  standing.now = 7;
  desk.granted(3);
  await turn();
  expect(lockOf('first')).toMatchObject({ name: 'x', fence: 3, mode: 'exclusive', isGivenBack: false });
  expect([desk.fence, desk.inside, desk.pending, desk.hasCallers]).toEqual([3, ['exclusive'], [], true]);
  standing.now = 10;
  lockOf('first').release();
  expect([wishes, desk.fence, desk.inside, desk.isIdle, desk.hasCallers]).toEqual([
    ['request', 'release'],
    undefined,
    [],
    true,
    false,
  ]);
  lockOf('first').release();
  await lockOf('first')[Symbol.asyncDispose]();
  expect(wishes).toHaveLength(2);
  expect(told).toEqual([
    { type: 'asked', ms: 0 },
    { type: 'granted', ms: 7 },
    { type: 'released', ms: 3 },
  ]);
  expect([lockOf('first').isGivenBack, lockOf('first').signal.aborted]).toEqual([true, false]);
});

test('the node is asked for one writer after the other', async () => {
  const { desk, wishes, answers, ask, lockOf } = deskOf();
  for (const who of ['first', 'second', 'third']) void ask(who);
  expect([since(wishes), desk.pending.length]).toEqual([['request'], 3]);
  desk.granted(1);
  await turn();
  expect([answers.size, since(wishes)]).toEqual([1, []]);
  lockOf('first').release();
  expect(since(wishes)).toEqual(['release', 'request']);
  desk.granted(2);
  await turn();
  expect([lockOf('second').fence, answers.size]).toEqual([2, 2]);
});

test('those next in line who want to read share a grant; the last of them gives it back', async () => {
  const { desk, standing, wishes, told, answers, ask, lockOf } = deskOf();
  void ask('reader', 'shared');
  void ask('another', 'shared');
  void ask('writer');
  void ask('late', 'shared');
  expect(since(wishes)).toEqual(['share']);
  desk.granted(5);
  await turn();
  expect([[...answers.keys()], desk.inside, desk.pending]).toEqual([
    ['reader', 'another'],
    ['shared', 'shared'],
    ['exclusive', 'shared'],
  ]);
  expect([lockOf('reader').fence, lockOf('another').fence, lockOf('another').mode]).toEqual([5, 5, 'shared']);
  standing.now = 4;
  lockOf('reader').release();
  expect([since(wishes), desk.inside]).toEqual([[], ['shared']]);
  standing.now = 9;
  lockOf('another').release();
  expect(since(wishes)).toEqual(['release', 'request']);
  expect(told.filter(({ type }) => type === 'released')).toEqual([
    { type: 'released', ms: 4 },
    { type: 'released', ms: 9 },
  ]);
});

test('who comes to read while others do joins them, unless somebody waits for them to end', async () => {
  const { desk, standing, answers, ask } = deskOf();
  void ask('reader', 'shared');
  desk.granted(1);
  void ask('second', 'shared');
  await turn();
  expect(answers.has('second')).toBe(true);
  standing.isOpen = false;
  void ask('third', 'shared');
  await turn();
  expect(answers.has('third')).toBe(false);
  standing.isOpen = true;
  desk.letIn();
  await turn();
  expect(answers.has('third')).toBe(true);
  void ask('writer');
  void ask('behind', 'shared');
  await turn();
  expect([answers.has('behind'), desk.pending]).toEqual([false, ['exclusive', 'shared']]);
});

test('nobody joins a writer, and no writer those who read', async () => {
  const { desk, answers, ask } = deskOf();
  void ask('writer');
  desk.granted(1);
  void ask('reader', 'shared');
  await turn();
  expect([...answers.keys()]).toEqual(['writer']);
});

test('where grants are confirmed, only who asked before the node did comes in', async () => {
  const { desk, wishes, answers, ask, lockOf } = deskOf({ isConfirmed: true });
  void ask('reader', 'shared');
  desk.granted(1);
  void ask('late', 'shared');
  await turn();
  expect([[...answers.keys()], since(wishes)]).toEqual([['reader'], ['share']]);
  lockOf('reader').release();
  expect(since(wishes)).toEqual(['release', 'share']);
  void ask('later', 'shared');
  desk.granted(2);
  await turn();
  expect([lockOf('late').fence, answers.has('later')]).toEqual([2, false]);
});

test('a confirmed grant for one who has given up is none for who came later: it asks anew', async () => {
  const { desk, wishes, answers, ask } = deskOf({ isConfirmed: true });
  const giving = new AbortController();
  void ask('first', 'exclusive', false, giving.signal);
  giving.abort(new Error('enough'));
  void ask('second');
  expect(since(wishes)).toEqual(['request', 'cancel']);
  desk.granted(1);
  await turn();
  expect([answers.get('first'), answers.has('second'), since(wishes)]).toEqual([
    new Error('enough'),
    false,
    ['release', 'request'],
  ]);
  desk.granted(2);
  await turn();
  expect((answers.get('second') as Lock).fence).toBe(2);
});

test('without confirmation who came later takes up the old place, unless it wants the lock in another mode', async () => {
  for (const [mode, wishesThen] of [
    ['exclusive', []],
    ['shared', ['release', 'share']],
  ] as const) {
    const { desk, wishes, answers, ask } = deskOf();
    const giving = new AbortController();
    void ask('first', 'exclusive', false, giving.signal);
    giving.abort(new Error('enough'));
    void ask('second', mode);
    since(wishes);
    desk.granted(1);
    await turn();
    expect([wishes, answers.has('second')]).toEqual([wishesThen, mode === 'exclusive']);
  }
});

test('who gives up hears the reason, holds nobody up, and its grant is given back', async () => {
  const { desk, standing, wishes, told, answers, ask } = deskOf();
  const giving = new AbortController();
  void ask('first', 'exclusive', false, giving.signal);
  standing.now = 5;
  giving.abort(new Error('enough'));
  await turn();
  expect([answers.get('first'), desk.pending, desk.isIdle, desk.hasCallers]).toEqual([new Error('enough'), [], false, false]);
  expect(told.at(-1)).toEqual({ type: 'abandoned', ms: 5 });
  desk.granted(1);
  expect([wishes, desk.isIdle]).toEqual([['request', 'cancel', 'release'], true]);
});

test('what the node has canceled is asked for anew by who has come meanwhile, and only what nobody wants is canceled', async () => {
  const { desk, wishes, ask } = deskOf();
  const [one, other] = [new AbortController(), new AbortController()];
  void ask('first', 'exclusive', false, one.signal);
  void ask('second', 'exclusive', false, other.signal);
  one.abort();
  other.abort();
  desk.canceled();
  expect([since(wishes), desk.isIdle]).toEqual([['request', 'cancel'], true]);
  void ask('third');
  expect([since(wishes), desk.isIdle]).toEqual([['request'], false]);
});

test('a writer who gives up lets in those who want to read behind it', async () => {
  const { desk, answers, ask } = deskOf();
  const giving = new AbortController();
  void ask('reader', 'shared');
  desk.granted(1);
  void ask('writer', 'exclusive', false, giving.signal);
  void ask('behind', 'shared');
  await turn();
  expect(answers.has('behind')).toBe(false);
  giving.abort(new Error('enough'));
  await turn();
  expect([answers.has('behind'), desk.inside]).toEqual([true, ['shared', 'shared']]);
});

test('only the one that gives up goes, and after its answer a signal means nothing', async () => {
  const { desk, answers, told, ask } = deskOf();
  const [one, two] = [new AbortController(), new AbortController()];
  void ask('first', 'exclusive', false, one.signal);
  void ask('second', 'exclusive', false, two.signal);
  void ask('third');
  two.abort(new Error('enough'));
  await turn();
  expect([[...answers.keys()], desk.pending.length]).toEqual([['second'], 2]);
  desk.granted(1);
  one.abort(new Error('late'));
  await turn();
  expect([(answers.get('first') as Lock).fence, desk.pending.length]).toEqual([1, 1]);
  expect(told.map(({ type }) => type)).toEqual(['asked', 'asked', 'asked', 'abandoned', 'granted']);
});

test('a lock is available where nobody asks, and not where a request is out, even one that was given up', async () => {
  const { desk, wishes, told, answers, ask } = deskOf();
  void ask('first', 'exclusive', true);
  expect(wishes).toEqual(['request', 'whether']);
  void ask('second', 'exclusive', true);
  await turn();
  expect([answers.get('second'), answers.has('first')]).toEqual([null, false]);
  expect(told.at(-1)).toEqual({ type: 'unavailable', ms: 0 });
  desk.granted(1);
  await turn();
  expect((answers.get('first') as Lock).fence).toBe(1);
  const other = deskOf();
  const giving = new AbortController();
  void other.ask('first', 'exclusive', false, giving.signal);
  giving.abort();
  void other.ask('second', 'exclusive', true);
  await turn();
  expect(other.answers.get('second')).toBeNull();
});

test('a lock that is granted at once is not asked for whether it is', async () => {
  const { desk, standing, wishes, ask } = deskOf();
  standing.asked = (wish) => wish === 'request' && desk.granted(1);
  await ask('first', 'exclusive', true);
  expect(wishes).toEqual(['request']);
});

test('to read is available where others read, nobody waits, and it may', async () => {
  const { desk, standing, answers, ask } = deskOf();
  void ask('reader', 'shared');
  desk.granted(1);
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
  const { desk, standing, told, answers, ask } = deskOf();
  void ask('first', 'exclusive', true);
  standing.now = 3;
  void ask('patient');
  desk.disappoint();
  await turn();
  expect([answers.get('first'), answers.has('patient'), desk.pending.length]).toEqual([null, false, 1]);
  expect(told.at(-1)).toEqual({ type: 'unavailable', ms: 3 });
  desk.disappoint();
  await turn();
  expect(answers.has('patient')).toBe(false);
});

test('a lock that is lost: all who hold it are told, and it is asked for again for who waits', async () => {
  const { desk, standing, wishes, told, answers, ask, lockOf } = deskOf();
  for (const who of ['one', 'two']) void ask(who, 'shared');
  desk.granted(1);
  void ask('writer');
  await turn();
  since(wishes);
  standing.now = 8;
  desk.lost();
  for (const who of ['one', 'two'])
    expect(lockOf(who).signal.reason).toMatchObject({
      name: 'LostError',
      message: expect.stringMatching(
        /^lock "x" is lost: others may have gone on without this peer, and it may be asked for again; what to do/,
      ),
    });
  expect([wishes, desk.fence, desk.inside]).toEqual([['request'], undefined, []]);
  expect(told.filter(({ type }) => type === 'lost')).toEqual([
    { type: 'lost', ms: 8 },
    { type: 'lost', ms: 8 },
  ]);
  lockOf('one').release();
  expect([wishes, told.filter(({ type }) => type === 'released')]).toEqual([['request'], []]);
  desk.granted(2);
  await turn();
  expect((answers.get('writer') as Lock).fence).toBe(2);
});

test('a request that is lost is asked for again', () => {
  const { desk, wishes, ask } = deskOf();
  void ask('first');
  desk.lost();
  expect([wishes, desk.pending.length]).toEqual([['request', 'request'], 1]);
});

test('where there is no room for it, all who wait hear so, and the next asks anew', async () => {
  const { desk, wishes, answers, ask } = deskOf();
  for (const who of ['first', 'second']) void ask(who);
  desk.refused(new Error('full'));
  await turn();
  expect([[...answers.values()], desk.isIdle]).toEqual([[new Error('full'), new Error('full')], true]);
  void ask('third');
  expect(wishes).toEqual(['request', 'request']);
});

test('closing, where the lock is kept until it is given back: who waits is refused, and who holds is told to stop', async () => {
  const { desk, wishes, told, answers, ask, lockOf } = deskOf();
  void ask('first');
  desk.granted(1);
  void ask('second');
  await turn();
  let isClosed = false;
  const error = new Error('the locks are closed');
  const closing = desk.close(error, true).then(() => (isClosed = true));
  await turn();
  expect([answers.get('second'), isClosed, desk.fence]).toEqual([error, false, 1]);
  expect(lockOf('first').signal.reason).toMatchObject({
    name: 'LostError',
    message: expect.stringMatching(
      /^lock "x" is to be given back: the locks are closed; it goes on to others once its callback has ended or it is released/,
    ),
    cause: error,
  });
  lockOf('first').release();
  await closing;
  expect([isClosed, wishes, told.at(-1)!.type]).toEqual([true, ['request', 'release'], 'released']);
});

test('closing, where it is not kept, ends at once, and what is given back afterward is nothing', async () => {
  const { desk, wishes, told, ask, lockOf } = deskOf();
  void ask('first');
  desk.granted(1);
  await turn();
  await desk.close(new Error('cut'), false);
  expect(lockOf('first').signal.reason).toMatchObject({ message: expect.stringMatching(/^lock "x" is lost: cut; /) });
  lockOf('first').release();
  expect([wishes, told.at(-1)!.type, desk.hasCallers]).toEqual([['request'], 'lost', false]);
  await deskOf().desk.close(new Error('cut'), true);
});
