/** Nodes that are added and moved by hand, with links that follow from where they are. */
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simulateByName } from '../testing/simulate.js';
import { eventsOf, openPage, read, type Opened } from './page/testing/browser.js';
import { directoryScenario, gestures, traceOf } from './page/testing/traces.js';

const election = { protocol: 'election', topology: { kind: 'path', n: 3 }, until: { idle: true } };

let opened: Opened;
let page: Page;

const card = () => page.getByRole('complementary', { name: 'intervene' });
const tab = (name: string | RegExp): Promise<void> => page.getByRole('tab', { name }).click();

async function saved(): Promise<string> {
  await tab(/^by hand/);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'save as scenario' }).click();
  return text(await (await download).createReadStream());
}

describe('nodes are added and moved by hand', () => {
  beforeAll(async () => {
    opened = await openPage(traceOf(election), { gestures });
    ({ page } = opened);
    await page.keyboard.press('g');
  });
  afterAll(() => opened.close());

  const picture = () => page.locator('[data-view="network"] canvas').first();
  const made = () => page.waitForResponse((response) => response.url().endsWith('/run'), { timeout: 2000 });
  interface Json {
    readonly topology: { readonly nodes?: readonly string[] };
    readonly events?: readonly { readonly do: string; readonly link?: readonly string[] }[];
  }
  const scenarioNow = async () => JSON.parse(await saved()) as Json;
  async function takeBackBoth(): Promise<void> {
    await tab(/^by hand/);
    const back = page.locator('.gestures').getByRole('button', { name: 'take back' });
    for (const left of [1, 0]) {
      await back.first().click();
      await expect.poll(() => back.count()).toBe(left);
      await read(page);
    }
  }
  const done = async () => ((await scenarioNow()).events ?? []).map(({ do: what, link = [] }) => [what, ...link].join(' '));

  /** Moves the selected node by keys until the run is made again. */
  async function moves(key: string): Promise<void> {
    await picture().focus();
    for (let strides = 0; strides < 8; strides++) {
      const answer = made().catch(() => null);
      await page.keyboard.press(key);
      if (await answer) return read(page).then(() => {});
    }
    throw new Error(`no link follows ${key}`);
  }

  /** Where a node of the path is drawn, which lies across the middle: the picture names whom one points at. */
  async function placeOf(name: string): Promise<{ readonly x: number; readonly y: number }> {
    const box = (await picture().boundingBox())!;
    const y = box.y + box.height / 2;
    for (let x = box.x + 10; x < box.x + box.width; x += 14) {
      await page.mouse.move(x, y);
      if ((await picture().getAttribute('title')) === name) return { x, y };
    }
    throw new Error(`${name} is not on the middle line`);
  }

  test('without links by distance a node that is moved keeps its links', async () => {
    await picture().focus();
    for (let strides = 0; strides < 4; strides++) await page.keyboard.press('Alt+ArrowDown');
    for (let strides = 0; strides < 4; strides++) await page.keyboard.press('Alt+ArrowUp');
    expect(await done()).toEqual([]);
  });

  test('a range unlinks a node that is too far, and links it again when it returns', async () => {
    await card().getByLabel('links by distance').check();
    await moves('Alt+ArrowDown');
    expect(await done()).toEqual(['cut n0 n1']);
    await tab('events');
    expect(await eventsOf(page)).toMatch(/channel n0 → n1 went down/);
    await page.keyboard.press('End');
    await moves('Alt+ArrowUp');
    expect(await done()).toEqual(['cut n0 n1', 'join n0 n1']);
    await takeBackBoth();
  });

  test('the pointer does the same: several links change at once, in one branch', async () => {
    await page.reload();
    await read(page);
    await page.keyboard.press('g');
    await card().getByLabel('links by distance').check();
    const [from, to] = [await placeOf('n0'), await placeOf('n2')];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y + 40, { steps: 6 });
    const answer = made();
    await page.mouse.up();
    await answer;
    await read(page);
    expect((await done()).toSorted()).toEqual(['cut n0 n1', 'join n0 n2']);
    await tab(/^by hand/);
    expect(await page.getByLabel('name of this branch').inputValue()).toMatch(/^cut n0 – n1, join n0 – n2$/);
    await takeBackBoth();
  });

  test('a new node starts without links, is linked with near nodes, and takes part', async () => {
    const answer = made();
    await card().getByRole('button', { name: 'add a node' }).click();
    await answer;
    await read(page);
    expect(await page.locator('[data-view="chart"]').innerText()).toContain('n3');
    const json = await scenarioNow();
    expect(json.topology.nodes).toEqual(['n0', 'n1', 'n2', 'n3']);
    const joined = await done();
    expect(joined.length).toBeGreaterThan(0);
    expect(joined.every((event) => event.startsWith('join n3 '))).toBe(true);
    const { summary, verdict } = simulateByName(json);
    expect(verdict).toBe('valid');
    expect(new Set(Object.values(summary['leaders'] as Record<string, string>)).size).toBe(1);
  });

  test('it is taken back with its links', async () => {
    await tab(/^by hand/);
    await page.locator('.gestures').getByRole('button', { name: 'take back' }).first().click();
    await expect.poll(() => page.locator('.gestures ol li').allInnerTexts()).toEqual([expect.stringMatching(/^Nothing yet/)]);
    expect((await scenarioNow()).topology).toEqual(election.topology);
  });
});

test('with routing or contacts, nodes cannot be added or moved by hand', () => {
  const walkers = { kind: 'walkers', n: 3, radius: 0.5, speed: 0.1, steps: 3 };
  expect(gestures.offer(directoryScenario()).does).not.toContain('add');
  expect(gestures.offer({ ...election, topology: walkers }).does).not.toContain('add');
  expect(gestures.offer(election).does).toContain('add');
});
