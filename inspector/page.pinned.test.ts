/** Two charts side by side: of two nodes, and of two versions. */
import { expect, test } from 'vitest';
import { openPage } from './page/testing/browser.js';
import { directoryTrace } from './page/testing/traces.js';

test('the charts of two nodes, then two versions of a chart with their differences', async () => {
  const { page, close } = await openPage(directoryTrace());
  await page.locator('.state').first().waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'keep this chart next to another one' }).click();
  await page.getByRole('button', { name: 'Nodes', exact: true }).click();
  await page.getByRole('treeitem').filter({ hasText: 'n4' }).click();
  await expect.poll(() => page.locator('#title-chart').innerText()).toBe('Statechart of n4');
  const kept = page.getByRole('group', { name: 'statecharts of n2' });
  const isLit = () => kept.locator('.leaf.is-active').count();
  await expect.poll(isLit).toBeGreaterThan(0);
  const [left, right] = await Promise.all([kept.boundingBox(), page.locator('.chart-scroll').boundingBox()]);
  const isApart = left!.x + left!.width <= right!.x + 1 || right!.x + right!.width <= left!.x + 1;
  expect(isApart && Math.abs(left!.y - right!.y) < 60).toBe(true);

  const [header = '', ...lines] = directoryTrace().split('\n');
  const { charts, ...others } = JSON.parse(header) as { charts: { directory: { states: object } } };
  const { directory } = charts;
  const changed = { ...directory, states: { ...directory.states, paused: {} } };
  const trace = [JSON.stringify({ ...others, charts: { directory: changed } }), ...lines].join('\n');
  await page.locator('input[type=file]').setInputFiles({
    name: 'next.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(trace),
  });
  await page.getByText('in the trace before; differences are dotted').waitFor();
  await expect.poll(() => page.locator('.chart-scroll .state.is-different').getAttribute('data-state')).toBe('paused');
  await page.getByRole('button', { name: 'close the second chart' }).click();
  expect(await kept.count()).toBe(0);
  await close();
});
