/** The page shows the result of a trace when it opens, and its transitions match those of XState. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createActor } from 'xstate';
import { chartDefinition } from '../network/chart-definition.js';
import { pageFile } from './exports/page-file.js';
import { conformance } from './model/conformance.fixture.js';
import { readChart } from './model/chart.js';
import { counterexampleTrace, gesturesOnCounterexample } from './counterexample.fixtures.js';
import { axeComplaints } from './page/testing/axe.js';
import { pageUrl, openPage, read, visit, type Opened } from './page/testing/browser.js';
import { keepPicture } from './page/testing/pictures.js';
import { directoryTrace } from './page/testing/traces.js';

let opened: Opened;
let page: Page;
const scene = (source: string) => async (): Promise<void> => {
  opened = await openPage(source);
  ({ page } = opened);
};
const end = (): Promise<void> => opened.close();
const lineText = (): Promise<string | null> => page.getByRole('slider').getAttribute('aria-valuetext');
const transitions = (which: string): Promise<string[]> =>
  page.$$eval(`.edge-label.${which}, .internal:has(.${which})`, (labels) => labels.map((label) => label.textContent ?? ''));

describe('the counterexample of the checker', () => {
  beforeAll(scene(counterexampleTrace()));
  afterAll(end);

  test('shows the violation, its nodes, and that nothing more can happen', async () => {
    const notification = page.locator('.verdict');
    expect(await notification.innerText()).toMatch(
      /^Violated: every request succeeds for n0 and n1\. It rests forever from line 19: nothing more can happen\./,
    );
    expect(await page.locator('.tag.is-invalid').innerText()).toBe('invalid');
    await notification.getByRole('button', { name: 'Show it' }).click();
    expect(await lineText()).toMatch(/violated for n0 and n1: every request succeeds/);
    expect(await page.getByRole('img', { name: /marked: n0 .*n1 / }).count()).toBe(1);
    await notification.getByRole('button', { name: 'n1' }).click();
    expect(await page.locator('#title-chart').innerText()).toBe('Statechart of n1');
    await keepPicture(page, 'inspector-verdict');
  });

  /** The number of points in the space-time picture that are as dark as an unfaded dot. */
  const darkPoints = (): Promise<number> =>
    page.locator('[data-view="space-time"] canvas').evaluate((element) => {
      const { width, height } = element as HTMLCanvasElement;
      const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })!;
      copy.drawImage(element as HTMLCanvasElement, 0, 0);
      const { data } = copy.getImageData(0, 0, width, height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i]! + data[i + 1]! + data[i + 2]! < 200 && data[i + 3]! > 200) count++;
      return count;
    });

  test('why: waiting nodes, and the chain of causes; the rest of the diagram is pale', async () => {
    await page.getByRole('tab', { name: 'events' }).click();
    const dark = await darkPoints();
    await page.locator('.verdict').getByRole('button', { name: 'Why?' }).click();
    const waits = await page.locator('.waits li b').allInnerTexts();
    expect(waits).toEqual([
      'n0 in initiator.compete, participant.compete waits for n1',
      'n1 in initiator.compete, participant.compete waits for n0',
    ]);
    expect(await page.locator('.waits').innerText()).toMatch(/n1 received its request in line \d+ and sent nothing back/);
    const causes = await page.locator('.causes button').allInnerTexts();
    expect(causes[0]).toMatch(/violated for n0 and n1/);
    expect(causes[1]).toMatch(/n0 received/);
    expect(causes.at(-1)).toMatch(/was asked to lock/);
    expect(await page.locator('.causes .outside').innerText()).toBe('That was asked for from outside.');
    await expect.poll(darkPoints).toBeLessThan(0.7 * dark);
    await keepPicture(page, 'inspector-why');
    await page.getByRole('tab', { name: 'events' }).click();
    await expect.poll(darkPoints).toBe(dark);
    await page.getByRole('tab', { name: 'why' }).click();
  });

  test('the tabs are one stop of the Tab key, and the arrow keys cycle through them', async () => {
    const chosen = () => page.locator('[role=tab][aria-selected=true]').getAttribute('data-tab');
    const line = await page.getByRole('slider').getAttribute('aria-valuenow');
    await page.getByRole('tab', { name: 'plots' }).click();
    await page.getByRole('tab', { name: 'plots' }).focus();
    for (const [key, tab] of [
      ['ArrowLeft', 'compare'],
      ['ArrowRight', 'plots'],
      ['ArrowRight', 'events'],
      ['End', 'plots'],
      ['Home', 'events'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await chosen()).toBe(tab);
      expect(await page.evaluate(() => document.activeElement?.getAttribute('data-tab'))).toBe(tab);
    }
    expect(await page.locator('[role=tab][tabindex="0"]').count()).toBe(1);
    expect(await page.getByRole('slider').getAttribute('aria-valuenow')).toBe(line);
  });

  test('each property with its result', async () => {
    await page.getByRole('tab', { name: /properties/ }).click();
    expect(await page.locator('.properties [data-holds="false"] b').allInnerTexts()).toEqual(['every request succeeds']);
    expect(await page.locator('.properties [data-holds="true"]').count()).toBeGreaterThan(3);
  });
});

