/** Tab locks over the BroadcastChannel of Node, each as one tab; what a browser does with its tabs: tab-locks.deep.ts. */
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
  /** One whose page is told what a browser would. */
  const openPage = () => {
    const page = new EventTarget();
    const visits = new Visits(() => tabsTransport(channel, { clock }), page);
    return { page, locks: kept(new Locks({ transport: visits.line, name: 'locks', clock }, visits)) };
  };
  return { open, openPage };
}

test('the first tab is served alone, later ones beside it; who holds keeps its lock as others come and go', async () => {
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

test('many that come at once are one cluster, with one holder at a time', async () => {
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

test('after all have gone, fences go on growing', async () => {
  const { open } = tabs();
  const first = open();
  const before = await first.request('x', ({ fence }) => fence);
  await first.close();
  expect(await open().request('x', ({ fence }) => fence)).toBeGreaterThan(before);
});

test('a page that is frozen loses what it holds at once, and comes back as somebody else', async () => {
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
  // What it asks for meanwhile waits until it is back.
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

test('what tabs have no use for is refused by name', async () => {
  expect(() => createTabLocks({ peers: ['a'] } as never)).toThrow(/createTabLocks has no option peers/);
  const locks = tabs().open();
  expect(() => locks.bootstrap()).toThrow(UsageError);
  await locks.ready;
  await expect(locks.addMember('b')).rejects.toThrow(/the open tabs are the members/);
});

test('tabs that name no channel share the one that is called locks', async () => {
  const both = [createTabLocks({ clock }), createTabLocks({ channel: 'locks', clock })];
  onTestFinished(async () => void (await Promise.all(both.map((locks) => locks.close()))));
  await expect.poll(() => both.map(({ members }) => members.length)).toEqual([2, 2]);
});

test('where there is a document, its tab is told when the page is put aside', async () => {
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
