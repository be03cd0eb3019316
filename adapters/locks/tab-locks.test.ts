/** Tab locks over the BroadcastChannel of Node, each as one tab; tab-locks.deep.ts uses real browser tabs. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { UsageError } from '../../machines/errors.js';
import { LostError } from '../transports/errors.js';
import { faster } from '../transports/clock.fixture.js';
import { Locks } from './locks.js';
import { createTabLocks } from './tab-locks.js';
import { tabsTransport } from '../transports/tabs.js';
import { Visits } from './visits.js';

let channels = 0;
const clock = faster(20);

function tabs() {
  const channel = `test ${++channels}`;
  const opened: Locks[] = [];
  onTestFinished(async () => void (await Promise.all(opened.map((locks) => locks.close()))));
  const kept = (locks: Locks) => (opened.push(locks), locks);
  const open = () => kept(createTabLocks({ channel, clock }));
  /** A tab whose page receives the events of a browser. */
  const openPage = () => {
    const page = new EventTarget();
    const visits = new Visits(() => tabsTransport(channel, { clock }), page);
    return { page, locks: kept(new Locks({ transport: visits.line, name: 'locks', clock }, visits)) };
  };
  return { open, openPage };
}

test('the first tab is served at once, later ones too, and holders keep their locks', async () => {
  const { open } = tabs();
  const a = open();
  const held = await a.acquire('x');
  const others = [open(), open()];
  const waits = others.map((tab) => tab.request('x', ({ fence }) => fence));
  await Promise.all(others.map(({ served }) => served));
  await expect.poll(() => a.members.length).toBe(3);
  expect(held.signal.aborted).toBe(false);
  await others[0]!.request('y', () => {});
  held.release();
  const fences = await Promise.all(waits);
  expect(Math.min(...fences)).toBeGreaterThan(held.fence);
  expect(new Set(fences).size).toBe(2);
  await others[1]!.close();
  await expect.poll(() => a.members.length).toBe(2);
});

test('many tabs that open at once are one cluster, with one holder at a time', async () => {
  const { open } = tabs();
  let inside = 0;
  const fences: number[] = [];
  const work = async ({ fence }: { fence: number }) => {
    expect(++inside).toBe(1);
    fences.push(fence);
    await new Promise((resolve) => setTimeout(resolve, 1));
    inside--;
  };
  await Promise.all(Array.from({ length: 6 }, () => open().request('x', work)));
  expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
});

test('after all tabs have closed, fences keep growing', async () => {
  const { open } = tabs();
  const first = open();
  const before = await first.request('x', ({ fence }) => fence);
  await first.close();
  expect(await open().request('x', ({ fence }) => fence)).toBeGreaterThan(before);
});

test('a frozen page loses its locks at once, and returns with a new id', async () => {
  const { open, openPage } = tabs();
  const { page, locks } = openPage();
  const held = await locks.acquire('x');
  const { id } = locks.node;
  const other = open();
  const waits = other.request('x', ({ fence }) => fence);
  await expect.poll(() => other.status().state).toBe('serving');
  page.dispatchEvent(new Event('freeze'));
  expect(await waits).toBeGreaterThan(held.fence);
  expect(held.signal.reason).toBeInstanceOf(LostError);
  expect((held.signal.reason as LostError).isRetryable).toBe(true);
  // Its requests wait until it is back.
  const again = locks.request('x', ({ fence }) => fence);
  expect(await locks.request('x', { ifAvailable: true }, (lock) => lock)).toBe(null);
  page.dispatchEvent(new Event('resume'));
  expect(await again).toBeGreaterThan(await waits);
  expect(locks.node.id).not.toBe(id);
});

test('locks that are closed while the page is put aside end', async () => {
  const { page, locks } = tabs().openPage();
  await locks.ready;
  page.dispatchEvent(new Event('pagehide'));
  const waits = locks.acquire('x');
  await Promise.all([expect(waits).rejects.toThrow('are closed'), locks.close()]);
  page.dispatchEvent(new Event('pageshow'));
  expect(locks.status().state).toBe('closed');
});

test('options that tabs do not have are refused', async () => {
  expect(() => createTabLocks({ peers: ['a'] } as never)).toThrow(/createTabLocks has no option peers/);
  const locks = tabs().open();
  expect(() => locks.bootstrap()).toThrow(UsageError);
  await locks.ready;
  await expect(locks.addMember('b')).rejects.toThrow(/the members of "locks" are the open tabs/);
});

test('tabs without a channel option share the channel `locks`', async () => {
  const both = [createTabLocks({ clock }), createTabLocks({ channel: 'locks', clock })];
  onTestFinished(async () => void (await Promise.all(both.map((locks) => locks.close()))));
  await expect.poll(() => both.map(({ members }) => members.length)).toEqual([2, 2]);
});

test('with a document, the tab is notified when the page is put aside', async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  const { open } = tabs();
  const page = new EventTarget();
  vi.stubGlobal('document', {});
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page));
  const locks = open();
  const held = await locks.acquire('x');
  page.dispatchEvent(new Event('freeze'));
  await expect.poll(() => held.signal.aborted).toBe(true);
});

test.each([[() => {}], [{ next: () => {} }]])('an inspector may be %o', async (inspect) => {
  await createTabLocks({ channel: `test ${++channels}`, clock, inspect }).close();
});

test.each(['loud', null, 1])('no inspector is %o', (inspect) => {
  expect(() => createTabLocks({ inspect } as never)).toThrow(
    /^createTabLocks: inspect is .+. Pass a function, or an observer with next$/,
  );
});
