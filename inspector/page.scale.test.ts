/** Large networks and fast programs: communities instead of nodes, and a notice if the page cannot keep up. */
import { expect, onTestFinished, test } from 'vitest';
import { syntheticTrace } from '../testing/synthetic-trace.js';
import { openPage, pageUrl, visit } from './page/testing/browser.js';
import { serveTrace } from './server.js';

test('a thousand nodes are communities with counts; selecting one leads to its nodes', async () => {
  const { page, close } = await openPage([...syntheticTrace({ rows: 25, columns: 40, lines: 400, flights: 50 })].join(''));
  const canvas = page.locator('[data-view="network"] canvas');
  const label = () => canvas.getAttribute('aria-label');
  await expect.poll(label).toMatch(/^Network of 1000 nodes and 2000 links, in \d+ communities/);
  await page.locator('.is-placing').waitFor({ state: 'detached' });
  const { width, height } = (await canvas.boundingBox())!;
  /** Points at places of the picture until one is a community. */
  const findOne = async () => {
    for (let place = 1; place < 200; place++) {
      const position = { x: width * ((0.5 + place * 0.618) % 1), y: height * ((0.5 + place * 0.414) % 1) };
      await canvas.hover({ position });
      const title = (await canvas.getAttribute('title')) ?? '';
      if (/^(\d{2,}) nodes: \d+ \w+/.test(title)) return position;
    }
    throw new Error('The picture has no community.');
  };
  for (let i = 0; i < 4 && / communities /.test((await label())!); i++) {
    const before = await label();
    await canvas.click({ position: await findOne() });
    await expect.poll(label).not.toBe(before);
  }
  expect(await label()).toMatch(/^Network of 1000 nodes and 2000 links at /);
  await page.getByRole('button', { name: 'everything in sight' }).click();
  await expect.poll(label).toMatch(/ communities /);
  await close();
});

test('a page that cannot keep up shows how many lines it is behind', async () => {
  const [header = '', ...lines] = syntheticTrace({ rows: 2, columns: 3, lines: 1010, flights: 4 });
  const live = `${JSON.stringify({ ...(JSON.parse(header) as object), live: true })}\n`;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  async function* source() {
    yield live + lines.slice(0, 10).join('');
    await held;
    yield lines.slice(10).join('');
  }
  const served = await serveTrace(source, { page: pageUrl, written: () => 1010 });
  onTestFinished(() => served.close());
  const { page, leave } = await visit(served.url);
  const tag = page.getByText('behind by 1,000 lines');
  await tag.waitFor();
  release();
  await tag.waitFor({ state: 'detached' });
  await page.getByText('ended', { exact: true }).waitFor();
  await leave();
});
