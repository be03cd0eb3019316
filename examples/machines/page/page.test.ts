/**
 * A page in a real Chromium as the system under test: each path is a test that clicks through the page, loaded again. Its clock is
 * Playwright's, so that minutes take no time; its server is this test, which answers when the path requires it. docs/recipes/playwright.md.
 */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromium, type Browser, type Page } from 'playwright-core';
import { describeMachine, MachineTesting, type MachineTests } from 'xstate-quiver/test';
import { newsletter } from './machine.js';
import { pageOf } from './page.js';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const isMissing = !existsSync(executablePath);

let browser: Browser;

/** Code in the page instead of the network: a request waits until the path defines its result. */
const SERVER = `
  window.fetch = (_, { signal }) =>
    new Promise((resolve, reject) => {
      window.answer = (status) => resolve(new Response(null, { status }));
      signal.addEventListener('abort', () => reject(signal.reason));
    });
`;

/** Opens a page once for each kind. */
async function open(kind: 'sound' | 'hasty'): Promise<Page> {
  const page = await browser.newPage();
  await page.clock.install();
  await page.addInitScript(SERVER);
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: pageOf(kind) }));
  return page;
}

const pages = new Map<string, Promise<Page>>();

/** Loads the page again, for every path. */
async function visit(kind: 'sound' | 'hasty'): Promise<Page> {
  if (!pages.has(kind)) pages.set(kind, open(kind));
  const page = await pages.get(kind)!;
  await page.goto('http://newsletter.example/');
  return page;
}

const answer = (page: Page, status: number) => page.evaluate(`window.answer(${status})`);

const shows = (state: string) => (page: Page) => page.locator(`body[data-state=${state}]`).waitFor({ timeout: 1000 });

const testsOf = (kind: 'sound' | 'hasty'): MachineTests<Page> => ({
  events: { SUBSCRIBE: [{ email: 'ann@example.org' }, { email: 'ann' }] },
  limits: { walks: 1, steps: 10 },
  sut: () => visit(kind),
  exec: {
    SUBSCRIBE: async (page, { email }) => {
      await page.getByLabel('email').fill(email as string);
      await page.getByText('Subscribe').click();
    },
    AGAIN: (page) => page.getByText('Try again').click(),
    'subscribe done': (page) => answer(page, 200),
    'subscribe fails': (page) => answer(page, 500),
    'after thanks in sent': (page) => page.clock.runFor(3000),
    // The answer arrives after all, when no request waits for it.
    'after patience in sending': async (page) => {
      await page.clock.runFor(8000);
      await answer(page, 200);
    },
  },
  states: Object.fromEntries(['idle', 'refused', 'sending', 'failed', 'sent'].map((state) => [state, shows(state)])),
});

describe.skipIf(isMissing)(`a page${isMissing ? `: skipped, there is no Chromium at ${executablePath}` : ''}`, () => {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  describeMachine(newsletter, { ...testsOf('sound'), each: 'path' }, { describe, test, expect });

  test('a page that accepts a late answer fails its test', async () => {
    const failure = await new MachineTesting(newsletter, testsOf('hasty')).firstFailure('tour');
    expect(failure).toMatchObject({ rule: 'check of state failed', description: expect.stringMatching(/data-state=failed/) });
    expect(failure!.steps.map((step) => ('event' in step ? step.event.type : Object.values(step)[0]))).toEqual([
      'SUBSCRIBE',
      'after patience in sending',
    ]);
  });
});
