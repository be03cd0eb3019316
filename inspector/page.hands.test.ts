import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simulate } from '../index.js';
import { buildPage, launch, open, read } from './page/testing/browser.js';
import { directoryScenario, hands, traceOf } from './page/testing/traces.js';

let browser: Browser;
let built: URL;
beforeAll(async () => {
  [browser, built] = await Promise.all([launch(), buildPage()]);
});
afterAll(() => browser?.close());

/** Latency 10, so that there is time to reach in. */
const scenario = { ...directoryScenario(), network: { latency: 10 } };

async function withHands(json: unknown, look: (page: Page) => Promise<void>, allowed?: RegExp): Promise<void> {
  const { page, close } = await open(browser, built, traceOf(json), { hands });
  await page.keyboard.press('g');
  await look(page);
  await close(allowed);
}

const card = (page: Page) => page.getByRole('complementary', { name: 'reach in' });

/** Presses a button of the card and waits for the run that is made again. */
async function does(page: Page, name: string): Promise<void> {
  const answer = page.waitForResponse((response) => response.url().endsWith('/run'));
  await card(page).getByRole('button', { name, exact: true }).click();
  await answer;
  await read(page);
}

const log = async (page: Page): Promise<string> => {
  await page.getByRole('tab', { name: 'log' }).click();
  return page.locator('.log').innerText();
};

async function saved(page: Page, name: string): Promise<string> {
  await page.getByRole('tab', { name: 'by hand' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name }).click();
  return readFileSync(await (await download).path(), 'utf8');
}

/** Selects the first message that is on its way. */
async function selectMessage(page: Page): Promise<void> {
  const network = page.locator('[data-view="network"]');
  await network.getByRole('button', { name: 'show as text' }).click();
  await network.locator('.as-text ul').first().getByRole('button').first().click();
  await network.getByRole('button', { name: 'show as text' }).click();
}

describe('a gesture changes what comes and nothing that has been', () => {
  test('crash and restart', () =>
    withHands(scenario, async (page) => {
      await page.keyboard.press('ArrowRight');
      const before = await page.getByRole('slider').getAttribute('aria-valuetext');
      await does(page, 'crash');
      expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toBe(before);
      await page.keyboard.press('ArrowRight');
      expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/n2 crashed/);
      await does(page, 'restart');
      expect(await log(page)).toMatch(/n2 restarted/);
    }));

  test('a command of the protocol', () =>
    withHands({ ...scenario, events: [] }, async (page) => {
      await does(page, 'request');
      expect(await log(page)).toMatch(/n0 was asked to request/);
    }));

  test('cut and join a link, one way or both', () =>
    withHands({ protocol: 'election', topology: { kind: 'path', n: 3 }, until: { idle: true } }, async (page) => {
      await page.getByLabel('link to').selectOption('n1');
      const link = page.getByRole('region', { name: 'link n0 n1' });
      await link.getByRole('button', { name: 'down' }).first().waitFor();
      await does(page, 'cut');
      expect(await log(page)).toMatch(/channel n0 → n1 went down\s.*[\s\S]*channel n1 → n0 went down/);
      await page.keyboard.press('End');
      await does(page, 'join');
      expect(await log(page)).toMatch(/channel n1 → n0 came up/);
    }));

  test.each([
    ['drop', /find n2 → n1 was lost/],
    ['duplicate', /find n2 → n1 was doubled/],
    ['hold', /^(?![\s\S]*n1 received find from n2)/],
  ])('one message: %s', (name, expected) =>
    withHands(scenario, async (page) => {
      await page.keyboard.press('ArrowRight');
      await selectMessage(page);
      await does(page, name);
      expect(await log(page)).toMatch(expected);
    }),
  );

  test('one message before all others', () =>
    withHands(
      {
        ...scenario,
        events: [
          { at: 0, node: 'n3', do: 'request' },
          { at: 1, node: 'n2', do: 'request' },
        ],
      },
      async (page) => {
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('ArrowRight');
        await selectMessage(page);
        await does(page, 'deliver first');
        await page.keyboard.press('ArrowRight');
        expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/received find from n3/);
        expect(await page.locator('output.time b').innerText()).toBe('5.5');
      },
    ));

  test('pause a node, clog and slow a channel: they reach the scenario', () =>
    withHands(scenario, async (page) => {
      await does(page, 'pause');
      await page.getByLabel('link to').selectOption('n1');
      const names = page.getByRole('region', { name: 'link n2 n1' });
      for (const name of ['clog', 'slow']) {
        const answer = page.waitForResponse((response) => response.url().endsWith('/run'));
        await names.getByRole('button', { name, exact: true }).first().click();
        await answer;
        await read(page);
      }
      expect(JSON.parse(await saved(page, 'save as scenario')).events.slice(scenario.events.length)).toEqual(
        [
          { at: 5, do: 'pause', node: 'n2' },
          { at: 5, do: 'clog', channel: ['n2', 'n1'] },
          { at: 5, do: 'slow', channel: ['n2', 'n1'], by: 10 },
        ].map((event) => ({ ...event, at: expect.any(Number) })),
      );
    }));

  test('corrupt a node of a protocol that recovers', () =>
    withHands({ protocol: 'queue', topology: { kind: 'path', n: 3 }, until: { at: 60 } }, async (page) => {
      await does(page, 'corrupt all');
      expect(await log(page)).toMatch(/n0 was corrupted/);
    }));
});

