import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromPromise, setup } from 'xstate';
import { directory } from '../machines/directory/index.js';
import { MachineTesting } from '../test/machine/testing.js';
import { graphsOf } from '../test/paths/graph.js';
import { pathsOf } from '../test/paths/paths.js';
import { coverageOf, SEARCH_PATIENCE } from '../test/paths/suite.js';
import { kilobytes } from '../testing/page-size.js';
import { openPage, pageUrl, type Opened } from './page/testing/browser.js';
import { keepPicture } from './page/testing/pictures.js';
import { directoryTrace } from './page/testing/traces.js';
import { traceOfPaths } from './path-trace.js';

const trace = directoryTrace();
const LINES = trace.trimEnd().split('\n').length - 1;
/** The first step after the nodes have started: n2 is asked to request. */
const START = 5;

let opened: Opened;
let page: Page;
const scene = (source: string) => async (): Promise<void> => {
  opened = await openPage(source);
  ({ page } = opened);
};
const end = (): Promise<void> => opened.close();

const press = async (key: string, times = 1): Promise<void> => {
  for (let i = 0; i < times; i++) await page.keyboard.press(key);
};
const stepTo = async (line: number): Promise<void> => {
  await press('Home');
  await press('ArrowRight', line);
};
const lineNow = async (): Promise<number> => Number(await page.getByRole('slider').getAttribute('aria-valuenow'));
const lineText = (): Promise<string | null> => page.getByRole('slider').getAttribute('aria-valuetext');
const activeStates = (): Promise<string[]> =>
  page.$$eval('.state[data-active="true"]', (states) => states.map((state) => state.getAttribute('data-state') ?? ''));
const chartOf = (): Promise<string> => page.locator('#title-chart').innerText();
const view = (name: string) => page.locator(`[data-view="${name}"]`);