test('trace and page as one file from disk: same view, no requests, no injection', async () => {
  const evil = '</script><script>document.title = "owned"</script>';
  const folder = mkdtempSync(join(tmpdir(), 'quiver-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'failure.html');
  writeFileSync(file, pageFile(counterexampleTrace().replaceAll('"n1"', JSON.stringify(evil)), pageUrl));
  const { page, leave } = await visit(pathToFileURL(file).href);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.reload();
  await read(page);
  expect(await page.locator('.verdict').innerText()).toMatch(/^Violated: every request succeeds for n0 and <\/script>/);
  await page.locator('.state').first().waitFor();
  expect(await page.title()).toBe('Quiver inspector');
  expect(asked.filter((url) => !/^(data|blob):/.test(url))).toEqual([page.url()]);
  await keepPicture(page, 'inspector-file');
  await leave();
});

describe('the transitions of a step', () => {
  beforeAll(scene(directoryTrace()));
  afterAll(end);

  test('are those that were taken, and the guards that refused are seen', async () => {
    const goTo = async (text: RegExp) => {
      await page.keyboard.press('Home');
      for (let i = 0; i < 40 && !text.test((await lineText()) ?? ''); i++) await page.keyboard.press('ArrowRight');
      expect(await lineText()).toMatch(text);
    };
    await goTo(/n1 received find from n2; sent find to n0/);
    await page.locator('.state').first().waitFor();
    await page.getByRole('tab', { name: 'events' }).click();
    await page.locator('.event-row.is-now button').click();
    expect(await page.locator('#title-chart').innerText()).toBe('Statechart of n1');
    expect(await transitions('is-taken')).toHaveLength(1);
    expect(await transitions('is-refused')).toEqual([expect.stringContaining('parentIsToBeDrawn')]);
    expect(await transitions('is-possible')).toEqual([]);
    await page.getByRole('tab', { name: 'why' }).click();
    expect(await page.locator('.causes button').allInnerTexts()).toEqual([
      expect.stringMatching(/n1 received find from n2/),
      expect.stringMatching(/n2 was asked to request; sent find to n1/),
    ]);
    expect(await page.locator('.did li').allInnerTexts()).toEqual([expect.stringMatching(/^directory idle: find: /)]);
    expect(await page.locator('.why').innerText()).toMatch(/the guard parentIsToBeDrawn refused: find if parentIsToBeDrawn/);
    await page.locator('.context').getByRole('button', { name: 'parent' }).click();
    expect(await page.locator('.why .row').innerText()).toMatch(/^Why parent of n1\?/);
  });

  test('without transitions in the trace, only certain ones are highlighted', async () => {
    const unreported = directoryTrace()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .map(({ taken: _, refused: __, ...line }, i) => JSON.stringify(i === 0 ? { ...line, quiver: 1 } : line));
    await end();
    await scene(`${unreported.join('\n')}\n`)();
    expect(await transitions('is-taken')).toEqual([]);
    await page.getByRole('tab', { name: 'events' }).click();
    await page.getByRole('button', { name: 'n1 received find from n2; sent find to n0' }).first().click();
    await page.locator('.state').first().waitFor();
    expect(await transitions('is-taken')).toEqual([]);
    expect(await transitions('is-possible')).toHaveLength(2);
  });
});

test('missing lines are reported', async () => {
  const lines = directoryTrace().trimEnd().split('\n');
  await scene(`${lines.toSpliced(10, 3).join('\n')}\n`)();
  expect(await page.getByText(/Lines are missing from this trace: 3 before line 10\./).count()).toBe(1);
  await end();
});

test('an ordinary program is drawn completely, with all kinds of states and actions', async () => {
  const actor = createActor(conformance.provide({ actors: { clock: conformance, fetchItems: conformance } } as never));
  const { value, context } = actor.getSnapshot();
  const header = {
    quiver: 1,
    protocol: 'a program',
    scenario: null,
    seed: 0,
    nodes: ['shop'],
    links: [],
    charts: { shop: chartDefinition(conformance) },
    properties: [],
  };
  const step = { index: 0, at: 0, kind: 'start', node: 'shop', event: { type: 'start' }, sent: [], emitted: [], clock: {} };
  await scene(
    `${JSON.stringify(header)}\n${JSON.stringify({ ...step, roles: { shop: { chart: 'shop', value, context } } })}\n`,
  )();
  await page.locator('[data-view="chart"]').getByRole('button', { name: 'fill the page' }).click();
  await page.locator('.state').first().waitFor();
  const chart = readChart('shop', header.charts.shop);
  const drawn = await page.$$eval('[data-state]', (states) => states.map((state) => state.getAttribute('data-state')));
  expect(drawn.sort()).toEqual([...chart.states.keys()].filter((path) => path !== '').sort());
  const words = await page.locator('svg.chart').first().textContent();
  for (const { label } of chart.transitions) expect(words).toContain(label);
  for (const { tags, entry, exit, invokes } of chart.states.values())
    for (const word of [...tags, ...entry, ...exit, ...invokes.map(({ source }) => source)]) expect(words).toContain(word);
  expect(await page.locator('.state.is-active').count()).toBe(4);
  await keepPicture(page, 'inspector-program');
  await page.locator('[data-view="chart"]').getByRole('button', { name: 'back to all views' }).click();
  await end();
});

test('the nearest good run is next to the counterexample, with their first difference', async () => {
  opened = await openPage(counterexampleTrace(), { gestures: gesturesOnCounterexample });
  ({ page } = opened);
  await page.getByRole('tab', { name: 'compare' }).click();
  await page.getByRole('button', { name: 'the nearest good run' }).click();
  const sides = page.locator('.compare .log');
  await expect.poll(() => sides.count()).toBe(2);
  await page.getByRole('button', { name: /^to the first difference, line \d+$/ }).click();
  const [here, there] = await page.locator('.compare .is-now').allInnerTexts();
  expect(here).not.toBe(there);
  const [bad, good] = await sides.allInnerTexts();
  const before = (text: string, now: string) => text.slice(0, text.indexOf(now));
  expect(before(bad!, here!)).toBe(before(good!, there!));
  expect(before(bad!, here!)).toMatch(/n0 was asked to lock/);
  expect(bad).not.toMatch(/announced locked/);
  expect(good!.match(/announced locked/g)).toHaveLength(2);
  await page.locator('[data-view="plots"]').getByRole('button', { name: 'fill the page' }).click();
  expect(await axeComplaints(page, '[data-view="plots"]')).toEqual([]);
  await keepPicture(page, 'inspector-nearest');
  await opened.close();
});
