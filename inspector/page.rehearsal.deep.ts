/** The failure of the careless invoices, as docs/rehearsal.md shows it. */
import { expect, test } from 'vitest';
import { careless } from '../examples/invoices.js';
import { traceOfFailure } from '../test/rehearsal/failure-trace.js';
import { rehearse } from '../test/rehearsal/rehearse.js';
import { openPage } from './page/testing/browser.js';
import { keepPicture } from './page/testing/pictures.js';

test('a lane for each process, the violation, and the charts of processes and nodes', async () => {
  const { main, ...options } = careless;
  const { failure } = await rehearse({ ...options, seed: 25, runs: 1, shrinkSeconds: 30 }, main);
  const lines = [...traceOfFailure(failure)].map((line) => `${JSON.stringify(line)}\n`);
  const { page, close } = await openPage(lines.join(''));
  const notification = page.locator('.verdict');
  expect(await notification.innerText()).toMatch(/^Violated: one order for each invoice/);
  await notification.getByRole('button', { name: 'Show it' }).click();
  for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowLeft');
  const chart = page.locator('[data-view="chart"]');
  for (const role of ['process', 'locks epochs', 'locks election', 'request'])
    await expect.poll(() => chart.textContent()).toContain(role);
  const lanes = await page.locator('[data-view="network"] [role="img"]').getAttribute('aria-label');
  expect(lanes).toMatch(/^Network of 4 nodes and 6 links/);
  await page.getByRole('tab', { name: 'events' }).click();
  await keepPicture(page, 'inspector-rehearsal');
  await close();
});
