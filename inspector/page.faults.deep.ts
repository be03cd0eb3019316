import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { kilobytes } from '../testing/page-size.js';
import { pageUrl, openPage, read, type Opened } from './page/testing/browser.js';
import { directoryTrace } from './page/testing/traces.js';

const trace = directoryTrace();
const [header = '', ...lines] = trace.trimEnd().split('\n');

let opened: Opened;
let page: Page;
const scene = (source: string) => async (): Promise<void> => {
  opened = await openPage(source);
  ({ page } = opened);
};
const end = (allowed?: RegExp) => (): Promise<void> => opened.close(allowed);

/** Drops a file on the page. */
const drop = (text: string): Promise<void> =>
  page.evaluate((content) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], 'other.ndjson'));
    document.querySelector('.page')!.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
  }, text);
const facts = (text: string): Promise<void> => page.locator('.facts').filter({ hasText: text }).waitFor();
const notified = (message: string): Promise<void> => page.getByRole('alert').filter({ hasText: message }).waitFor();
const lastLine = (): Promise<string | null> => page.getByRole('slider').getAttribute('aria-valuemax');

describe('a bad trace is reported on the page, never a blank one', () => {
  beforeAll(scene(''));
  afterAll(end(/ERR_CONNECTION_REFUSED/));

  test('nothing at all', () => notified('The trace is empty.'));

  test.each([
    ['another format', '{"hello":"world"}\n', 'This is not a Quiver trace'],
    ['another version', header.replace('"quiver":1', '"quiver":99'), 'it is of version 99 and this inspector reads version 1'],
    ['no text', '\u0000\u0001\u0002', 'the line is not JSON'],
  ])('%s', async (_, source, message) => {
    await drop(source);
    await notified(message);
    expect(await page.getByRole('heading', { name: 'This cannot be shown' }).count()).toBe(1);
  });

  test('a truncated one shows its lines, with a notice', async () => {
    await drop(trace.slice(0, -30));
    await notified('The trace ends in the middle of line 34: it was cut off.');
    expect(await lastLine()).toBe('32');
  });

  const withHeader = (more: object) => [JSON.stringify({ ...JSON.parse(header), ...more }), ...lines].join('\n');
  test.each([
    ['no nodes', { nodes: [] }, 'a link names node "n0", a link names node "n1", a link names node "n2" and 2 more'],
    ['other nodes', { nodes: ['a', 'b'], links: [['a', 'b', 1]] }, 'line 1 is of node "n0", line 2 is of node "n1", line 3'],
    [
      'too few',
      { nodes: ['n0', 'n1', 'n3', 'n4'], links: [] },
      'line 3 is of node "n2": the header of this trace does not list it',
    ],
  ])('a header with %s is reported with line and node, and the lines are shown', async (_, more, message) => {
    await drop(withHeader(more));
    await notified(message);
    expect(await lastLine()).toBe(String(lines.length));
    await page.locator('[data-view="network"]').getByRole('button', { name: 'show as text' }).click();
    expect(await page.locator('[data-view="network"] tbody tr').filter({ hasText: 'n2' }).count()).toBe(1);
    await page.locator('[data-view="network"]').getByRole('button', { name: 'show as text' }).click();
  });

  test('a line that is nested too deeply is reported, and no other is left out', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    await drop([header, ...lines.with(9, lines[9]!.replace('{', `{"more":${deep},`))].join('\n'));
    await notified('Not shown: line 10, for it is nested more than 1000 levels deep. The events there are not known.');
    expect(await page.getByText('goes faster than it can be shown').count()).toBe(0);
    expect(await lastLine()).toBe(String(lines.length));
  });

  test('a server that has gone leaves the page to files', async () => {
    await opened.served.close();
    await page
      .getByLabel('Open a trace')
      .setInputFiles({ name: 'other.ndjson', mimeType: 'text/plain', buffer: Buffer.from(directoryTrace(7)) });
    await facts('7 nodes');
  });
});

