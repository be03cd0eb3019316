import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simulateByName } from '../testing/simulate.js';
import { eventsOf, openPage, read, type Opened } from './page/testing/browser.js';
import { keepPicture } from './page/testing/pictures.js';
import { directoryScenario, gestures, traceOf } from './page/testing/traces.js';

/** Latency 10, so that there is time to reach in. */
const scenario = { ...directoryScenario(), network: { latency: 10 } };
const election = { protocol: 'election', topology: { kind: 'path', n: 3 }, until: { idle: true } };

let opened: Opened;
let page: Page;
async function reachInto(json: unknown): Promise<void> {
  opened = await openPage(traceOf(json), { gestures });
  ({ page } = opened);
  await page.keyboard.press('g');
}
const scene = (json: unknown) => () => reachInto(json);
const end = (allowed?: RegExp) => (): Promise<void> => opened.close(allowed);

async function withGestures(json: unknown, look: () => Promise<void>): Promise<void> {
  await reachInto(json);
  await look();
  await opened.close();
}

const card = () => page.getByRole('complementary', { name: 'intervene' });
const slider = () => page.getByRole('slider');
const lines = (): Promise<string | null> => slider().getAttribute('aria-valuemax');
const lineText = (): Promise<string | null> => slider().getAttribute('aria-valuetext');

/** Presses a button and waits for the run that is made again. */
async function does(name: string, inside = card()): Promise<void> {
  const answer = page.waitForResponse((response) => response.url().endsWith('/run'));
  await inside.getByRole('button', { name, exact: true }).first().click();
  await answer;
  await read(page);
}

const tab = (name: string | RegExp): Promise<void> => page.getByRole('tab', { name }).click();

const log = async (): Promise<string> => {
  await tab('events');
  return eventsOf(page);
};

async function saved(name: string): Promise<string> {
  await tab(/^by hand/);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name }).click();
  return text(await (await download).createReadStream());
}

/** Everything at this moment, until nothing is left. */
async function takeBack(count: number): Promise<void> {
  await tab(/^by hand/);
  const back = page.locator('.gestures').getByRole('button', { name: 'take back' });
  for (let left = await back.count(), i = 0; i < count; i++, left--) {
    await back.first().click();
    await expect.poll(() => back.count()).toBe(left - 1);
    await read(page);
  }
}

/** Selects the first message that is on its way. */
async function selectMessage(): Promise<void> {
  const network = page.locator('[data-view="network"]');
  await network.getByRole('button', { name: 'show as text' }).click();
  await network.locator('.as-text ul').first().getByRole('button').first().click();
  await network.getByRole('button', { name: 'show as text' }).click();
}

