/** The real page in a real browser, for tests. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { expect } from 'vitest';
import { launch } from '../../../bench/chromium.js';
import type { Hands } from '../../hands.js';
import { serveTrace, type Served, type TraceSource } from '../../server.js';

export { launch };

/** Builds the page as it is shipped, into a folder of its own. */
export async function buildPage(): Promise<URL> {
  const outDir = mkdtempSync(join(tmpdir(), 'quiver-page-'));
  const configFile = fileURLToPath(new URL('../vite.config.ts', import.meta.url));
  await build({ configFile, logLevel: 'error', build: { outDir } });
  return pathToFileURL(`${outDir}/`);
}

export interface Opened {
  readonly page: Page;
  readonly served: Served;
  /** Ends all, and expects that the page complained of nothing in its console, but for what the pattern allows. */
  close(allowed?: RegExp): Promise<void>;
}

interface OpenOptions {
  readonly scheme?: 'light' | 'dark';
  readonly hands?: Hands;
}

interface VisitOptions {
  readonly scheme?: 'light' | 'dark';
  readonly reducedMotion?: boolean;
}

/** A page at an address, and what it complains of in its console. */
export async function visit(browser: Browser, url: string, { scheme = 'light', reducedMotion = false }: VisitOptions = {}) {
  const page = await browser.newPage({
    viewport: { width: 1440, height: 900 },
    colorScheme: scheme,
    reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
  });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return { page, complaints };
}

/** Opens a trace as a user would, and waits until it has been read. */
export async function open(
  browser: Browser,
  builtPage: URL,
  source: TraceSource,
  { scheme = 'light', hands }: OpenOptions = {},
): Promise<Opened> {
  const served = await serveTrace(source, { page: builtPage, ...(hands ? { hands } : {}) });
  const { page, complaints } = await visit(browser, served.url, { scheme });
  await read(page);
  const close = async (allowed?: RegExp) => {
    await page.close();
    await served.close();
    expect(complaints.filter((complaint) => !allowed?.test(complaint))).toEqual([]);
  };
  return { page, served, close };
}

/** Until everything that the source gave has been read. */
export const read = (page: Page): Promise<unknown> => page.waitForSelector('.page[data-read="true"]', { timeout: 30_000 });
