/**
 * A page in a real Chromium as the system under test: each path clicks through its own page. Its clock is Playwright's, so that minutes
 * take no time; its server is this test, which answers when the path says so.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { launch, missing } from '../../../testing/chromium.js';
import { describeMachine, MachineTesting, replaySteps, type MachineTests } from '../../../test/index.js';
import { newsletter } from './machine.js';
import { pageOf } from './page.js';

let browser: Browser;

/** In the page, instead of the network: a request waits until the path says what comes of it. */
const SERVER = `
  window.fetch = (_, { signal }) =>
    new Promise((resolve, reject) => {
      window.answer = (status) => resolve(new Response(null, { status }));
      signal.addEventListener('abort', () => reject(signal.reason));
    });
`;

async function visit(kind: 'sound' | 'hasty'): Promise<Page> {
  const page = await browser.newPage();
  await page.clock.install();
  await page.addInitScript(SERVER);
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: pageOf(kind) }));
  await page.goto('http://newsletter.example/');
  return page;
}

const answer = (page: Page, status: number) => page.evaluate(`window.answer(${status})`);

const shows = (state: string) => (page: Page) => page.locator(`body[data-state=${state}]`).waitFor({ timeout: 5000 });

const testsOf = (kind: 'sound' | 'hasty'): MachineTests<Page> => ({
  events: { SUBSCRIBE: [{ email: 'ann@example.org' }, { email: 'ann' }] },
  limits: { walks: 1, steps: 10 },
  sut: () => visit(kind),
  cleanup: (page) => page.close(),
  exec: {
    SUBSCRIBE: async (page, { email }) => {
      await page.getByLabel('email').fill(email as string);
      await page.getByText('Subscribe').click();
    },
    AGAIN: (page) => page.getByText('Try again').click(),
    'subscribe done': (page) => answer(page, 200),
    'subscribe fails': (page) => answer(page, 500),
    'after thanks in sent': (page) => page.clock.runFor(3000),
    // The answer comes after all, when nobody waits for it any more.
    'after patience in sending': async (page) => {
      await page.clock.runFor(8000);
      await answer(page, 200);
    },
  },
  states: Object.fromEntries(['idle', 'refused', 'sending', 'failed', 'sent'].map((state) => [state, shows(state)])),
});

describe.skipIf(missing !== null)(`a page${missing ? `: skipped, there is ${missing}` : ''}`, () => {
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  describeMachine(newsletter, testsOf('sound'), { describe, test, expect });

  test('an answer that comes too late is found in a page that still takes it', async () => {
    const tests = testsOf('hasty');
    const tour = async () => {
      for (const { steps } of await new MachineTesting(newsletter, tests).plans('tour'))
        await replaySteps(newsletter, tests, steps);
    };
    await expect(tour()).rejects.toThrow(
      /^check of state failed: [^]*, after patience in sending: locator\.waitFor: Timeout [^]*data-state=failed/,
    );
  });
});