describe('the four views', () => {
  beforeAll(scene(trace));
  afterAll(end);

  test('open on the start of the run, with the node that acts first selected', async () => {
    expect(await page.locator('.facts').innerText()).toMatch(/directory\s+5 nodes\s+5 links\s+seed 1/);
    expect(await lineNow()).toBe(START);
    expect(await chartOf()).toBe('Statechart of n2');
    const marked = /^Network of 5 nodes and 5 links at 0: 0 messages on their way; marked: n0 ●/;
    expect(await page.getByRole('img', { name: marked }).count()).toBe(1);
    expect(await page.getByRole('img', { name: 'Space-time diagram around line 5' }).count()).toBe(1);
    expect(await page.getByRole('table', { name: 'events' }).getByRole('row').count()).toBeGreaterThan(5);
    await page.getByRole('tab', { name: 'plots' }).click();
    await expect.poll(() => page.locator('.plot canvas').count()).toBe(1);
  });

  test('need at most 120 kB, gzipped; the library of plots is not among them', () => {
    expect(kilobytes(pageUrl)).toBeGreaterThan(80);
    expect(kilobytes(pageUrl)).toBeLessThanOrEqual(120);
  });

  test('the chart lights the active states and the transition of the step', async () => {
    await page.locator('.state').first().waitFor();
    expect(await activeStates()).toEqual(['idle']);
    await press('ArrowRight');
    expect(await activeStates()).toEqual(['waiting', 'waiting.last']);
    expect(await page.locator('.edge-label.is-taken text').first().textContent()).toBe('request');
    expect(await page.locator('.context .is-changed').allInnerTexts()).toEqual(['parent\tn1 → n2']);
  });

  test('each has a text alternative', async () => {
    await stepTo(START + 2);
    const names = ['network', 'chart', 'space-time', 'plots'];
    const showAsText = async () => {
      for (const name of names) await view(name).getByRole('button', { name: 'show as text' }).click();
    };
    await showAsText();
    const text = (name: string) => view(name).locator('.as-text').innerText();
    expect(await text('network')).toMatch(/n2\s+directory: waiting\.last\s+waiting/);
    expect(await text('network')).toMatch(/find from n1 to n0/);
    expect(await text('chart')).toMatch(/directory: waiting\.last/);
    expect(await text('chart')).toMatch(/token → holding\.using\.last: countGrant, noteReaders, announceGrant/);
    expect(await text('space-time')).toMatch(/n1 received find from n2; sent find to n0/);
    expect(await text('space-time')).toMatch(/n2, directory: waiting\.last from 0 to 3/);
    expect(await text('plots')).toMatch(/find\s+12/);
    await showAsText();
    expect(await page.locator('.as-text').count()).toBe(0);
  });

  test('event rows contain sender, event and receiver, and a click goes there', async () => {
    await page.getByRole('tab', { name: 'events' }).click();
    await stepTo(START + 2);
    const cells = page.locator('.event-row.is-now').getByRole('cell');
    expect((await cells.allInnerTexts()).slice(0, 3)).toEqual(['1', 'n2 → n1', 'find']);
    await page.getByRole('button', { name: 'n2 received token from n0; announced granted' }).click();
    await expect.poll(async () => (await cells.allInnerTexts()).slice(1, 3)).toEqual(['n0 → n2', 'token']);
    expect(await cells.nth(3).innerText()).toBe('waiting.last → holding.using.last');
    expect(await activeStates()).toEqual(['holding', 'holding.using', 'holding.using.last']);
    const here = await lineNow();
    await page.getByRole('table', { name: 'events' }).focus();
    await press('ArrowDown');
    expect(await lineNow()).toBe(here + 1);
    await press('ArrowUp', 2);
    expect(await lineNow()).toBe(here - 1);
  });

  test('a click on a node selects it everywhere', async () => {
    const box = (await view('network').locator('canvas').boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + 50);
    expect(await chartOf()).toBe('Statechart of n0');
  });

  test('keys of the space-time diagram: along the steps of a node, and to other nodes', async () => {
    await stepTo(START + 6);
    await view('space-time').locator('canvas').focus();
    const before = await chartOf();
    await press('ArrowLeft');
    expect(await lineNow()).toBeLessThan(START + 6);
    await press('ArrowRight');
    await press('ArrowDown');
    expect(await chartOf()).not.toBe(before);
  });

  test('a click on a value shows its history, and goes there', async () => {
    await page.getByRole('tab', { name: 'events' }).click();
    await press('Home');
    await page.getByRole('button', { name: 'n2 was asked to request' }).click();
    const row = page.locator('.context tr').filter({ has: page.getByRole('button', { name: 'parent', exact: true }) });
    expect(await row.innerText()).toBe('parent\tn1 → n2');
    await row.getByRole('button', { name: 'n2' }).click();
    const history = page.getByRole('region', { name: 'values of parent over time' }).getByRole('listitem');
    expect(await history.allInnerTexts()).toEqual(['0 n1', '0 n2', '6 n1']);
    expect(await history.nth(1).getAttribute('aria-current')).toBe('true');
    await history.nth(2).getByRole('button').click();
    expect(await lineText()).toMatch(/^line \d+: n2 received find/);
    expect(await row.innerText()).toBe('parent\tn2 → n1');
    expect(await history.nth(2).getAttribute('aria-current')).toBe('true');
    await page.getByRole('tab', { name: 'plots' }).click();
  });

  test('lanes have the colors of their roles, with a legend and titles', async () => {
    const states = page.getByRole('list', { name: 'states in sight' }).getByRole('listitem');
    expect(await states.allInnerTexts()).toEqual([
      'holding.idle',
      'idle',
      'waiting.last',
      'holding.using.last',
      'holding.using.followed',
    ]);
    const canvas = view('space-time').locator('canvas');
    const { width, height } = (await canvas.boundingBox())!;
    const reported = new Set<string>();
    for (let x = 60; x < width; x += 12) {
      await canvas.hover({ position: { x, y: height * 0.58 } });
      reported.add((await canvas.getAttribute('title')) ?? '');
    }
    expect([...reported].filter((words) => words !== '')).toEqual([
      'n2, directory: waiting.last from 0 to 3',
      'n2, directory: holding.using.last from 3 to 5',
      'n2, directory: holding.idle from 5 to 6',
      'n2, directory: idle from 6 to 18',
    ]);
    await view('space-time').getByRole('button', { name: 'fill the page' }).click();
    await keepPicture(page, 'inspector-lanes');
    await view('space-time').getByRole('button', { name: 'back to all views' }).click();
  });

  test('each can fill the page', async () => {
    const before = (await view('network').boundingBox())!;
    await view('network').getByRole('button', { name: 'fill the page' }).click();
    expect((await view('network').boundingBox())!.width).toBeGreaterThan(before.width * 1.3);
    expect(await view('chart').isVisible()).toBe(false);
    await view('network').getByRole('button', { name: 'back to all views' }).click();
    expect((await view('network').boundingBox())!.width).toBe(before.width);
  });

  test('the chart has half of the page at a key', async () => {
    const width = async () => (await view('chart').boundingBox())!.width;
    const before = await width();
    await press('c');
    expect((await width()) / page.viewportSize()!.width).toBeGreaterThan(0.48);
    await press('c');
    expect(await width()).toBe(before);
  });

  test('light or dark as the system is, and the other at a key', async () => {
    const isLight = async () => {
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      return Number(/\d+/.exec(ground)![0]) > 200;
    };
    const seen = [];
    for (const [system, other] of [
      ['dark', 'light'],
      ['light', 'dark'],
    ] as const) {
      await page.emulateMedia({ colorScheme: system });
      await page.waitForSelector(`[data-theme=${system}]`);
      seen.push(await isLight());
      await press('t');
      await page.waitForSelector(`[data-theme=${other}]`);
      seen.push(await isLight());
    }
    expect(seen).toEqual([false, true, true, false]);
  });
});

