/** The inspector's page in a real Chromium: frames of a large network while it plays, the time to open a long trace, the weight of the page. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { inspect } from '../inspector/live/inspect.js';
import { builtPage, serveTrace, type TraceSource } from '../inspector/server.js';
import { receiveInspection } from '../inspector/stately/receive.js';
import { directory } from '../machines/directory/index.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
import { launch } from '../testing/chromium.js';
import { collectGarbage } from '../testing/memory.js';
import { kilobytes } from '../testing/page-size.js';
import { median, row, type MeasuredRow } from './measure.js';
import { syntheticTrace, type SyntheticSize } from '../testing/synthetic-trace.js';

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

/** Milliseconds for a number of consecutive frames. */
const framesLast = (page: Page): Promise<number> =>
  page.evaluate(
    (count) =>
      new Promise<number>((resolve) => {
        let began = 0;
        let frames = -1;
        const frame = (now: number) => {
          if (++frames === 0) began = now;
          if (frames < count) requestAnimationFrame(frame);
          else resolve(now - began);
        };
        requestAnimationFrame(frame);
      }),
    FRAMES,
  );

/** Seconds of a processor that the page's own thread has had: the one that can make a picture wait. */
async function threadOf(page: Page): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
}

interface Played {
  /** All frames divided by the whole time: a median would hide late ones. */
  readonly perSecond: number;
  /** Milliseconds of a processor for each, of the page's own thread. */
  readonly ofThread: number;
}

/** A run of a network that has found its place. */
async function played(browser: Browser, page: URL, size: SyntheticSize, settled = 2000): Promise<Played> {
  const opened = await visit(browser, [...syntheticTrace(size)].join(''), page);
  const used = await threadOf(opened.page);
  const lineNow = async () => Number(await opened.page.getByRole('slider').getAttribute('aria-valuenow'));
  await opened.page.waitForTimeout(settled);
  const [line, before] = [await lineNow(), await used()];
  await opened.page.keyboard.press('Space');
  const milliseconds = await framesLast(opened.page);
  const ofThread = ((await used()) - before) * 1000;
  const isPlaying = (await opened.page.getByRole('button', { name: 'pause', exact: true }).count()) === 1;
  if (!isPlaying || (await lineNow()) <= line) throw new Error('The run stopped playing before the measurement ended.');
  await opened.end();
  return { perSecond: (1000 * FRAMES) / milliseconds, ofThread: ofThread / FRAMES };
}

interface Opening {
  readonly seconds: number;
  /** Seconds of a processor, of all processes of the browser. */
  readonly processor: number;
}

async function openings(browser: Browser, page: URL, size: SyntheticSize): Promise<Opening> {
  const trace = [...syntheticTrace(size)].join('');
  const devtools = await browser.newBrowserCDPSession();
  const used = async () => {
    const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
    return new Map(processInfo.map(({ id, cpuTime }) => [id, cpuTime]));
  };
  const all: Opening[] = [];
  for (let opening = 0; opening < OPENINGS; opening++) {
    const before = await used();
    const opened = await visit(browser, trace, page);
    const processor = [...(await used())].reduce((sum, [id, time]) => sum + time - (before.get(id) ?? 0), 0);
    all.push({ seconds: opened.milliseconds / 1000, processor });
    await opened.end();
  }
  return { seconds: median(all.map(({ seconds }) => seconds)), processor: median(all.map(({ processor }) => processor)) };
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

const ACTORS = { count: 200, events: 10_000 } as const;

/** A program of XState actors that are sent a thousand events a second, and then waits. */
const APPLICATION = `
import { createActor, createMachine } from 'xstate';
const machine = createMachine({ id: 'light', initial: 'off', states: { off: { on: { GO: 'on' } }, on: { on: { GO: 'off' } } } });
const actors = Array.from({ length: ${ACTORS.count} }, (_, i) => createActor(machine, { id: 'light-' + i }).start());
for (let sent = 0; sent < ${ACTORS.events}; sent += 50) {
  for (let i = 0; i < 50; i++) actors[(sent + i) % actors.length].send({ type: 'GO' });
  await new Promise((resolve) => setTimeout(resolve, 50));
}
console.log('done');
setInterval(() => {}, 1000);
`;

interface Followed extends Played {
  /** Seconds from the last event of the program to the line on the page. */
  readonly behind: number;
}

/** A page that follows a program of many actors, from the first event to the last one. */
async function followed(browser: Browser, page: URL): Promise<Followed> {
  const receiving = await receiveInspection({ page });
  const opened = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await opened.goto(receiving.url);
  const used = await threadOf(opened);
  const auto = new URL('../inspector/live/auto.js', import.meta.url).href;
  const args = ['--import', auto, '--input-type=module', '-e', APPLICATION];
  const env = { ...process.env, QUIVER_INSPECT: receiving.url };
  const program = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await opened.getByRole('slider').waitFor();
  const before = await used();
  const counting = opened.evaluate(
    (lines) =>
      new Promise<{ frames: number; milliseconds: number }>((resolve) => {
        const began = performance.now();
        let frames = 0;
        const frame = () => {
          frames++;
          const most = Number(document.querySelector('[role=slider]')?.getAttribute('aria-valuemax'));
          if (most < lines) requestAnimationFrame(frame);
          else resolve({ frames, milliseconds: performance.now() - began });
        };
        requestAnimationFrame(frame);
      }),
    ACTORS.count + ACTORS.events,
  );
  await once(program.stdout, 'data');
  const last = performance.now();
  const { frames, milliseconds } = await counting;
  const behind = (performance.now() - last) / 1000;
  const ofThread = (((await used()) - before) * 1000) / frames;
  program.kill();
  await opened.close();
  await receiving.close();
  return { perSecond: (1000 * frames) / milliseconds, ofThread, behind };
}

type Watching = 'nobody' | 'gone' | 'page' | 'xstate';

/** Arrow on a path, the far ends in turn. */
const RUN = {
  protocol: 'directory',
  topology: { kind: 'path', n: 100 },
  options: { policy: 'arrow' },
  workload: { sequential: Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? 'n99' : 'n0')) },
};
/** Milliseconds of work between two yields of the application. */
const TURN_MS = 4;

