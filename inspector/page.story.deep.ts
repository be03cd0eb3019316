/** Stories in Chromium: captions and their times, compared runs, and the user's own stories. */
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { storyShelf } from '../papers/stories/shelf.js';
import { axeComplaints } from './page/testing/axe.js';
import { pageUrl, read, visit, type Visited } from './page/testing/browser.js';
import { keepPicture } from './page/testing/pictures.js';
import { directoryScenario, gestures, traceOf } from './page/testing/traces.js';
import { pageFile } from './exports/page-file.js';
import { serveTrace, type Served } from './server.js';

const shelf = storyShelf();
const scenario = { ...directoryScenario(), network: { latency: 10 } };
let served: Served;
let visited: Visited;
let page: Page;
/** Messages that the console of the page may contain in addition. */
let allowed: RegExp | undefined;

async function open(place: string, reducedMotion = false): Promise<void> {
  visited = await visit(`${served.url}${place}`, { reducedMotion });
  ({ page } = visited);
  await read(page);
}
beforeEach(async () => {
  served = await serveTrace(traceOf(scenario), { page: pageUrl, shelf, gestures });
});
afterEach(async () => {
  await visited.leave(allowed);
  await served.close();
  allowed = undefined;
});

const strip = (step: number) => page.locator(`.story[data-step="${step}"][data-found="true"]`);
const description = () => page.locator('.story .text').innerText();

describe('the captions of a step', () => {
  test('comes sentence by sentence, each when the picture gets to its place', async () => {
    await open('#story=arvy/1');
    await strip(1).waitFor();
    await page.evaluate(() => {
      const seen: [string, number][] = [];
      Object.assign(window, { seen });
      const look = () => {
        const notified = document.querySelector('.story .text')!.textContent.trim();
        const line = Number(document.querySelector('[role=slider]')!.getAttribute('aria-valuenow'));
        if (seen.at(-1)?.[0] !== notified) seen.push([notified, line]);
      };
      new MutationObserver(look).observe(document.querySelector('.story')!, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await expect.poll(description, { timeout: 15_000 }).toMatch(/by the direct link\.$/);
    const seen = await page.evaluate(() => (window as unknown as { seen: [string, number][] }).seen);
    const notified = seen.map(([description]) => description).slice(-3);
    expect(notified[0]).toBe('n0 asks.');
    expect(notified[1]).toMatch(/^n0 asks\. Its find .*: 11 links to reach a neighbor\.$/);
    expect(notified[2]).toMatch(/by the direct link\.$/);
    const at = seen.map(([, line]) => line).slice(-3);
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(new Set(at).size).toBe(3);
  });

  test('appear immediately without an animation, and stay when the reader goes back', async () => {
    await open('#story=arvy/2', true);
    await expect.poll(description).toMatch(/^n0 asks\. .* by the direct link\.$/);
    await page.keyboard.press('Home');
    expect(await description()).toMatch(/by the direct link\.$/);
  });

  test('explains its terms where they stand', async () => {
    await open('#story=arvy/1', true);
    const term = page.getByRole('button', { name: 'token', exact: true });
    expect(await term.count()).toBe(1);
    await term.click();
    expect(await page.getByRole('note').innerText()).toMatch(/^token: An object that exists once\./);
    expect(await term.getAttribute('aria-expanded')).toBe('true');
    expect(await axeComplaints(page, '.story')).toEqual([]);
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await strip(2).waitFor();
    expect(await page.getByRole('note').count()).toBe(0);
  });
});

test('runs that are compared stand side by side, at the same places', async () => {
  await open('#story=arvy/6', true);
  await strip(6).waitFor();
  const comparedTo = page.getByRole('img', { name: /^Network of the run Arrow at/ });
  await comparedTo.waitFor();
  expect(await page.getByRole('heading', { name: 'Network: Ivy' }).count()).toBe(1);
  const [mine, other] = await Promise.all([page.locator('[data-view="network"] canvas').boundingBox(), comparedTo.boundingBox()]);
  expect([other!.y, other!.width]).toEqual([expect.closeTo(mine!.y, -1), expect.closeTo(mine!.width, -1)]);
  // At the same place of the story Arrow has taken many times as long.
  const timeOf = (label: string | null) => Number(/ at ([\d,.]+)/.exec(label!)![1]!.replace(',', ''));
  const now = timeOf(await page.locator('[data-view="network"] canvas').getAttribute('aria-label'));
  expect(timeOf(await comparedTo.getAttribute('aria-label'))).toBeGreaterThan(2 * now);
  // Events at the same time after the place are not shown yet.
  expect(await comparedTo.getAttribute('aria-label')).toMatch(/: 0 messages on their way$/);
  await keepPicture(page, 'story-side-by-side');
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await strip(5).waitFor();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await strip(4).waitFor();
  await comparedTo.waitFor({ state: 'detached' });
});

test('on a phone a swipe goes from card to card', async () => {
  await open('#story=arvy/1', true);
  await page.setViewportSize({ width: 390, height: 844 });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  onTestFinished(() => devtools.send('Emulation.setTouchEmulationEnabled', { enabled: false }).then(() => devtools.detach()));
  const swipe = async (dx: number, dy = 0) => {
    const box = (await page.locator('.story .text').boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const points = (part: number) => [{ x: x + part * dx, y: y + part * dy }];
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(0) });
    for (const part of [0.3, 0.6, 1])
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points(part) });
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  };
  await strip(1).waitFor();
  await swipe(-150);
  await strip(2).waitFor();
  await keepPicture(page, 'story-phone');
  await swipe(20);
  await swipe(60, 200);
  expect(await page.locator('.story').getAttribute('data-step')).toBe('2');
  await swipe(150);
  await strip(1).waitFor();
});