test('the chart shows the coverage of tests: uncovered parts are struck out', async () => {
  const graphs = graphsOf(directory, SEARCH_PATIENCE);
  const tours = graphs.flatMap((graph) => pathsOf(graph, 'tour'));
  const all = coverageOf(directory, graphs).toJSON();
  const covered = {
    directory: { ...all['directory'], 'state holding.using.followed': 0, 'transition waiting.last: token': 0 },
  };
  const lines = [...traceOfPaths(directory, tours, covered)];
  await scene(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))();
  const missed = page.locator('.state.is-missed');
  await missed.waitFor();
  expect(await missed.evaluateAll((states) => states.map((state) => state.getAttribute('data-state')))).toEqual([
    'holding.using.followed',
  ]);
  expect(await page.locator('.edge-label.is-missed').allTextContents()).toEqual([expect.stringMatching(/covered 0 timestoken/)]);
  expect(await page.locator('.edge.is-missed').count()).toBe(1);
  await end();
});

test('and so it is on the chart of an application, where time and services lead', async () => {
  const door = setup({ actors: { unlock: fromPromise(async () => {}) } }).createMachine({
    id: 'door',
    initial: 'locked',
    states: {
      locked: { on: { CODE: 'opening', BREAK: 'broken' } },
      opening: { invoke: { src: 'unlock', onDone: 'open', onError: 'locked' } },
      open: { after: { 5000: 'locked' } },
      broken: {},
    },
  });
  const testing = new MachineTesting(door, { services: { unlock: { fails: [] } }, events: { BREAK: [] } });
  const painted = Object.entries((await testing.counts())['door']!).filter(([item]) =>
    /^(state|transition|guard|event) /.test(item),
  );
  const paths = pathsOf(await testing.graph(), 'tour');
  const lines = [...traceOfPaths({ name: 'door', charts: { door } } as never, paths, { door: Object.fromEntries(painted) })];
  await scene(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))();
  await page.locator('.state.is-missed').waitFor();
  expect(await page.locator('.state.is-missed').evaluateAll((all) => all.map((one) => one.getAttribute('data-state')))).toEqual([
    'broken',
  ]);
  expect((await page.locator('.edge-label.is-missed').allTextContents()).sort()).toEqual([
    expect.stringMatching(/covered 0 times.*BREAK$/),
    expect.stringMatching(/covered 0 times.*unlock/),
  ]);
  expect(await page.locator('.edge-label:not(.is-missed)').count()).toBe(3);
  await end();
});