describe('everything in a trace is data', () => {
  const evil = '<img src=x onerror="document.title=\'owned\'">';
  const quoted = JSON.stringify(evil).slice(1, -1);
  const violated = JSON.stringify({ index: 99, at: 99, kind: 'violated', why: `${evil}: says`, clock: {} });
  const marked = trace.replaceAll('"n2"', `"${quoted}"`).replaceAll('"find"', `"${quoted}"`).replaceAll('"idle"', `"${quoted}"`);
  beforeAll(scene(`${marked}${violated}\n`));
  afterAll(end());

  test('names, messages, states and reasons with markup are shown as they are', async () => {
    await page.keyboard.press('v');
    const texts = ['network', 'chart', 'space-time'].map((view) =>
      page.locator(`[data-view="${view}"]`).getByRole('button', { name: 'show as text' }),
    );
    for (const text of texts) await text.click();
    await page.getByRole('tab', { name: 'events' }).click();
    await page.locator('[data-view="network"]').getByRole('button', { name: evil }).first().click();
    expect(await page.locator('#title-chart').innerText()).toBe(`Statechart of ${evil}`);
    expect(await page.locator('.event-row.is-now .type').innerText()).toContain(`violated: ${evil}`);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('Quiver inspector');
    for (const text of texts) await text.click();
  });

  test('names that mean something to objects', async () => {
    await drop(trace.replaceAll('"n2"', '"__proto__"').replaceAll('"n3"', '"constructor"'));
    await page.locator('#title-chart').filter({ hasText: '__proto__' }).waitFor();
    await page.keyboard.press('End');
    expect(await page.getByRole('slider').getAttribute('aria-valuenow')).toBe(String(lines.length));
  });

  test('a chart that is none leaves the states in words', async () => {
    await drop([JSON.stringify({ ...JSON.parse(header), charts: { directory: 7 } }), ...lines].join('\n'));
    await page.locator('.state-alone').waitFor();
    expect(await page.locator('.state-alone').innerText()).toBe('idle');
  });
});

describe('sharing', () => {
  beforeAll(scene(directoryTrace(7)));
  afterAll(end(/status of 404/));
  const share = (): Promise<void> => page.getByRole('button', { name: 'Share' }).click();
  const reported = (text: string): Promise<void> => page.getByRole('status').filter({ hasText: text }).waitFor();
  const visit = async (address: string): Promise<void> => {
    await page.goto('about:blank');
    await page.goto(address);
    await read(page);
  };

  /** The page at a public address. */
  const PUBLIC = 'http://quiver.example/';
  const publish = (): Promise<unknown> =>
    page.route(`${PUBLIC}**`, (route) => {
      const name = new URL(route.request().url()).pathname.slice(1) || 'index.html';
      if (name === 'trace') return route.fulfill({ body: directoryTrace(7) });
      const isOfPage = /^(index\.html|assets\/)/.test(name);
      return route.fulfill(isOfPage ? { path: fileURLToPath(new URL(name, pageUrl)) } : { status: 404 });
    });

  test('from loopback: one file without the address or its token, which opens from disk', async () => {
    await drop(trace);
    await facts('5 nodes');
    const downloaded = page.waitForEvent('download');
    await share();
    await reported('Page and trace are saved as one file');
    const download = await downloaded;
    expect(download.suggestedFilename()).toBe('directory.html');
    const html = await text(await download.createReadStream());
    const { host, pathname } = new URL(opened.served.url);
    expect([host, pathname].filter((secret) => html.includes(secret))).toEqual([]);
    expect(page.url().split('#')[0]).toBe(opened.served.url);
    const folder = mkdtempSync(join(tmpdir(), 'quiver-shared-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'directory.html'), html);
    await visit(pathToFileURL(join(folder, 'directory.html')).href);
    await facts('5 nodes');
    expect(await lastLine()).toBe(String(lines.length));
    await share();
    await reported('This view has no address');
  });

  test('from a public page: a small trace in the address, which opens', async () => {
    await publish();
    await visit(PUBLIC);
    await drop(trace);
    await facts('5 nodes');
    await page.evaluate(
      `Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: () => Promise.reject(new Error('denied')) } })`,
    );
    await share();
    await reported('The address of this page now holds the trace. It could not be copied');
    await visit(page.url());
    await facts('5 nodes');
    expect(await lastLine()).toBe(String(lines.length));
  });

  test('a long one is not', async () => {
    const requests = Array.from({ length: 40 }, (_, i) => (7 * i) % 40);
    await drop(directoryTrace(40, requests));
    await facts('40 nodes');
    await share();
    await reported('too long for an address');
    await page.unroute(`${PUBLIC}**`);
  });

  test('a damaged one is reported', async () => {
    for (const cut of ['H4sIAAAA', 'H4sIA']) {
      await visit(`${opened.served.url}#trace=${cut}`);
      await notified('The trace in this address is damaged: a part of the link is missing');
    }
  });
});

test('the page is at most 150 kB gzipped without the layouts that load later', () => {
  expect(kilobytes(pageUrl)).toBeGreaterThan(30);
  expect(kilobytes(pageUrl)).toBeLessThan(150);
});
