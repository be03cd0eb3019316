/** The inspector's page in a real Chromium: frames of a large network while it plays, the time to open a long trace, the weight of the page. */
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { builtPage, serveTrace } from '../inspector/server.js';
import { launch } from './chromium.js';
import { median, row, type Row } from './measure.js';
import { syntheticTrace } from './synthetic-trace.js';

const FRAMES = 300;
const NETWORK = { rows: 25, columns: 40, lines: 20_000, flights: 200 };
const LONG = { rows: 10, columns: 10, lines: 100_000, flights: 100 };
const OPENINGS = 3;

async function visit(
  browser: Browser,
  trace: string,
  page: URL,
): Promise<{ page: Page; milliseconds: number; end(): Promise<void> }> {
  const served = await serveTrace(trace, { page });
  const opened = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const began = performance.now();
  await opened.goto(served.url);
  await opened.waitForSelector('.page[data-read="true"]', { timeout: 120_000 });
  const milliseconds = performance.now() - began;
  return {
    page: opened,
    milliseconds,
    async end() {
      await opened.close();
      await served.close();
    },
  };
}

/** Milliseconds from frame to frame while the page plays. */
const frameTimes = (page: Page): Promise<number[]> =>
  page.evaluate(
    (count) =>
      new Promise<number[]>((resolve) => {
        const times: number[] = [];
        const frame = (now: number) => {
          times.push(now);
          if (times.length <= count) requestAnimationFrame(frame);
          else resolve(times.slice(1).map((time, i) => time - times[i]!));
        };
        requestAnimationFrame(frame);
      }),
    FRAMES,
  );

async function framesPerSecond(browser: Browser, page: URL): Promise<number> {
  const opened = await visit(browser, [...syntheticTrace(NETWORK)].join(''), page);
  await opened.page.waitForTimeout(2000);
  await opened.page.keyboard.press('Space');
  const frames = await frameTimes(opened.page);
  await opened.end();
  return 1000 / median(frames);
}

async function secondsToOpen(browser: Browser, page: URL): Promise<number> {
  const trace = [...syntheticTrace(LONG)].join('');
  const seconds: number[] = [];
  for (let opening = 0; opening < OPENINGS; opening++) {
    const opened = await visit(browser, trace, page);
    seconds.push(opened.milliseconds / 1000);
    await opened.end();
  }
  return median(seconds);
}

/** Of everything that the page loads at once; the layout of charts comes when the first chart is drawn. */
export function kilobytes(page: URL): number {
  const assets = new URL('assets/', page);
  const files = readdirSync(assets).filter((name) => /\.(js|css)$/.test(name) && !name.startsWith('chart-layout'));
  const texts = [new URL('index.html', page), ...files.map((name) => new URL(name, assets))].map((file) => readFileSync(file));
  return texts.reduce((sum, text) => sum + gzipSync(text).length, 0) / 1000;
}

export async function inspectorRows(page: URL = builtPage()): Promise<Row[]> {
  const browser = await launch();
  try {
    const frames = await framesPerSecond(browser, page);
    const seconds = await secondsToOpen(browser, page);
    const weight = kilobytes(page);
    return [
      row('frames a second, 1,000 nodes, 2,000 links, 200 messages', frames.toFixed(0), '50 or more', frames >= 50),
      row('seconds to open 100,000 lines', seconds.toFixed(2), '2 or less', seconds <= 2),
      row('kB of the page, gzipped, without the layout of charts', weight.toFixed(1), '80 or less', weight <= 80),
    ];
  } finally {
    await browser.close();
  }
}