describe('a gesture changes the future and not the past', () => {
  beforeAll(scene(scenario));
  afterAll(end());

  test('crash', async () => {
    expect(await card().innerText()).toContain('take effect after the next line, which is at the same time as this one');
    await page.keyboard.press('ArrowRight');
    expect(await card().innerText()).not.toContain('take effect after');
    const before = await lineText();
    await does('crash');
    // A gesture is visible immediately, right after the last event, at the shown time.
    await expect.poll(lineText).toMatch(/n2 crashed/);
    const shown = await page.locator('output.time b').innerText();
    expect(shown).toBe('0.01');
    await tab(/^by hand/);
    expect(await page.locator('.gestures .at').allInnerTexts()).toEqual([shown]);
    await page.keyboard.press('ArrowLeft');
    expect(await lineText()).toBe(before);
    await page.keyboard.press('ArrowRight');
  });

  test('gestures are saved as a file that replays', async () => {
    const json: unknown = JSON.parse(await saved('save as scenario'));
    const violated = await page.getByRole('tab', { name: /^properties/ }).innerText();
    const { properties } = simulateByName(json);
    expect(violated).toContain(String(properties.filter(({ holds }) => holds === false).length));
    expect(String(traceOf(json).trimEnd().split('\n').length - 1)).toBe(await lines());
  });

  test('gestures become a test of the verdict, with the violated properties', async () => {
    const { properties } = simulateByName(JSON.parse(await saved('save as scenario')));
    const failed = properties.flatMap(({ name, holds }) => (holds === false ? [name] : []));
    expect(failed).not.toEqual([]);
    const test = await saved('save as test');
    expect(test).toContain(`.toEqual(${JSON.stringify(failed.sort())})`);
    expect(test).toMatch(/import \{ simulate \} from 'xstate-quiver'/);
    expect(test).toContain('"do": "crash"');
    expect(test).toContain(".toBe('invalid')");
  });

  test('a query becomes a test of the run with gestures, which fails on a match', async () => {
    await page.keyboard.press('/');
    const line = page.getByRole('searchbox');
    expect(await page.locator('.ask').getByRole('button', { name: 'save as test' }).count()).toBe(0);
    await line.fill('node:n2 state:waiting');
    const download = page.waitForEvent('download');
    await page.locator('.ask').getByRole('button', { name: 'save as test' }).click();
    const test = await text(await (await download).createReadStream());
    expect(test).toContain('expect(linesThatAnswer(scenario, "node:n2 state:waiting")).toEqual([]);');
    expect(test).toContain('"do": "crash"');
    await line.press('Escape');
  });

  test('restart', async () => {
    await does('restart');
    expect(await log()).toMatch(/n2 restarted/);
  });

  test('a click undoes a gesture', async () => {
    await tab(/^by hand/);
    const gestures = page.locator('.gestures ol li');
    expect(await gestures.allInnerTexts()).toEqual([expect.stringMatching(/crash n2/), expect.stringMatching(/restart n2/)]);
    await takeBack(2);
    expect(await gestures.allInnerTexts()).toEqual([expect.stringMatching(/^Nothing yet/)]);
    expect(await lines()).toBe(String(traceOf(scenario).trimEnd().split('\n').length - 1));
  });

  test.each([
    ['drop', /find n2 → n1 was lost/],
    ['duplicate', /find n2 → n1 was doubled/],
    ['hold', /^(?![\s\S]*n1 received find from n2)/],
  ])('one message: %s', async (name, expected) => {
    expect(await lineText()).toMatch(/n2 was asked to request/);
    expect(await log()).toMatch(/n1 received find from n2/);
    await selectMessage();
    await does(name);
    expect(await log()).toMatch(expected);
    await takeBack(1);
  });

  test('pause a node, clog and slow a channel: they reach the scenario', async () => {
    await does('pause');
    await page.getByLabel('link to').selectOption('n1');
    for (const name of ['clog', 'slow']) await does(name, page.getByRole('region', { name: 'link n2 n1' }));
    expect(JSON.parse(await saved('save as scenario')).events.slice(scenario.events.length)).toEqual(
      [
        { do: 'pause', node: 'n2' },
        { do: 'clog', channel: ['n2', 'n1'] },
        { do: 'slow', channel: ['n2', 'n1'], by: 10 },
      ].map((event) => ({ ...event, at: expect.any(Number) })),
    );
  });
});

test('both branches of a fork stay: named, compared, and present after a reload', async () => {
  await reachInto(scenario);
  await page.keyboard.press('ArrowRight');
  const given = await lines();
  await does('crash');
  const forked = await lines();
  expect(forked).not.toBe(given);
  await tab(/^compare/);
  const sides = page.locator('.compare .log');
  await expect.poll(() => sides.count()).toBe(2);
  expect(await page.locator('.compare .is-same').count()).toBe(0);
  await page.getByRole('button', { name: /^to the first difference, line \d+$/ }).click();
  expect(await lineText()).toMatch(/n2 crashed/);
  const nows = () => page.locator('.compare .is-now').allInnerTexts();
  expect(await nows()).toEqual([expect.stringMatching(/n2 crashed/), expect.stringMatching(/n2 was asked to request/)]);
  expect(await page.locator('.compare .side circle.differs').count()).toBeGreaterThan(2);
  await keepPicture(page, 'inspector-branches');
  await page.keyboard.press('End');
  expect(Number((await nows())[1]!.split(/\s/)[0])).toBeLessThanOrEqual(Number((await nows())[0]!.split(/\s/)[0]));

  const fork = page.getByRole('list', { name: 'runs that part from this one' }).getByRole('button');
  expect(await fork.allInnerTexts()).toEqual(['as given']);
  expect(await fork.getAttribute('title')).toBe('as given: parts at 0.01; show it');
  await fork.click();
  await expect.poll(lines).toBe(given);
  expect(await fork.allInnerTexts()).toEqual(['crash n2']);
  await fork.click();
  await expect.poll(lines).toBe(forked);

  await tab(/^by hand/);
  const branches = page.getByRole('list', { name: 'branches' });
  await page.getByLabel('name of this branch').fill('n2 is gone');
  await page.getByLabel('name of this branch').press('Tab');
  await branches.getByRole('button', { name: 'as given' }).click();
  expect(await lines()).toBe(given);
  await page.reload();
  await read(page);
  await tab(/^by hand/);
  await branches.getByRole('button', { name: 'n2 is gone' }).click();
  await expect.poll(lines).toBe(forked);
  await page.reload();
  await read(page);
  await expect.poll(lines).toBe(forked);
  await opened.close();
});

