/** Tab locks in a browser with Web Locks, which lists the tabs and reports those that have ended; tab-locks.deep.ts uses a real one. */
import { asyncScheduler, Subscription, type SchedulerLike } from 'rxjs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { faster } from '../transports/clock.fixture.js';
import { webLocks, type FakeWebLocks } from '../transports/web-locks.fixture.js';
import type { Locks } from './locks.js';
import { createTabLocks } from './tab-locks.js';

/** How long a tab waits for replies after a report of the browser. */
const REPLY_MS = 20;

/** A clock of which only the short waits for replies end, and these late enough for a slow machine. Heartbeats never come. */
function patient() {
  const waits = { begun: 0, ended: 0 };
  const schedule = (work: () => void, ms = 0) => {
    if (ms > REPLY_MS) return Subscription.EMPTY;
    if (ms < REPLY_MS) return asyncScheduler.schedule(work, ms);
    waits.begun++;
    const wait = asyncScheduler.schedule(() => (wait.unsubscribe(), work()), ms * 25);
    wait.add(() => waits.ended++);
    return wait;
  };
  return { clock: { now: () => asyncScheduler.now(), schedule } as SchedulerLike, waits };
}

let channels = 0;

function tabs(clock = patient().clock) {
  const channel = `listed ${++channels}`;
  const opened: Locks[] = [];
  const crashed = new Set<BroadcastChannel>();
  const lines: BroadcastChannel[] = [];
  // A tab that has crashed sends nothing more.
  class Channel extends BroadcastChannel {
    constructor(name: string) {
      super(name);
      lines.push(this);
    }
    override postMessage(message: unknown): void {
      if (!crashed.has(this)) super.postMessage(message);
    }
  }
  vi.stubGlobal('BroadcastChannel', Channel);
  onTestFinished(async () => {
    vi.unstubAllGlobals();
    await Promise.all(opened.map((locks) => locks.close({ withinMs: 0 })));
  });
  const open = (name = channel, own = clock) => {
    const locks = createTabLocks({ channel: name, clock: own });
    opened.push(locks);
    return locks;
  };
  /** Opens a tab that can crash. */
  const mortal = async (web: FakeWebLocks) => {
    const locks = open();
    await locks.ready;
    const own = lines.at(-1)!;
    const crash = () => {
      crashed.add(own);
      web.drop(locks.node.id);
    };
    return { locks, crash };
  };
  return { channel, open, mortal };
}

test('the first tab is served although no heartbeat is due, and so is the next one', async () => {
  webLocks();
  const { open } = tabs();
  const [a, b] = [open(), open()];
  const fence = await a.request('x', (lock) => lock.fence);
  expect(await b.request('x', (lock) => lock.fence)).toBeGreaterThan(fence);
  await expect.poll(() => [a.members.length, b.members.length]).toEqual([2, 2]);
});

test.each(['before', 'after'])('the lock of a crashed tab moves on before a heartbeat, to one opened %s it', async (when) => {
  const web = webLocks();
  const { open, mortal } = tabs();
  const earlier = when === 'before' ? open() : undefined;
  await earlier?.ready;
  const { locks, crash } = await mortal(web);
  const held = await locks.acquire('x');
  const other = earlier ?? open();
  const next = other.acquire('x');
  await expect.poll(() => other.status().waiting.length).toBe(1);
  crash();
  expect((await next).fence).toBeGreaterThan(held.fence);
  expect(other.members).toEqual([other.node.id]);
});

test('a tab that lost its Web Lock, but runs, keeps its locks', async () => {
  const web = webLocks();
  const { clock, waits } = patient();
  const { open } = tabs(clock);
  const a = open();
  const held = await a.acquire('x');
  const b = open();
  await b.ready;
  let isGranted = false;
  const next = b.request('x', () => void (isGranted = true));
  await expect.poll(() => b.status().waiting.length).toBe(1);
  const before = waits.ended;
  web.drop(a.node.id);
  await expect.poll(() => waits.ended > before && waits.ended === waits.begun).toBe(true);
  expect([isGranted, held.signal.aborted, b.members.length]).toEqual([false, false, 2]);
  held.release();
  await next;
});

test('a tab without Web Locks is waited for', async () => {
  vi.stubGlobal('navigator', { locks: { request: () => Promise.reject(new Error('refused')) } });
  const { channel, open } = tabs();
  const a = open(channel, faster(20));
  const held = await a.acquire('x');
  webLocks();
  const b = open();
  await b.ready;
  expect(b.members).toContain(a.node.id);
  let isGranted = false;
  const next = b.request('x', () => void (isGranted = true));
  await expect.poll(() => b.status().waiting.length).toBe(1);
  expect([isGranted, held.signal.aborted]).toEqual([false, false]);
  held.release();
  await next;
});

test('tabs without Web Locks wait for heartbeats', async () => {
  vi.stubGlobal('navigator', {});
  await tabs(faster(20))
    .open()
    .request('x', () => {});
});

test('tabs of one channel are not listed to another one', async () => {
  webLocks();
  const { channel, open } = tabs();
  await open(`${channel}/more`).ready;
  await open().request('x', () => {});
});

test('a tab that has left holds and requests no Web Locks', async () => {
  const web = webLocks();
  const { channel, open } = tabs();
  const [a, b] = [open(), open()];
  await Promise.all([a.ready, b.ready]);
  await expect.poll(() => web.pending.length).toBe(2);
  const of = (tab: Locks) => web.held.filter(({ name }) => name.endsWith(tab.node.id)).length;
  expect([of(a), of(b)]).toEqual([1, 1]);
  expect(web.held.map(({ name }) => name)).toContain(`quiver/tabs/1/${channel}/${a.node.id}`);
  await a.close();
  await expect.poll(() => [of(a), of(b), web.pending.length]).toEqual([0, 1, 0]);
});
