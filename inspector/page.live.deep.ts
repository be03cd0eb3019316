import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { protocols } from '../machines/index.js';
import { Simulation } from '../network/simulation.js';
import { parseScenario } from '../network/scenario/parse.js';
import { verifyTrace } from '../test/verify/verify.js';
import { inspect } from './live/inspect.js';
import { livePair } from './live/pair.fixtures.js';
import { pageUrl, visit, type Visited } from './page/testing/browser.js';
import { directoryScenario } from './page/testing/traces.js';

async function watch(url: string): Promise<Visited> {
  const visited = await visit(url);
  await visited.page.getByText('live', { exact: true }).waitFor();
  return visited;
}

/** Until the line at the playhead reads so. */
const isAt = (page: Page, text: RegExp): Promise<unknown> =>
  page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector('[role=slider]')?.getAttribute('aria-valuetext') ?? ''),
    text.source,
  );

test('the actors of an application appear as they act, and the page follows them', async () => {
  const [a, b] = livePair();
  const watched = await inspect([a, b], { page: pageUrl });
  const { page, leave } = await watch(watched.url);
  b!.command('request');
  await isAt(page, /b received token from a; announced granted/);
  expect(await page.getByRole('img', { name: /^Network of 2 nodes.*marked: b ●/ }).count()).toBe(1);

  await page.keyboard.press('Home');
  b!.command('release');
  await page.waitForSelector('[role=slider][aria-valuemax="6"]');
  expect(await page.getByRole('slider').getAttribute('aria-valuenow')).toBe('0');

  const downloaded = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save the last minute' }).click();
  const [header, ...lines] = (await text(await (await downloaded).createReadStream()))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { protocol, options, graph } = parseScenario(header.scenario, protocols);
  const { impossible, violations, steps } = verifyTrace(protocol, { ...graph, options }, header, lines);
  expect({ impossible, violations, steps }).toEqual({ impossible: null, violations: [], steps: 4 });

  await page.keyboard.press('End');
  b!.command('request');
  await isAt(page, /b was asked to request; announced granted/);
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill('"announced released"');
  await page.getByLabel('stop there').check();
  b!.command('release');
  await isAt(page, /b was asked to release; announced released/);
  b!.command('request');
  await page.waitForSelector('[role=slider][aria-valuemax="9"]');
  expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/announced released/);
  await watched.close();
  await page.getByText('ended', { exact: true }).waitFor();
  await leave();
});

describe('after a breakpoint', () => {
  const maxOf = (page: Page): Promise<number> => page.getByRole('slider').getAttribute('aria-valuemax').then(Number);
  const now = (page: Page): Promise<number> => page.getByRole('slider').getAttribute('aria-valuenow').then(Number);

  /** A page that follows, with `b` as it asks and releases in turn. */
  async function following() {
    const [a, b] = livePair();
    const watched = await inspect([a, b], { page: pageUrl });
    const { page, leave } = await watch(watched.url);
    let last = await maxOf(page);
    const does = async (command: 'request' | 'release', lines = 1) => {
      b!.command(command);
      last += lines;
      await page.waitForSelector(`[role=slider][aria-valuemax="${last}"]`);
    };
    const close = async () => {
      await watched.close();
      await page.getByText('ended', { exact: true }).waitFor();
      await leave();
    };
    return { page, does, close };
  }

  test('Escape and End follow again, wherever the focus is', async () => {
    const { page, does, close } = await following();
    await does('request', 3);
    for (const checksLast of [true, false]) {
      await page.keyboard.press('/');
      if (!checksLast) expect(await page.getByLabel('stop there').isChecked()).toBe(true);
      await page.getByRole('searchbox').fill('"announced released"');
      if (checksLast) await page.getByLabel('stop there').check();
      await does('release');
      await does('request');
      expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/announced released/);
      await page.keyboard.press('Escape');
      expect(await page.getByRole('searchbox').count()).toBe(0);
      await page.keyboard.press('End');
      await does('release');
      expect(await now(page)).toBe(await maxOf(page));
      await does('request');
      expect(await now(page)).toBe(await maxOf(page));
    }
    await close();
  });

  test('past matches do not stop following, neither at the query nor later', async () => {
    const { page, does, close } = await following();
    await does('request', 3);
    await does('release');
    await does('request');
    await page.keyboard.press('/');
    await page.getByLabel('stop there').check();
    await page.getByRole('searchbox').fill('"announced released"');
    await page.getByText('1 line', { exact: true }).waitFor();
    expect(await now(page)).toBe(await maxOf(page));
    await does('release');
    await does('request');
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/announced released/);
    await page.getByLabel('stop there').focus();
    await page.keyboard.press('End');
    expect(await now(page)).toBe(await maxOf(page));
    await does('release');
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/announced released/);
    const stopped = await now(page);
    await does('request');
    expect(await now(page)).toBe(stopped);
    await close();
  });

  test('playback that reaches a match at the present end stays there', async () => {
    const { page, does, close } = await following();
    await does('request', 3);
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('"announced released"');
    await page.getByLabel('stop there').check();
    await page.keyboard.press('Home');
    await does('release');
    for (let i = 0; i < 10; i++) await page.keyboard.press('+');
    await page.keyboard.press('k');
    await isAt(page, /announced released/);
    await page.getByRole('button', { name: 'play', exact: true }).waitFor();
    const stopped = await now(page);
    expect(stopped).toBe(await maxOf(page));
    await does('request');
    expect(await now(page)).toBe(stopped);
    await close();
  });
});

test('a running simulation', async () => {
  const simulation = new Simulation(parseScenario(directoryScenario(), protocols));
  const watched = await inspect(simulation, { page: pageUrl });
  const { page, leave } = await watch(watched.url);
  simulation.run();
  await isAt(page, /n0 was asked to release; announced released/);
  await watched.close();
  await leave();
});
