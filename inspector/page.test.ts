import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { directory } from '../machines/directory/index.js';
import { graphsOf } from '../test/paths/graph.js';
import { pathsOf } from '../test/paths/paths.js';
import { coverageOf, PATIENCE } from '../test/paths/suite.js';
import { buildPage, launch, open, type Opened } from './page/testing/browser.js';
import { directoryTrace } from './page/testing/traces.js';
import { traceOfPaths } from './path-trace.js';

let browser: Browser;
let built: URL;
beforeAll(async () => {
  [browser, built] = await Promise.all([launch(), buildPage()]);
});
afterAll(() => browser?.close());

async function withPage(source: string, look: (opened: Opened) => Promise<void>, scheme?: 'light' | 'dark'): Promise<void> {
  const opened = await open(browser, built, source, scheme ? { scheme } : {});
  try {
    await look(opened);
  } finally {
    await opened.close();
  }
}

const trace = directoryTrace();
const press = async ({ page }: Opened, key: string, times = 1): Promise<void> => {
  for (let i = 0; i < times; i++) await page.keyboard.press(key);
};
const lineNow = async ({ page }: Opened): Promise<number> => Number(await page.getByRole('slider').getAttribute('aria-valuenow'));
const activeStates = ({ page }: Opened): Promise<string[]> =>
  page.$$eval('.state[data-active="true"]', (states) => states.map((state) => state.getAttribute('data-state') ?? ''));

describe('the four views', () => {
  test('open on the start of the run, with the node that acts first selected', () =>
    withPage(trace, async (opened) => {
      const { page } = opened;
      expect(await page.locator('.facts').innerText()).toMatch(/directory\s+5 nodes\s+5 links\s+seed 1/);
      expect(await lineNow(opened)).toBe(5);
      expect(await page.locator('#title-chart').innerText()).toBe('Statechart of n2');
      expect(
        await page
          .getByRole('img', { name: /^Network of 5 nodes and 5 links at 0: 0 messages on their way; marked: n0 ●/ })
          .count(),
      ).toBe(1);
      expect(await page.getByRole('img', { name: 'Space-time diagram around line 5' }).count()).toBe(1);
      expect(await page.locator('.plot canvas').count()).toBe(4);
    }));

  test('the chart lights the active states and the transition of the step', () =>
    withPage(trace, async (opened) => {
      const { page } = opened;
      expect(await activeStates(opened)).toEqual(['idle']);
      await press(opened, 'ArrowRight');
      expect(await activeStates(opened)).toEqual(['waiting', 'waiting.last']);
      expect(await page.locator('.edge-label.is-taken text').textContent()).toBe('request');
      expect(await page.locator('.context .is-changed').allInnerTexts()).toEqual(['parent\tn2']);
    }));

  test('a click on a node selects it everywhere', () =>
    withPage(trace, async ({ page }) => {
      const box = (await page.locator('.panel-network canvas').boundingBox())!;
      await page.mouse.click(box.x + box.width / 2, box.y + 50);
      expect(await page.locator('#title-chart').innerText()).toBe('Statechart of n0');
    }));

  test('a click on a step of the space-time diagram goes there', () =>
    withPage(trace, async (opened) => {
      const { page } = opened;
      await press(opened, 'ArrowRight', 6);
      const there = await lineNow(opened);
      const canvas = page.locator('.panel-space-time canvas');
      await canvas.focus();
      await press(opened, 'ArrowLeft');
      expect(await lineNow(opened)).toBeLessThan(there);
      await press(opened, 'ArrowRight');
      await press(opened, 'ArrowDown');
      expect(await page.locator('#title-chart').innerText()).not.toBe('Statechart of n2');
    }));

  test('the log says in sentences what happened, and goes where one clicks', () =>
    withPage(trace, async (opened) => {
      const { page } = opened;
      await page.getByRole('tab', { name: 'log' }).click();
      await press(opened, 'ArrowRight', 2);
      expect(await page.locator('.log .is-now').innerText()).toMatch(/n1 received find from n2; sent find to n0/);
      await page.getByRole('button', { name: 'n2 received token from n0; announced granted' }).click();
      expect(await page.locator('.log .is-now').innerText()).toMatch(/announced granted/);
      expect(await activeStates(opened)).toEqual(['holding', 'holding.using', 'holding.using.last']);
    }));

  test('each has a text alternative', () =>
    withPage(trace, async (opened) => {
      const { page } = opened;
      await press(opened, 'ArrowRight', 2);
      for (const view of ['network', 'chart', 'space-time', 'plots']) {
        await page.locator(`[data-view="${view}"]`).getByRole('button', { name: 'show as text' }).click();
      }
      const text = (view: string) => page.locator(`[data-view="${view}"] .as-text`).innerText();
      expect(await text('network')).toMatch(/n2\s+directory: waiting\.last\s+waiting/);
      expect(await text('network')).toMatch(/find from n1 to n0/);
      expect(await text('chart')).toMatch(/directory: waiting\.last/);
      expect(await text('chart')).toMatch(/token → holding\.using\.last: countGrant, announceGrant/);
      expect(await text('space-time')).toMatch(/n1 received find from n2; sent find to n0/);
      expect(await text('plots')).toMatch(/find\s+12/);
    }));

  test('each can fill the page', () =>
    withPage(trace, async ({ page }) => {
      const network = page.locator('[data-view="network"]');
      const before = (await network.boundingBox())!;
      await network.getByRole('button', { name: 'fill the page' }).click();
      expect((await network.boundingBox())!.width).toBeGreaterThan(before.width * 1.3);
      expect(await page.locator('[data-view="chart"]').isVisible()).toBe(false);
      await network.getByRole('button', { name: 'back to all views' }).click();
      expect((await network.boundingBox())!.width).toBe(before.width);
    }));

  test.each(['light', 'dark'] as const)('%s as the system is, and the other at a key', (scheme) =>
    withPage(
      trace,
      async (opened) => {
        const { page } = opened;
        const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const before = await ground();
        await press(opened, 't');
        expect(await ground()).not.toBe(before);
        const lightness = (color: string) => Number(/\d+/.exec(color)![0]);
        expect(lightness(scheme === 'light' ? before : await ground())).toBeGreaterThan(200);
      },
      scheme,
    ),
  );
});

