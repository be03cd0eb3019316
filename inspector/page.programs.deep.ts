/** Programs that know nothing of an inspector, on one page: three processes over NATS that come one by one, one killed and back. */
import { expect, onTestFinished, test } from 'vitest';
import { hasCommand } from '../testing/servers.js';
import { natsServer } from '../adapters/transports/servers.fixture.js';
import { pageUrl, visit } from './page/testing/browser.js';
import { startPeer, type Peer } from './page/testing/peers.js';
import { keepPicture } from './page/testing/pictures.js';
import { receiveInspection } from './stately/receive.js';

/** Takes the lock once, and waits until it is free again. */
async function useLock(peer: Peer): Promise<void> {
  peer.process.stdin!.write('\n');
  await peer.waitFor('released');
}

test.skipIf(!hasCommand('nats-server'))('three processes that come one by one, one killed and back', async () => {
  const server = await natsServer();
  onTestFinished(() => server.kill());
  const receiving = await receiveInspection({ page: pageUrl });
  onTestFinished(() => receiving.close());
  const { page, leave } = await visit(receiving.url);
  const network = () => page.locator('[data-view="network"] [role="img"]').getAttribute('aria-label');
  const begin = async (id: string) => {
    const peer = startPeer(id, server.port, { QUIVER_INSPECT: receiving.url });
    await peer.waitFor('ready');
    return peer;
  };
  const a = await begin('a');
  await useLock(a);
  const b = await begin('b');
  await useLock(b);
  const c = await begin('c');
  for (const peer of [c, a, b, c]) await useLock(peer);
  const atRest = /^Network of 6 nodes .*: 0 messages on their way/;
  await expect.poll(network).toMatch(atRest);
  expect(await network()).not.toMatch(/gone|suspected|crashed/);

  b.process.kill('SIGKILL');
  await expect.poll(network).toMatch(/b directory gone/);
  await expect.poll(network).toMatch(/0 messages on their way/);
  await keepPicture(page, 'inspector-programs');
  const again = await begin('b');
  await expect.poll(network).not.toMatch(/gone|suspected|crashed/);
  expect(await network()).toMatch(atRest);
  await keepPicture(page, 'inspector-programs-back');
  await page.locator('[data-view="network"]').getByRole('button', { name: 'show as text' }).click();
  const text = await page.locator('[data-view="network"] .as-text').innerText();
  for (const id of ['a', 'b', 'c']) {
    expect(text).toMatch(new RegExp(`${id} directory\\s+directory: .*peer ${id}`));
    expect(text).toMatch(new RegExp(`peer ${id}/user\\s+user: idle.*peer ${id}`));
  }
  await page.locator('[data-view="network"]').getByRole('button', { name: 'show as text' }).click();
  for (const peer of [a, again, c]) peer.process.kill('SIGKILL');
  await leave();
});
