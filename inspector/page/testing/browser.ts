/**
 * The real page in a real browser, for tests: one tab for all of them in a thread, since a new one costs more than most tests do. The tab
 * goes with Chromium, which `setup.ts` ends.
 */
import { chromium, type Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import type { Gestures } from '../../gestures.js';
import { serveTrace, type Served, type TraceSource } from '../../server.js';

/** The address of the built page that the tests open. */
export const pageUrl = new URL(inject('page'));

const DESKTOP = { width: 1440, height: 900 };

interface Tab {
  readonly page: Page;
  /** Messages in the console of the page since it was opened. */
  complaints: string[];
}

/** A busy machine may need minutes for what takes a second on a quiet one. */
const WAIT_MS_MAX = 120_000;

let opening: Promise<Tab> | null = null;

async function newTab(): Promise<Tab> {
  const browser = await chromium.connect(inject('chromium'));
  const tab: Tab = { page: await browser.newPage({ viewport: DESKTOP }), complaints: [] };
  tab.page.setDefaultTimeout(WAIT_MS_MAX);
  tab.page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') tab.complaints.push(message.text());
  });
  tab.page.on('pageerror', (error) => tab.complaints.push(String(error)));
  return tab;
}

export interface VisitOptions {
  readonly scheme?: 'light' | 'dark';
  readonly reducedMotion?: boolean;
}

export interface Visited {
  readonly page: Page;
  /** Expects that the page complained of nothing in its console, but for what the pattern allows, and leaves it. */
  leave(allowed?: RegExp): Promise<void>;
}

/** Opens the page at an address in the shared tab. */
export async function visit(url: string, { scheme = 'light', reducedMotion = false }: VisitOptions = {}): Promise<Visited> {
  const tab = await (opening ??= newTab());
  const { page } = tab;
  tab.complaints = [];
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: reducedMotion ? 'reduce' : 'no-preference' });
  await page.goto(url);
  return {
    page,
    async leave(allowed) {
      await page.goto('about:blank');
      expect(tab.complaints.filter((complaint) => !allowed?.test(complaint))).toEqual([]);
    },
  };
}

export interface Opened {
  readonly page: Page;
  readonly served: Served;
  /** Ends all, as `leave` does. */
  close(allowed?: RegExp): Promise<void>;
}

interface OpenOptions {
  readonly scheme?: 'light' | 'dark';
  readonly gestures?: Gestures;
}

/** Opens a trace in the page as a user does, and waits until it is loaded. */
export async function openPage(source: TraceSource, { scheme = 'light', gestures }: OpenOptions = {}): Promise<Opened> {
  const served = await serveTrace(source, { page: pageUrl, ...(gestures ? { gestures } : {}) });
  const { page, leave } = await visit(served.url, { scheme });
  await read(page);
  const close = async (allowed?: RegExp) => {
    await leave(allowed);
    await served.close();
  };
  return { page, served, close };
}

/** Waits until the page has read everything from its source. */
export const read = (page: Page): Promise<unknown> => page.waitForSelector('.page[data-read="true"]');

/** The visible rows of the table of events, as text with one line for each. */
export const eventsOf = (page: Page): Promise<string> =>
  page
    .getByRole('table', { name: 'events' })
    .getByRole('button')
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label')).join('\n'));