describe("the user's own story", () => {
  const card = () => page.getByRole('complementary', { name: 'intervene' });
  const folder = mkdtempSync(join(tmpdir(), 'quiver-story-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const openFile = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return page.locator('.top input[type=file]').setInputFiles(join(folder, name));
  };
  const does = async (name: string) => {
    const answer = page.waitForResponse((response) => response.url().endsWith('/run'));
    await card().getByRole('button', { name, exact: true }).first().click();
    await answer;
    await read(page);
  };

  test('is recorded from gestures and by hand, saved, and opened again', async () => {
    await open('');
    await page.getByRole('tab', { name: /^by hand/ }).click();
    await page.getByText('a story of it').click();
    await page.getByLabel('add each gesture as it is made').check();
    await page.getByLabel('what is to be seen at the playhead').fill('All is well.');
    await page.getByRole('button', { name: 'add this moment' }).click();
    await page.locator('[data-view="network"] canvas').focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press('.');
    await page.keyboard.press('g');
    await does('crash');
    const moments = page.getByRole('list', { name: 'moments of the story' });
    await expect.poll(() => moments.getByRole('listitem').count()).toBe(2);
    await moments.getByRole('textbox').last().fill('And then n2 is gone.');
    await page.getByLabel('title of the story').fill('A crash');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'save as story' }).click();
    const file = await text(await (await download).createReadStream());
    const story = JSON.parse(file) as any;
    expect(story).toMatchObject({
      story: 1,
      title: 'A crash',
      steps: [{ run: 'as given', text: 'All is well.' }, { text: 'And then n2 is gone.' }],
    });
    const crash = story.runs[story.steps[1].run].scenario.events.at(-1);
    expect(crash).toMatchObject({ do: 'crash', at: story.steps[1].at.at });
    // The story survives a reload.
    await page.reload();
    await read(page);
    await openFile('story.json', file);
    await strip(1).waitFor();
    await expect.poll(description).toBe('All is well.');
    expect(await page.getByRole('heading', { name: 'A crash' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await strip(2).waitFor();
    await expect.poll(description).toBe('And then n2 is gone.');
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toContain('crashed');
    await page.getByRole('tab', { name: /^by hand/ }).click();
    expect(await moments.getByRole('listitem').count()).toBe(2);
    await keepPicture(page, 'story-of-ones-own');
  });

  test('refers to the shown line, of several at one time, and to a gesture', async () => {
    await open('');
    await page.getByRole('tab', { name: /^by hand/ }).click();
    await page.getByText('a story of it').click();
    const slider = page.getByRole('slider');
    const seen: (string | null)[] = [];
    const add = async (text: string) => {
      seen.push(await slider.getAttribute('aria-valuetext'));
      await page.getByLabel('what is to be seen at the playhead').fill(text);
      await page.getByRole('button', { name: 'add this moment' }).click();
    };
    // All nodes start at 0.
    await page.locator('[data-view="network"] canvas').focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < 2; i++) await page.keyboard.press('.');
    await add('The second one.');
    await page.keyboard.press('End');
    await page.keyboard.press('g');
    await does('crash');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain('crashed');
    await add('It is gone.');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'save as story' }).click();
    await openFile('exact.json', await text(await (await download).createReadStream()));
    await strip(1).waitFor();
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe(seen[0]);
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await expect.poll(description).toBe('It is gone.');
    expect([await slider.getAttribute('aria-valuetext'), new Set(seen).size]).toEqual([seen[1], 2]);
  });

  test('is rejected on a page without a server for runs, and the view stays', async () => {
    allowed = /status of 404/;
    await open('');
    const story = JSON.stringify({
      story: 1,
      title: 'Of one’s own',
      runs: { a: { scenario } },
      steps: [{ run: 'a', at: 'start', text: 'Look here.' }],
    });
    const refused = async () => {
      await openFile('story.json', story);
      await page
        .getByRole('alert')
        .filter({ hasText: /quiver explore makes its runs.* Start quiver explore, and open/ })
        .waitFor();
      expect(await page.locator('.story').count()).toBe(0);
      expect(await page.locator('.facts').innerText()).toContain('directory');
      expect(await page.locator('.panel-network canvas').count()).toBe(1);
    };
    const file = join(folder, 'one.html');
    writeFileSync(file, pageFile(traceOf(scenario), pageUrl));
    await page.goto(pathToFileURL(file).href);
    await read(page);
    await refused();
    // A server of a trace that can only be looked at.
    const looking = await serveTrace(traceOf(scenario), { page: pageUrl });
    await page.goto(looking.url);
    await read(page);
    await refused();
    await looking.close();
  });

  test('an unknown one is rejected with the reason', async () => {
    await open('');
    await openFile('wrong.json', '{"story": 1, "title": "x", "runs": {}, "steps": [{"run": "a", "at": "start", "text": ""}]}');
    await page.getByText('The story cannot be opened: step 1: "run" is not the name of a run of the story.').waitFor();
  });

  test('one whose run the server rejects shows the reason, and no other run', async () => {
    allowed = /status of 422/;
    await open('');
    const runs = { a: { scenario: { protocol: 'nothing', topology: { kind: 'path', n: 2 }, events: [] } } };
    const steps = [{ run: 'a', at: 'start', text: 'Look here.' }];
    await openFile('refused.json', JSON.stringify({ story: 1, title: 'x', runs, steps }));
    await page
      .getByText(/no protocol "nothing"|protocol.*nothing/)
      .first()
      .waitFor();
    expect(await page.getByText('Look here.').count()).toBe(0);
  });
});
