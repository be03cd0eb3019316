/** Tab locks in the tabs of real Chromium: opened at once, closed, frozen, blocked, copied, crashed. */
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { launch, missing } from '../../testing/chromium.js';
import { hiddenTabs } from '../../testing/hidden-tabs.js';
import { serveProgram } from '../../testing/serve-program.js';
import type { Locks } from './locks.js';
import type { Lock } from './lock-handle.js';

/** The script of each tab. */
declare global {
  var locks: Locks;
  var held: Lock | undefined;
  var first: Promise<number>;
  var notified: (word: string, fence: number) => Promise<void>;
}

const program = `
  import { createTabLocks } from ${JSON.stringify(fileURLToPath(new URL('tab-locks.ts', import.meta.url)))};
  const since = performance.now();
  globalThis.locks = createTabLocks({ channel: 'test' });
  globalThis.first = locks.request('first', () => performance.now() - since);
`;
/** Tabs of an insecure context have no Web Locks. */
const withoutWebLocks = `delete Navigator.prototype.locks; ${program}`;

async function serve(text = program): Promise<string> {
  const { origin, close } = await serveProgram(text);
  onTestFinished(close);
  return origin;
}

async function visitor(text = program): Promise<{ context: BrowserContext; open: () => Promise<Page> }> {
  const url = await serve(text);
  const browser = await launch();
  onTestFinished(() => browser.close());
  const context = await browser.newContext();
  const open = async () => {
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
  return { context, open };
}

const soon = { timeout: 10_000, interval: 20 };
const idOf = (page: Page) => page.evaluate(() => locks.node.id);
const membersOf = (page: Page) => page.evaluate(() => locks.members.length);
/** Holds the lock until it is lost or released; returns the fence. */
const hold = (page: Page, name = 'x') =>
  page.evaluate(async (name) => {
    globalThis.held = await locks.acquire(name);
    return held!.fence;
  }, name);
const isLost = (page: Page) => page.evaluate(() => held!.signal.aborted);
const release = (page: Page) => page.evaluate(() => held!.release());

test.skipIf(missing)(
  'the first tab is served at once, and so are the next ones',
  async () => {
    const { open } = await visitor();
    const first = await open();
    const ms = await first.evaluate(() => globalThis.first);
    console.log(`first grant after ${ms.toFixed(0)} ms`);
    // Silence would be evidence only after a second.
    expect(ms).toBeLessThan(900);
    const fence = await hold(first);
    const second = await open();
    expect(await second.evaluate(async () => (await locks.ready, performance.now()))).toBeLessThan(5_000);
    await expect.poll(() => membersOf(first), soon).toBe(2);
    expect(await isLost(first)).toBe(false);
    const waits = hold(second);
    await release(first);
    expect(await waits).toBeGreaterThan(fence);
  },
  60_000,
);

test.skipIf(missing)(
  'eight tabs opened at once are one cluster: one holder, with growing fences',
  async () => {
    const { context, open } = await visitor();
    const log: [word: string, fence: number][] = [];
    await context.exposeFunction('notified', (word: string, fence: number) => void log.push([word, fence]));
    const pages = await Promise.all(Array.from({ length: 8 }, open));
    await Promise.all(
      pages.map((page) =>
        page.evaluate(async () => {
          for (let i = 0; i < 5; i++)
            await locks.request('x', async ({ fence }) => {
              await notified('in', fence);
              await notified('out', fence);
            });
        }),
      ),
    );
    expect(log.map(([word]) => word)).toEqual(Array.from({ length: 40 }, () => ['in', 'out']).flat());
    const fences = log.filter(([word]) => word === 'in').map(([, fence]) => fence);
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
    expect(await membersOf(pages[0]!)).toBe(8);
  },
  120_000,
);

test.skipIf(missing)(
  'without Web Locks, silence shows that no other tab is open',
  async () => {
    const { open } = await visitor(withoutWebLocks);
    const [a, b] = (await Promise.all([open(), open()])) as [Page, Page];
    expect(await a.evaluate(() => globalThis.first)).toBeGreaterThan(900);
    const fence = await hold(a);
    const next = hold(b);
    await a.close({ runBeforeUnload: true });
    expect(await next).toBeGreaterThan(fence);
  },
  60_000,
);

test.skipIf(missing)(
  'a closed tab and a crashed one pass their locks on at once',
  async () => {
    const { context, open } = await visitor();
    const [a, b, c] = (await Promise.all([open(), open(), open()])) as [Page, Page, Page];
    const fences = [await hold(a)];
    const next = hold(b);
    await a.close({ runBeforeUnload: true });
    fences.push(await next);
    const last = hold(c);
    const session = await context.newCDPSession(b);
    const since = Date.now();
    session.send('Page.crash').catch(() => {});
    fences.push(await last);
    const ms = Date.now() - since;
    console.log(`next grant ${ms} ms after a crash`);
    // The patience with a silent tab is three seconds.
    expect(ms).toBeLessThan(2_500);
    expect(fences).toEqual([...new Set(fences)].sort((x, y) => x - y));
    await expect.poll(() => membersOf(c), soon).toBe(1);
  },
  60_000,
);

const acquire = 'locks.acquire("x").then((lock) => ((globalThis.held = lock), lock.fence))';

/** A window with a hidden tab that holds the lock, and a visible one that waits for it. */
async function hiddenHolder() {
  const url = await serve();
  const { open, close } = await hiddenTabs();
  onTestFinished(close);
  const opened = async () => {
    const tab = await open(url);
    await expect.poll(() => tab.evaluate('document.readyState + typeof locks'), soon).toBe('completeobject');
    return tab;
  };
  const a = await opened();
  const fence: number = await a.evaluate(acquire);
  const b = await opened();
  await expect.poll(() => a.evaluate('document.visibilityState'), soon).toBe('hidden');
  const next: Promise<number> = b.evaluate(acquire);
  await expect.poll(() => b.evaluate('locks.status().waiting.length'), soon).toBe(1);
  return { a, b, fence, next };
}

test.skipIf(missing)(
  'a page that is kept for the back button loses its lock, and has a new id',
  async () => {
    const { a, b, fence, next } = await hiddenHolder();
    const id = await a.evaluate('locks.node.id');
    await a.leave();
    expect(await next).toBeGreaterThan(fence);
    await a.back();
    // A page that is loaded again holds nothing.
    await expect.poll(() => a.evaluate('globalThis.held?.signal.aborted'), soon).toBe(true);
    await expect.poll(() => a.evaluate('locks.members.length'), soon).toBe(2);
    expect(await a.evaluate('locks.node.id')).not.toBe(id);
    await b.evaluate('held.release()');
  },
  60_000,
);

test.skipIf(missing)(
  'the lock of a crashed tab moves on to a hidden tab before its patience ends',
  async () => {
    const { a, b, fence, next } = await hiddenHolder();
    // The visible tab takes the lock, and crashes.
    await a.evaluate('held.release()');
    expect(await next).toBeGreaterThan(fence);
    const last = a.evaluate(acquire);
    await expect.poll(() => a.evaluate('locks.status().waiting.length'), soon).toBe(1);
    const since = Date.now();
    b.crash();
    expect(await last).toBeGreaterThan(await next);
    const ms = Date.now() - since;
    console.log(`next grant in a hidden tab ${ms} ms after a crash`);
    expect(ms).toBeLessThan(2_900);
  },
  60_000,
);

test.skipIf(missing)(
  'a frozen tab loses its lock before it freezes, and returns with a new id',
  async () => {
    const { a, b, fence, next } = await hiddenHolder();
    const id = await a.evaluate('locks.node.id');
    await a.freeze();
    expect(await next).toBeGreaterThan(fence);
    await a.resume();
    expect(await a.evaluate('[held.signal.aborted, held.signal.reason.name, held.signal.reason.isRetryable]')).toEqual([
      true,
      'LostError',
      true,
    ]);
    const back = a.evaluate(acquire);
    await b.evaluate('held.release()');
    expect(await back).toBeGreaterThan(await next);
    expect(await a.evaluate('locks.node.id')).not.toBe(id);
    await expect.poll(() => a.evaluate('locks.members.length'), soon).toBe(2);
  },
  60_000,
);

test.skipIf(missing)(
  'a blocked tab is notified that it was counted as gone; its fence is smaller',
  async () => {
    const { open } = await visitor();
    const [a, b] = (await Promise.all([open(), open()])) as [Page, Page];
    const fence = await hold(a);
    const next = hold(b);
    const blocked = a.evaluate(() => {
      const end = performance.now() + 7_000;
      while (performance.now() < end);
    });
    expect(await next).toBeGreaterThan(fence);
    await blocked;
    await expect.poll(() => isLost(a), soon).toBe(true);
    const back = hold(a);
    await release(b);
    expect(await back).toBeGreaterThan(await next);
  },
  60_000,
);

test.skipIf(missing)(
  'a duplicated tab, with its sessionStorage, has another id',
  async () => {
    const { context, open } = await visitor();
    const a = await open();
    const fence = await hold(a);
    const [copy] = await Promise.all([context.waitForEvent('page'), a.evaluate(() => void window.open(location.href))]);
    await copy.waitForLoadState();
    await copy.evaluate(() => locks.ready);
    expect(await idOf(copy)).not.toBe(await idOf(a));
    await expect.poll(() => membersOf(copy), soon).toBe(2);
    expect(await isLost(a)).toBe(false);
    const next = hold(copy);
    await release(a);
    expect(await next).toBeGreaterThan(fence);
  },
  60_000,
);
