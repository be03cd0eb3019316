import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kilobytes } from '../bench/inspector.js';
import { buildPage, launch, open, read } from './page/testing/browser.js';
import { directoryTrace } from './page/testing/traces.js';

let browser: Browser;
let built: URL;
beforeAll(async () => {
  [browser, built] = await Promise.all([launch(), buildPage()]);
});
afterAll(() => browser?.close());

const trace = directoryTrace();
const [header = '', ...lines] = trace.trimEnd().split('\n');

describe('a bad trace is told on the page, never a blank one', () => {
  test.each([
    ['nothing at all', '', 'The trace is empty.'],
    ['another format', '{"hello":"world"}\n', 'This is no Quiver trace'],
    ['another version', header.replace('"quiver":1', '"quiver":99'), 'it is of version 99 and this inspector reads version 1'],
    ['no text', '\u0000\u0001\u0002', 'the line is no JSON'],
  ])('%s', async (_, source, message) => {
    const { page, close } = await open(browser, built, source);
    expect(await page.getByRole('heading', { name: 'This cannot be shown' }).count()).toBe(1);
    expect(await page.getByRole('alert').innerText()).toContain(message);
    await close();
  });

  test('a truncated one shows what there is, and says so', async () => {
    const { page, close } = await open(browser, built, trace.slice(0, -30));
    expect(await page.getByRole('alert').innerText()).toContain('The trace ends in the middle of line 33: it was cut off.');
    expect(await page.getByRole('slider').getAttribute('aria-valuemax')).toBe('31');
    await close();
  });

  test('a server that has gone leaves the page to files', async () => {
    const { page, served, close } = await open(browser, built, trace);
    await served.close();
    await page
      .getByLabel('Open a trace')
      .setInputFiles({ name: 'other.ndjson', mimeType: 'text/plain', buffer: Buffer.from(directoryTrace(7)) });
    await page.waitForFunction(() => document.querySelector('.facts')?.textContent?.includes('7 nodes'));
    await close(/ERR_CONNECTION_REFUSED/);
  });
});

describe('everything in a trace is data', () => {
  const evil = '<img src=x onerror="document.title=\'owned\'">';
  const quoted = JSON.stringify(evil).slice(1, -1);

  test('names, messages, states and reasons with markup are shown as they are', async () => {
    const violated = JSON.stringify({ index: 99, at: 99, kind: 'violated', why: `${evil}: says`, clock: {} });
    const source = `${trace.replaceAll('"n2"', `"${quoted}"`).replaceAll('"find"', `"${quoted}"`).replaceAll('"idle"', `"${quoted}"`)}${violated}\n`;
    const { page, close } = await open(browser, built, source);
    await page.keyboard.press('v');
    for (const view of ['network', 'chart', 'space-time']) {
      await page.locator(`[data-view="${view}"]`).getByRole('button', { name: 'show as text' }).click();
    }
    await page.getByRole('tab', { name: 'log' }).click();
    await page.locator('[data-view="network"]').getByRole('button', { name: evil }).first().click();
    expect(await page.locator('#title-chart').innerText()).toBe(`Statechart of ${evil}`);
    expect(await page.locator('.log .is-now').innerText()).toContain(`violated: ${evil}`);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('Quiver inspector');
    await close();
  });

  test('names that mean something to objects', async () => {
    const source = trace.replaceAll('"n2"', '"__proto__"').replaceAll('"n3"', '"constructor"');
    const { page, close } = await open(browser, built, source);
    await page.keyboard.press('End');
    expect(await page.getByRole('slider').getAttribute('aria-valuenow')).toBe(String(lines.length));
    await close();
  });

  test('a chart that is none leaves the states in words', async () => {
    const source = [JSON.stringify({ ...JSON.parse(header), charts: { directory: 7 } }), ...lines].join('\n');
    const { page, close } = await open(browser, built, source);
    expect(await page.locator('.state-alone').innerText()).toBe('idle');
    await close();
  });
});

describe('addresses', () => {
  test('a small trace is shared in the address, and opens without a server that has it', async () => {
    const { page, close } = await open(browser, built, trace);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('status').filter({ hasText: 'The address of this page now holds the trace' }).waitFor();
    const address = new URL(page.url());
    await close();
    const other = await open(browser, built, directoryTrace(7));
    await other.page.goto('about:blank');
    await other.page.goto(`${other.served.url}${address.hash}`);
    await read(other.page);
    expect(await other.page.locator('.facts').innerText()).toContain('5 nodes');
    expect(await other.page.getByRole('slider').getAttribute('aria-valuemax')).toBe(String(lines.length));
    await other.close();
  });

  test('a long one is not', async () => {
    const { page, close } = await open(
      browser,
      built,
      directoryTrace(
        60,
        Array.from({ length: 60 }, (_, i) => (7 * i) % 60),
      ),
    );
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('status').filter({ hasText: 'too long for an address' }).waitFor();
    await close();
  });

  test('a damaged one is told', async () => {
    const { page, served, close } = await open(browser, built, trace);
    await page.goto('about:blank');
    await page.goto(`${served.url}#trace=H4sIAAAA`);
    expect(await page.getByRole('alert').innerText()).toContain('The trace in this address is damaged');
    await close();
  });
});

describe('files', () => {
  test('may be dropped on the page', async () => {
    const { page, close } = await open(browser, built, trace);
    const other = directoryTrace(7, [3]);
    await page.evaluate((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], 'other.ndjson'));
      document.querySelector('.page')!.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
    }, other);
    await page.waitForFunction(() => document.querySelector('.facts')?.textContent?.includes('7 nodes'));
    await close();
  });
});

test('the page is at most 80 kB gzipped without the layout that is loaded later', () => {
  expect(kilobytes(built)).toBeGreaterThan(30);
  expect(kilobytes(built)).toBeLessThan(80);
});
