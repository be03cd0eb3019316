/** The inspector's page in a real Chromium: frames of a large network while it plays, the time to open a long trace, the weight of the page. */
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { inspect } from '../inspector/live/inspect.js';
import { builtPage, serveTrace } from '../inspector/server.js';
import { directory } from '../machines/directory/index.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
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

type Watching = 'nobody' | 'gone' | 'page' | 'xstate';

/** Arrow on a path, the far ends in turn. */
const RUN = {
  protocol: 'directory',
  topology: { kind: 'path', n: 100 },
  options: { policy: 'arrow' },
  workload: { sequential: Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 'n99' : 'n0')) },
};

/** Nanoseconds for each step of 100 live nodes, watched by nobody, by an inspector that has gone, by a page, or by XState's `inspect`. */
async function stepTime(watching: Watching, page: URL): Promise<number> {
  const scenario = parseScenario(RUN, { directory });
  const simulation = new Simulation(scenario, { watch: false, ...(watching === 'xstate' ? { inspect: () => {} } : {}) });
  const watched = watching === 'page' || watching === 'gone' ? await inspect(simulation, { page }) : null;
  if (watching === 'gone') await watched?.close();
  let steps = 0;
  simulation.network.steps$.subscribe(() => steps++);
  simulation.start();
  const before = process.hrtime.bigint();
  while (simulation.advance());
  const elapsedNs = Number(process.hrtime.bigint() - before);
  await watched?.close();
  return elapsedNs / steps;
}

const ROUNDS = 7;

async function costRows(page: URL): Promise<Row[]> {
  const samples: Record<Watching, number[]> = { nobody: [], gone: [], page: [], xstate: [] };
  for (let round = 0; round <= ROUNDS; round++)
    for (const watching of Object.keys(samples) as Watching[]) {
      const time = await stepTime(watching, page);
      if (round > 0) samples[watching].push(time);
    }
  const limit = (name: string, watching: Watching, most: number) => {
    const ratio = median(samples[watching]) / median(samples.nobody);
    return row(`time a step, 100 live nodes, ${name}`, ratio.toFixed(2), `${most} or less`, ratio <= most);
  };
  return [
    limit('after an inspector has gone', 'gone', 1.05),
    limit('while the page watches', 'page', 1.3),
    limit("with XState's inspect", 'xstate', 1.3),
  ];
}

export async function inspectorRows(page: URL = builtPage()): Promise<Row[]> {
  const browser = await launch();
  try {
    const frames = await framesPerSecond(browser, page);
    const seconds = await secondsToOpen(browser, page);
    const weight = kilobytes(page);
    return [
      ...(await costRows(page)),
      row('frames a second, 1,000 nodes, 2,000 links, 200 messages', frames.toFixed(0), '50 or more', frames >= 50),
      row('seconds to open 100,000 lines', seconds.toFixed(2), '2 or less', seconds <= 2),
      row('kB of the page, gzipped, without the layout of charts', weight.toFixed(1), '80 or less', weight <= 80),
    ];
  } finally {
    await browser.close();
  }
}