test('the cost is held against the bound of the paper', () =>
  withHands(
    {
      protocol: 'controller',
      topology: { kind: 'path', n: 4 },
      options: { kind: 'basic', M: 9, W: 4, root: 'n0' },
      workload: { sequential: ['n3', 'n2', 'n3'] },
    },
    async (page) => {
      const plot = page.getByRole('group', { name: /^Cost against bound: .*messages 0\.\d+.*bound 1/ });
      await plot.waitFor();
    },
  ));

describe('what was done by hand', () => {
  test('is taken back at a click', () =>
    withHands(scenario, async (page) => {
      const lines = () => page.getByRole('slider').getAttribute('aria-valuemax');
      const before = await lines();
      await does(page, 'crash');
      expect(await lines()).not.toBe(before);
      await page.getByRole('tab', { name: 'by hand' }).click();
      expect(await page.locator('.gestures li').allInnerTexts()).toEqual([expect.stringMatching(/crash n2/)]);
      await page.getByRole('button', { name: 'take back' }).click();
      await page.waitForSelector(`[role=slider][aria-valuemax="${before}"]`);
    }));

  test('is a file that replays', () =>
    withHands(scenario, async (page) => {
      await page.keyboard.press('ArrowRight');
      await does(page, 'crash');
      const json: unknown = JSON.parse(await saved(page, 'save as scenario'));
      const violated = await page.getByRole('tab', { name: /^properties/ }).innerText();
      const { properties } = simulate(json);
      expect(violated).toContain(String(properties.filter(({ holds }) => holds === false).length));
      expect(traceOf(json).trimEnd().split('\n').length - 1).toBe(
        Number(await page.getByRole('slider').getAttribute('aria-valuemax')),
      );
    }));

  test('is a test of the verdict that it has', () =>
    withHands(scenario, async (page) => {
      await does(page, 'crash');
      const text = await saved(page, 'save as test');
      expect(text).toMatch(/import \{ simulate \} from 'xstate-quiver'/);
      expect(text).toContain('"do": "crash"');
      expect(text).toContain(".toBe('invalid')");
    }));
});

describe('what cannot be done', () => {
  test('is told, and nothing changes', () =>
    withHands(
      { protocol: 'election', topology: { kind: 'path', n: 3 }, until: { idle: true } },
      async (page) => {
        await page.getByLabel('link to').selectOption('n2');
        const link = page.getByRole('region', { name: 'link n0 n2' });
        await link.getByRole('button', { name: 'clog' }).first().click();
        await page.getByRole('alert').waitFor();
        expect(await page.getByRole('alert').innerText()).toMatch(/there is no link between "n0" and "n2" to clog/);
        expect(await page.getByRole('tab', { name: 'by hand' }).innerText()).toBe('by hand');
      },
      /status of 422/,
    ));

  test('a trace that is only looked at offers nothing', async () => {
    const { page, close } = await open(browser, built, traceOf(scenario));
    await page.keyboard.press('g');
    expect(await card(page).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'reach in' }).count()).toBe(0);
    await close();
  });
});
