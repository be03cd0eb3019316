/** A cluster of several processes that report to one live inspector: one network, grouped by program, with leader, holder and host. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../testing/servers.js';
import { pageUrl, visit } from './page/testing/browser.js';
import { receiveInspection } from './stately/receive.js';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Starts a member as a program that reports, on a mesh of these ports. */
function startMember(id: string, ports: Readonly<Record<string, number>>, url: string) {
  const child = fork(here('../adapters/cluster/peer.fixture.mjs'), [id, JSON.stringify(ports)], {
    execArgv: ['--import', here('../dist/inspector/live/auto.js')],
    env: { ...process.env, QUIVER_INSPECT: url, QUIVER_PROGRAM: `shop ${id}` },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const next = () => new Promise<any>((resolve) => child.once('message', resolve));
  return { child, next };
}

test("three processes of a cluster are one network; an actor's host holds its lock", async () => {
  const receiving = await receiveInspection({ page: pageUrl });
  onTestFinished(() => receiving.close());
  const ports = { a: await freePort(), b: await freePort(), c: await freePort() };
  const members = Object.keys(ports).map((id) => startMember(id, ports, receiving.url));
  await Promise.all(members.map(({ next }) => next()));
  const [{ child, next }] = members as [(typeof members)[number]];
  const report = next();
  child.send({ ms: 0, lanes: 1 });
  const { host } = await report;

  const { page, leave } = await visit(receiving.url);
  onTestFinished(() => leave());
  const network = () => page.locator('[data-view="network"] [role="img"]').getAttribute('aria-label');
  // Links between the clusters, links between their locks, and no link between the two.
  await expect.poll(network).toMatch(/^Network of 7 nodes and 6 links/);
  await expect.poll(network).toMatch(new RegExp(`marked: .*${host} cluster/locks (★ )?holds counter/x`));
  expect((await network())!.match(/★/g)).toHaveLength(1);

  const rows = (await page.getByRole('treeitem').allInnerTexts()).map((text) => text.replaceAll(/[▾▸\n]+/g, ' ').trim());
  expect(rows.filter((row) => row.startsWith('shop')).sort()).toEqual([
    'shop a 2 running',
    'shop b 2 running',
    'shop c 2 running',
  ]);
  expect(rows.at(-2)).toBe('cluster/counter 1 in the cluster');
  expect(rows.at(-1)).toContain(`on ${host} cluster`);

  await page.locator('[data-view="network"]').getByRole('button', { name: 'show as text' }).click();
  const text = page.locator('[data-view="network"] .as-text');
  for (const id of ['a', 'b', 'c']) expect(await text.innerText()).toMatch(new RegExp(`${id} cluster/locks\\s.*shop ${id}`));
  await page.locator('[data-view="network"]').getByRole('button', { name: 'show as text' }).click();
});