describe('the coverage of tests', () => {
  test('is painted on the chart: what no path takes is struck out', async () => {
    const graphs = graphsOf(directory, PATIENCE);
    const tours = graphs.flatMap((graph) => pathsOf(graph, 'tour'));
    const all = coverageOf(directory, graphs).toJSON();
    const covered = {
      directory: { ...all['directory'], 'state holding.using.followed': 0, 'transition waiting.last: token': 0 },
    };
    const source = [...traceOfPaths(directory, tours, covered)].map((line) => `${JSON.stringify(line)}\n`).join('');
    await withPage(source, async ({ page }) => {
      expect(
        await page.locator('.state.is-missed').evaluateAll((states) => states.map((state) => state.getAttribute('data-state'))),
      ).toEqual(['holding.using.followed']);
      expect(await page.locator('.edge-label.is-missed').allTextContents()).toEqual([
        expect.stringMatching(/covered 0 timestoken$/),
      ]);
      expect(await page.locator('.edge.is-missed').count()).toBe(1);
    });
  });
});

describe('time', () => {
  test('step, to the end and back to the start', () =>
    withPage(trace, async (opened) => {
      await press(opened, 'End');
      const lines = await lineNow(opened);
      expect(lines).toBe(trace.trimEnd().split('\n').length - 1);
      await press(opened, 'Home');
      expect(await lineNow(opened)).toBe(0);
      await press(opened, 'Shift+ArrowRight');
      expect(await opened.page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/received find/);
      await press(opened, 'ArrowLeft');
      expect(await opened.page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/asked to request/);
    }));

  test('playing moves on by itself, stops at the end, and starts over', () =>
    withPage(trace, async (opened) => {
      const { page } = opened;
      await press(opened, '+', 7);
      expect(await page.getByLabel('speed').innerText()).toBe('1024×');
      await press(opened, 'Space');
      await page.waitForSelector(`[role=slider][aria-valuenow="${trace.trimEnd().split('\n').length - 1}"]`);
      await page.getByRole('button', { name: 'play', exact: true }).waitFor();
      await press(opened, '-', 8);
      await press(opened, 'Space');
      await page.getByRole('button', { name: 'pause', exact: true }).waitFor();
      expect(await lineNow(opened)).toBeLessThan(20);
    }));

  test('scrubbing goes to any moment', () =>
    withPage(trace, async (opened) => {
      const box = (await opened.page.getByRole('slider').boundingBox())!;
      await opened.page.mouse.click(box.x + box.width - 1, box.y + 10);
      const end = await lineNow(opened);
      await opened.page.mouse.click(box.x + box.width / 2, box.y + 10);
      const middle = await lineNow(opened);
      expect(middle).toBeGreaterThan(5);
      expect(middle).toBeLessThan(end);
    }));

  test('a message moves while its time passes', () =>
    withPage(trace, async (opened) => {
      const { page } = opened;
      const picture = () => page.$eval('.panel-network canvas', (canvas) => (canvas as HTMLCanvasElement).toDataURL());
      await press(opened, 'ArrowRight');
      await press(opened, '-', 3);
      const before = await picture();
      await press(opened, 'Space');
      await page.waitForTimeout(150);
      await press(opened, 'Space');
      expect(await lineNow(opened)).toBe(6);
      expect(await picture()).not.toBe(before);
    }));
});
