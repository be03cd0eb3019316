/** The inspector's page in a real Chromium: frames of a large network while it plays, the time to open a long trace, the weight of the page. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { inspect } from '../inspector/live/inspect.js';
import { builtPage, serveTrace, type TraceSource } from '../inspector/server.js';
import { directory } from '../machines/directory/index.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
import { launch } from './chromium.js';
import { collectGarbage, median, row, type MeasuredRow } from './measure.js';
import { syntheticTrace, type SyntheticSize } from './synthetic-trace.js';

const FRAMES = 300;
const NETWORK = { rows: 25, columns: 40, lines: 20_000, flights: 200 };
const CROWD = { rows: 100, columns: 100, lines: 20_000, flights: 200 };
const LONG = { rows: 10, columns: 10, lines: 100_000, flights: 100 };
const OPENINGS = 3;
const LONGEST = { ...LONG, lines: 1_000_000 };
const JUMPS = 100;

async function visit(
  browser: Browser,
  trace: TraceSource,
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

/** Of a network that has found its place. */
async function framesPerSecond(browser: Browser, page: URL, size: SyntheticSize, settled = 2000): Promise<number> {
  const opened = await visit(browser, [...syntheticTrace(size)].join(''), page);
  await opened.page.waitForTimeout(settled);
  await opened.page.keyboard.press('Space');
  const frames = await frameTimes(opened.page);
  await opened.end();
  return 1000 / median(frames);
}

async function secondsToOpen(browser: Browser, page: URL, size: SyntheticSize): Promise<number> {
  const trace = [...syntheticTrace(size)].join('');
  const seconds: number[] = [];
  for (let opening = 0; opening < OPENINGS; opening++) {
    const opened = await visit(browser, trace, page);
    seconds.push(opened.milliseconds / 1000);
    await opened.end();
  }
  return median(seconds);
}

/** Milliseconds from a touch of the slider, anywhere in a million lines, to the picture of that moment. */
async function jumpTimes(browser: Browser, page: URL): Promise<number[]> {
  const opened = await visit(browser, () => syntheticTrace(LONGEST), page);
  const slider = opened.page.getByRole('slider');
  const { x, y, width } = (await slider.boundingBox())!;
  await slider.evaluate((element) => {
    const times: number[] = [];
    Object.assign(window, { times });
    // The frame after the next one begins when the next one is drawn.
    element.addEventListener('pointermove', () => {
      const began = performance.now();
      requestAnimationFrame(() => requestAnimationFrame(() => times.push(performance.now() - began)));
    });
  });
  const times = (): Promise<number[]> => opened.page.evaluate(() => (window as unknown as { times: number[] }).times);
  await opened.page.mouse.move(x, y + 5);
  await opened.page.mouse.down();
  for (let jump = 1; jump <= JUMPS; jump++) {
    await opened.page.mouse.move(x + ((jump * 0.618) % 1) * width, y + 5);
    while ((await times()).length <= jump);
  }
  const seen = await times();
  await opened.end();
  return seen;
}

/** Of everything that the page loads at once; the layout of charts comes with the first chart, that of large networks with the first one. */
export function kilobytes(page: URL): number {
  const assets = new URL('assets/', page);
  const files = readdirSync(assets).filter((name) => /\.(js|css)$/.test(name) && !/^(chart-layout|layout\.worker)/.test(name));
  const texts = [new URL('index.html', page), ...files.map((name) => new URL(name, assets))].map((file) => readFileSync(file));
  return texts.reduce((sum, text) => sum + gzipSync(text).length, 0) / 1000;
}

type Watching = 'nobody' | 'gone' | 'page' | 'xstate';

/** Arrow on a path, the far ends in turn. */
const RUN = {
  protocol: 'directory',
  topology: { kind: 'path', n: 100 },
  options: { policy: 'arrow' },
  workload: { sequential: Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? 'n99' : 'n0')) },
};
/** An application lets others have their turn; between turns it works for so long. */
const TURN_MS = 4;

interface Cost {
  /** Nanoseconds of this process for each step, by the clock and by what the processor counts. */
  readonly wall: number;
  readonly processor: number;
}