test('compared with another policy, another seed and a file, at the same moment', async () => {
  const scenario = directoryScenario();
  await reachInto(scenario);
  await tab('compare');
  expect(await page.locator('.side').count()).toBe(0);
  const side = (name: string) => page.getByRole('region', { name, exact: true });
  const playheads = () => page.$$eval('.side .playhead', (all) => all.map((one) => one.getAttribute('x1')));
  await page.getByLabel('other options').fill('{"policy":"ivy"}');
  await page.getByRole('button', { name: 'run it' }).click();
  await side('{"policy":"ivy"}').getByRole('img').waitFor();
  // The policy is in every state from the first line on; the events are the same for a while.
  await page.getByRole('button', { name: 'to the first difference, line 1' }).click();
  await page.getByRole('button', { name: /^to the first other step, line 11$/ }).click();
  expect(await page.locator('.compare .side').first().locator('circle:not(.differs)').count()).toBe(10);
  const nows = await page.locator('.compare .is-now').allInnerTexts();
  expect(nows[0]).not.toBe(nows[1]);
  const [here, there] = await playheads();
  expect(here).toBe(there);
  await keepPicture(page, 'inspector-policies');

  await page.getByLabel('other options').fill('{"policy":"none"}');
  await page.getByRole('button', { name: 'run it' }).click();
  expect(await page.getByRole('alert').innerText()).toMatch(/policy/);
  await page.getByLabel('other options').fill('');
  await page.getByRole('button', { name: 'run it' }).click();
  await page.getByText('are the same, line by line').waitFor();
  await page.getByLabel('another seed').fill('7');
  await page.getByRole('button', { name: 'run it' }).click();
  await side('seed 7').waitFor();

  const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  const input = page.getByLabel('compare with a trace');
  await input.setInputFiles(file('other.ndjson', traceOf({ ...scenario, events: scenario.events.slice(1) })));
  await side('other.ndjson').waitFor();
  expect(await page.getByLabel('the other run').locator('option').allInnerTexts()).toHaveLength(4);
  await input.setInputFiles(file('none.ndjson', 'nothing'));
  expect(await page.getByRole('alert').innerText()).toMatch(/none\.ndjson: This is not a Quiver trace/);
  await opened.close(/status of 422/);
});

describe('each protocol offers its own', () => {
  test('a command', () =>
    withGestures({ ...scenario, events: [] }, async () => {
      await does('request');
      expect(await log()).toMatch(/n0 was asked to request/);
    }));

  test('corruption, where it recovers from it', () =>
    withGestures({ protocol: 'queue', topology: { kind: 'path', n: 3 }, until: { at: 60 } }, async () => {
      await does('corrupt all');
      expect(await log()).toMatch(/n0 was corrupted/);
    }));

  test('the cost, held against the bound of its paper', () =>
    withGestures(
      {
        protocol: 'controller',
        topology: { kind: 'path', n: 4 },
        options: { kind: 'basic', M: 9, W: 4, root: 'n0' },
        workload: { sequential: ['n3', 'n2', 'n3'] },
      },
      async () => {
        await tab('plots');
        await page.getByRole('button', { name: 'Cost against bound' }).click();
        await page.getByRole('figure', { name: /^Cost against bound: .*messages 0\.\d+.*bound 1/ }).waitFor();
      },
    ));

  test('one message before all others', () => {
    const events = [
      { at: 0, node: 'n3', do: 'request' },
      { at: 1, node: 'n2', do: 'request' },
    ];
    return withGestures({ ...scenario, events }, async () => {
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await selectMessage();
      await does('deliver first');
      await expect.poll(lineText).toMatch(/received find from n3/);
      expect(await page.locator('output.time b').innerText()).toBe('1.01');
    });
  });
});

describe('links', () => {
  beforeAll(scene(election));
  afterAll(end(/status of 422/));

  test('an impossible gesture is reported, and nothing changes', async () => {
    await page.getByLabel('link to').selectOption('n2');
    await page.getByRole('region', { name: 'link n0 n2' }).getByRole('button', { name: 'clog' }).first().click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toMatch(
      /: no link connects "n0" and "n2", so clog is not possible\. Add it to the topology or join it first\./,
    );
    expect(await page.getByRole('tab', { name: 'by hand' }).innerText()).toBe('by hand');
  });

  test('cut and join, one way or both', async () => {
    await page.getByLabel('link to').selectOption('n1');
    await page.getByRole('region', { name: 'link n0 n1' }).getByRole('button', { name: 'down' }).first().waitFor();
    await does('cut');
    expect(await log()).toMatch(/channel n0 → n1 went down\s.*[\s\S]*channel n1 → n0 went down/);
    await page.keyboard.press('End');
    await does('join');
    expect(await log()).toMatch(/channel n1 → n0 came up/);
  });
});

test('a trace that is only looked at offers nothing', async () => {
  const { page, close } = await openPage(traceOf(scenario));
  await page.keyboard.press('g');
  expect(await page.getByRole('complementary', { name: 'intervene' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'intervene' }).count()).toBe(0);
  await close();
});