describe('time', () => {
  beforeAll(scene(trace));
  afterAll(end);

  test('step, to the end and back to the start', async () => {
    await press('End');
    expect(await lineNow()).toBe(LINES);
    await press('Home');
    expect(await lineNow()).toBe(0);
    await press('Shift+ArrowRight');
    expect(await lineText()).toMatch(/received find/);
    await press('ArrowLeft');
    expect(await lineText()).toMatch(/asked to request/);
  });

  test('scrubbing goes to any moment', async () => {
    const box = (await page.getByRole('slider').boundingBox())!;
    const at = (part: number) => page.mouse.click(box.x + part * (box.width - 1), box.y + 10);
    await at(1);
    const last = await lineNow();
    await at(0.5);
    expect(await lineNow()).toBeGreaterThan(START);
    expect(await lineNow()).toBeLessThan(last);
  });

  test('a query has ticks, and playback stops there', async () => {
    await press('Home');
    await press('/');
    await page.getByRole('searchbox').fill('node:n2 type:token');
    const answers = page.getByLabel('lines that answer');
    await answers.filter({ hasText: /^2 lines$/ }).waitFor();
    expect(await page.locator('.scrubber .hits').getAttribute('d')).toMatch(/^(M[\d.]+ 0v9){2}$/);
    await page.getByLabel('stop there').check();
    await page.locator('.play').click();
    await page.getByRole('button', { name: 'play', exact: true }).waitFor();
    expect(await lineText()).toMatch(/n2 received token/);
    const first = await lineNow();
    // The events that do not answer are hidden.
    expect(await page.getByRole('table', { name: 'events' }).getByRole('row').count()).toBe(3);
    await page.getByRole('tab', { name: 'plots' }).click();
    await keepPicture(page, 'inspector-asked');
    await press('n');
    expect(await lineNow()).toBeGreaterThan(first);
    await press('N');
    expect(await lineNow()).toBe(first);
    // The key leads back to the question as often as it is pressed.
    for (let i = 0; i < 2; i++) {
      await press('/');
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
      await page.locator('[data-view="network"] canvas').focus();
    }
    await page.getByRole('searchbox').fill('node:');
    expect(await page.getByRole('alert').innerText()).toMatch(/^"node:" has no value\. /);
    for (const word of ['nodes', 'constructor', '__proto__']) {
      await page.getByRole('searchbox').fill(`${word}:n2`);
      expect(await page.getByRole('alert').innerText()).toMatch(
        new RegExp(`Unknown field "${word}" .*nown: node, type, kind, from, to, state, ctx.KEY$`),
      );
    }
    await page.getByRole('searchbox').press('Escape');
    expect(await page.locator('.scrubber .hits').getAttribute('d')).toBe('');
  });

  test('a query for states has bars and nodes, and playback stops where a bar begins', async () => {
    await press('Home');
    await press('/');
    await page.getByRole('searchbox').fill('node:n1 state:waiting');
    const items = page.locator('.intervals li');
    await expect.poll(() => items.allInnerTexts()).toEqual(['n1 from 6 to 10']);
    expect(await page.locator('.scrubber .hits').getAttribute('d')).toBe('');
    expect(await page.locator('.scrubber path.held').getAttribute('d')).toMatch(/^M[\d.]+ 0H[\d.]+v6H[\d.]+z$/);
    expect(await page.getByLabel('holds now').innerText()).toBe('1 interval; now it holds for no node');
    await page.getByLabel('stop where it begins').check();
    await page.locator('.play').click();
    await page.getByRole('button', { name: 'play', exact: true }).waitFor();
    expect(await lineText()).toMatch(/n1 was asked to request/);
    expect(await page.getByLabel('holds now').innerText()).toBe('1 interval; now it holds for n1');
    expect(await items.first().getAttribute('aria-current')).toBe('true');
    await page.getByRole('button', { name: 'to 10' }).click();
    expect(await lineText()).toMatch(/n1 received token/);
    expect(await page.getByLabel('holds now').innerText()).toMatch(/no node$/);
    await page.getByRole('searchbox').fill('state:waiting');
    await expect.poll(() => items.count()).toBe(5);
    await page.getByRole('button', { name: 'n4 from 3' }).click();
    await keepPicture(page, 'inspector-watched');
    await page.getByRole('searchbox').press('Escape');
    expect(await page.locator('.scrubber path.held').getAttribute('d')).toBe('');
  });

  test('a message moves while its time passes', async () => {
    const picture = () => page.$eval('.panel-network canvas', (canvas) => (canvas as HTMLCanvasElement).toDataURL());
    await stepTo(START + 1);
    await press('-', 3);
    const before = await picture();
    await press('Space');
    await page.waitForFunction(
      (old) => document.querySelector<HTMLCanvasElement>('.panel-network canvas')!.toDataURL() !== old,
      before,
    );
    await press('Space');
    expect(await lineNow()).toBe(START + 1);
    await press('+', 3);
  });

  test('playing moves on by itself, stops at the end, and starts over', async () => {
    await press('+', 7);
    expect(await page.getByLabel('speed').innerText()).toBe('1024×');
    await press('Space');
    await page.waitForSelector(`[role=slider][aria-valuenow="${LINES}"]`);
    await page.getByRole('button', { name: 'play', exact: true }).waitFor();
    await press('-', 8);
    await press('Space');
    await page.getByRole('button', { name: 'pause', exact: true }).waitFor();
    expect(await lineNow()).toBeLessThan(20);
  });
});