/** Takes the trace as a page does. In a process of its own: a browser that is driven from here would cost this one more than the page. */
async function reader(url: string): Promise<ChildProcess> {
  const source = `let began = 0; fetch(process.argv[1]).then(async ({ body }) => { for await (const piece of body) if (!began++) process.stdout.write('.'); })`;
  const child = spawn(process.execPath, ['-e', source, `${url}trace`], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  return child;
}

/** 100 live nodes as fast as they can, watched by nobody, by an inspector that has gone, by a page, or by XState's `inspect`. */
async function stepCost(watching: Watching, page: URL): Promise<Cost> {
  const scenario = parseScenario(RUN, { directory });
  const simulation = new Simulation(scenario, { watch: false, ...(watching === 'xstate' ? { inspect: () => {} } : {}) });
  const watched = watching === 'page' || watching === 'gone' ? await inspect(simulation, { page }) : null;
  const viewer = watching === 'page' ? await reader(watched!.url) : null;
  if (watching === 'gone') await watched?.close();
  let steps = 0;
  simulation.network.steps$.subscribe(() => steps++);
  simulation.start();
  collectGarbage();
  const began = performance.now();
  const used = process.cpuUsage();
  for (let turn = began; simulation.advance();) {
    if (performance.now() - turn < TURN_MS) continue;
    await setImmediate();
    turn = performance.now();
  }
  const wall = (performance.now() - began) * 1e6;
  const { user, system } = process.cpuUsage(used);
  await watched?.close();
  viewer?.kill();
  return { wall: wall / steps, processor: ((user + system) * 1000) / steps };
}

const ROUNDS = 5;

async function costRows(page: URL): Promise<MeasuredRow[]> {
  const samples: Record<Watching, Cost[]> = { nobody: [], gone: [], page: [], xstate: [] };
  for (let round = 0; round <= ROUNDS; round++)
    for (const watching of Object.keys(samples) as Watching[]) {
      const cost = await stepCost(watching, page);
      if (round > 0) samples[watching].push(cost);
    }
  const limit = (name: string, watching: Watching, most: number) => {
    const ratio = (of: keyof Cost) =>
      Math.min(...samples[watching].map((cost) => cost[of])) / Math.min(...samples.nobody.map((cost) => cost[of]));
    const value = `${ratio('processor').toFixed(2)}, by the clock ${ratio('wall').toFixed(2)}`;
    return row(`time a step, 100 live nodes, ${name}`, value, `${most} or less`, ratio('processor') <= most);
  };
  return [
    limit('after an inspector has gone', 'gone', 1.05),
    limit('while the page watches', 'page', 1.3),
    limit("with XState's inspect", 'xstate', 1.3),
  ];
}

export async function inspectorRows(page: URL = builtPage()): Promise<MeasuredRow[]> {
  const browser = await launch();
  try {
    const frames = await framesPerSecond(browser, page, NETWORK);
    const crowdFrames = await framesPerSecond(browser, page, CROWD, 10_000);
    const seconds = await secondsToOpen(browser, page, LONG);
    const crowdSeconds = await secondsToOpen(browser, page, CROWD);
    const worst = Math.max(...(await jumpTimes(browser, page)));
    const weight = kilobytes(page);
    return [
      ...(await costRows(page)),
      row('frames a second, 1,000 nodes, 2,000 links, 200 messages', frames.toFixed(0), '50 or more', frames >= 50),
      row('frames a second, 10,000 nodes, 20,000 links', crowdFrames.toFixed(0), '30 or more', crowdFrames >= 30),
      row('seconds to open 10,000 nodes', crowdSeconds.toFixed(2), '3 or less', crowdSeconds <= 3),
      row('seconds to open 100,000 lines', seconds.toFixed(2), '2 or less', seconds <= 2),
      row('milliseconds to any of 1,000,000 lines, worst of 100', worst.toFixed(0), '100 or less', worst <= 100),
      row('kB of the page, gzipped, without the layout of charts', weight.toFixed(1), '120 or less', weight <= 120),
    ];
  } finally {
    await browser.close();
  }
}