interface Cost {
  /** Nanoseconds of this process for each step, by the clock and by what the processor counts. */
  readonly wall: number;
  readonly processor: number;
}

/** Takes the trace as a page does. In its own process: a browser that is driven from here would cost this one more than the page. */
async function reader(url: string): Promise<ChildProcess> {
  const source = `let began = 0; fetch(process.argv[1]).then(async ({ body }) => { for await (const piece of body) if (!began++) process.stdout.write('.'); })`;
  const child = spawn(process.execPath, ['-e', source, `${url}trace`], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  return child;
}

/**
 * 100 live nodes at full speed, without an observer, with an inspector that has closed, with a page, or with XState's `inspect`.
 */
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

const framesRow = (what: string, { perSecond, ofThread }: Played, least: number): MeasuredRow =>
  row(
    `frames a second, ${what}`,
    `${perSecond.toFixed(0)} (${ofThread.toFixed(1)} ms of a processor each)`,
    `${least} or more`,
    perSecond >= least,
  );

const openingRow = (what: string, { seconds, processor }: Opening, most: number): MeasuredRow =>
  row(
    `seconds to open ${what}`,
    `${seconds.toFixed(2)} (${processor.toFixed(2)} of a processor)`,
    `${most} or less`,
    seconds <= most,
  );

export async function inspectorRows(page: URL = builtPage()): Promise<MeasuredRow[]> {
  const load = () => loadavg()[0]!.toFixed(1);
  const before = load();
  const browser = await launch();
  try {
    const frames = await played(browser, page, NETWORK);
    const crowdFrames = await played(browser, page, CROWD, 10_000);
    const long = await openings(browser, page, LONG);
    const crowd = await openings(browser, page, CROWD);
    const live = await followed(browser, page);
    const longest = await visit(browser, () => syntheticTrace(LONGEST), page);
    await longest.end();
    const worst = Math.max(...(await jumpTimes(browser, page)));
    const weight = kilobytes(page);
    return [
      ...(await costRows(page)),
      framesRow('1,000 nodes, 2,000 links, 200 messages', frames, 50),
      framesRow('10,000 nodes, 20,000 links', crowdFrames, 30),
      framesRow('200 live actors, 10,000 events', live, 50),
      row('seconds until the last of 10,000 events is shown', live.behind.toFixed(1), '1 or less', live.behind <= 1),
      openingRow('10,000 nodes', crowd, 3),
      openingRow('100,000 lines', long, 2),
      row('seconds to open 1,000,000 lines', (longest.milliseconds / 1000).toFixed(1), '5 or less', longest.milliseconds <= 5000),
      row('milliseconds to any of 1,000,000 lines, worst of 100', worst.toFixed(0), '100 or less', worst <= 100),
      row('kB of the page, gzipped, without what loads later', weight.toFixed(1), '120 or less', weight <= 120),
      row('load of the machine before and after', `${before} and ${load()}`),
    ];
  } finally {
    await browser.close();
  }
}
