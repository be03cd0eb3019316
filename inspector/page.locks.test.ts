/** Live locks on a page of programs: who holds, who waits, who leads, the epoch and its members, and the links between the programs. */
import { createElection } from '../adapters/election.js';
import { createLocks, type Locks } from '../adapters/locks/locks.js';
import { InProcessBus } from '../adapters/transports/in-process.js';
import { expect, onTestFinished, test } from 'vitest';
import { inspect } from './live/inspect.js';
import { axeComplaints } from './page/testing/axe.js';
import { pageUrl, visit } from './page/testing/browser.js';
import { receiveInspection } from './stately/receive.js';

const PEERS = ['a', 'b', 'c'] as const;

/** A page on which each peer is a program. */
async function opened(peers: readonly { readonly node: Locks['node']; close(): Promise<void> }[]) {
  const receiving = await receiveInspection({ page: pageUrl });
  onTestFinished(() => receiving.close());
  for (const { node } of peers) {
    const { close } = await inspect(node, { report: receiving.url, program: `service ${node.id}` });
    onTestFinished(close);
  }
  onTestFinished(async () => void (await Promise.all(peers.map((peer) => peer.close()))));
  const { page, leave } = await visit(receiving.url);
  onTestFinished(() => leave());
  await page.locator('.is-placing').waitFor({ state: 'detached' });
  return page;
}

test('shows the holder, the waiting peers, the leader, the epoch and the links', async () => {
  const bus = new InProcessBus();
  const peers = PEERS.map((id) => createLocks({ transport: bus.transport(id), peers: PEERS }));
  const [a, b, c] = peers as [Locks, Locks, Locks];
  const held = await a.acquire('printer');
  const page = await opened(peers);
  const leader = a.status().leader;
  const star = (id: string) => (leader === id ? '★ ' : '');
  const summary = page.getByRole('img', { name: /^Network of 3 nodes/ });
  await expect.poll(() => summary.getAttribute('aria-label')).toContain(`a ${star('a')}holds printer`);
  expect(await summary.getAttribute('aria-label')).toContain('and 3 links');

  const waiting = b.acquire('printer');
  const tree = page.getByRole('treeitem');
  await expect.poll(() => tree.filter({ hasText: `${star('b')}waits for printer` }).count()).toBe(1);
  expect(await tree.filter({ hasText: `${star('a')}holds printer` }).count()).toBe(1);
  const legend = page.getByRole('list', { name: 'legend' }).first();
  await expect
    .poll(() => legend.innerText())
    .toMatch(new RegExp(`★ leader[^]*epoch ${a.status().epoch}, 3 members[^]*waiting[^]*held`));

  held.release();
  const next = await waiting;
  await expect.poll(() => tree.filter({ hasText: `${star('b')}holds printer` }).count()).toBe(1);
  const other = await a.acquire('scanner');
  const both = b.acquire('scanner');
  await expect.poll(() => tree.filter({ hasText: `${star('b')}holds 1, waits for 1` }).count()).toBe(1);
  other.release();
  await expect.poll(() => tree.filter({ hasText: `${star('b')}holds 2 locks` }).count()).toBe(1);
  (await both).release();
  next.release();
  await expect.poll(() => tree.filter({ hasText: /holds|waits/ }).count()).toBe(0);
  expect(await axeComplaints(page)).toEqual([]);

  await c.close();
  await expect.poll(() => summary.getAttribute('aria-label')).toContain('and 1 link ');
});

test('shows the leader of an election that is idle when the page opens', async () => {
  const bus = new InProcessBus();
  const peers = PEERS.map((id) => createElection({ transport: bus.transport(id), peers: PEERS }));
  await Promise.all(peers.map((peer) => peer.ready));
  await expect.poll(() => new Set(peers.map(({ leader }) => leader)).size).toBe(1);
  const page = await opened(peers);
  const summary = page.getByRole('img', { name: /^Network of 3 nodes/ });
  await expect.poll(() => summary.getAttribute('aria-label')).toContain(`marked: ${peers[0]!.leader} ★`);
});

test('draws the name of a peer that joins while the page is open', async () => {
  const receiving = await receiveInspection({ page: pageUrl });
  onTestFinished(() => receiving.close());
  const { page, leave } = await visit(receiving.url);
  onTestFinished(() => leave());
  const bus = new InProcessBus();
  const join = async (id: string) => {
    const peer = createElection({ transport: bus.transport(id), peers: ['the-first-peer', 'the-second-peer'] });
    const { close } = await inspect(peer.node, { report: receiving.url, program: `service ${id}` });
    onTestFinished(async () => {
      await close();
      await peer.close();
    });
  };
  await join('the-first-peer');
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(2);
  await page.evaluate(() => {
    // Only the network draws the outlines of words.
    const { strokeText } = CanvasRenderingContext2D.prototype;
    const drawn = ((globalThis as unknown as { drawn: Set<string> }).drawn = new Set());
    CanvasRenderingContext2D.prototype.strokeText = function (text, ...at) {
      drawn.add(text);
      strokeText.call(this, text, ...at);
    };
  });
  await join('the-second-peer');
  await expect
    .poll(() => page.evaluate(() => [...(globalThis as unknown as { drawn: Set<string> }).drawn]))
    .toEqual(expect.arrayContaining(['the-first-peer', 'the-second-peer']));
});
