// One lock, two tabs that both want it all the time: navigator.locks, and Quiver over a BroadcastChannel, in real Chromium.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { build, preview } from 'vite';
import { median } from '../../dist/bench/measure.js';
import { ms, quantile, samplesInTurn, whole } from './measure.mjs';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const [RUN_MS, ROUNDS] = [2_000, 3];
const root = fileURLToPath(new URL('tabs', import.meta.url));

const open = async (context, address) => {
  const tab = await context.newPage();
  await tab.goto(address);
  return tab;
};

async function contend(context, url, kind) {
  const tabs = await Promise.all(['a', 'b'].map((id) => open(context, `${url}?${id}`)));
  const waits = await Promise.all(tabs.map((tab) => tab.evaluate(([kind, ms]) => globalThis.contend(kind, ms), [kind, RUN_MS])));
  await Promise.all(tabs.map((tab) => tab.close()));
  return waits;
}

/** How long the first tab waits for the lock, and the next one after the renderer of the holder has crashed. */
async function passOn(browser, url, kind) {
  const context = await browser.newContext();
  const holder = await open(context, url);
  const first = await holder.evaluate((kind) => globalThis.take(kind), kind);
  const next = await open(context, url);
  const taken = next.evaluate((kind) => globalThis.take(kind), kind);
  // It has arrived, and waits.
  await next.evaluate(() => new Promise((resolve) => setTimeout(resolve, 2_000)));
  const session = await context.newCDPSession(holder);
  const crashed = performance.now();
  session.send('Page.crash').catch(() => {});
  await taken;
  const waited = performance.now() - crashed;
  await context.close();
  return { first, waited };
}

/** The same page in Chromium, for a comparison. */
async function inChromium(compare) {
  const outDir = mkdtempSync(join(tmpdir(), 'quiver-tabs-'));
  await build({ root, configFile: false, logLevel: 'error', build: { outDir, target: 'es2022' } });
  const server = await preview({
    root,
    configFile: false,
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0, open: false },
  });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    return await compare(browser, server.resolvedUrls.local[0]);
  } finally {
    await browser.close();
    await server.close();
    rmSync(outDir, { recursive: true });
  }
}

export const passLocksOn = () =>
  inChromium(async (browser, url) => {
    const samples = await samplesInTurn(ROUNDS, {
      'navigator.locks': () => passOn(browser, url, 'navigator'),
      'Quiver, createTabLocks': () => passOn(browser, url, 'tabs'),
      'the same without Web Locks': () => passOn(browser, url, 'tabs without Web Locks'),
    });
    const all = (rounds, name) => rounds.map((round) => whole(round[name])).join(' / ');
    return Object.entries(samples).map(([who, rounds]) => ({
      who,
      'first grant, ms': all(rounds, 'first'),
      'next grant after a crash, ms': all(rounds, 'waited'),
    }));
  });

export const withTabs = () =>
  inChromium(async (browser, url) => {
    const context = await browser.newContext();
    const samples = await samplesInTurn(ROUNDS, {
      'navigator.locks': () => contend(context, url, 'navigator'),
      'Quiver, BroadcastChannel': () => contend(context, url, 'quiver'),
    });
    return Object.entries(samples).map(([who, rounds]) => ({
      what: 'lock, two tabs, empty section',
      who,
      'grants/s': whole(median(rounds.map((waits) => (1_000 * waits.flat().length) / RUN_MS))),
      'wait p50': ms(median(rounds.map((waits) => quantile(waits.flat(), 0.5)))),
      'wait p99': ms(median(rounds.map((waits) => quantile(waits.flat(), 0.99)))),
      'grants a tab': rounds.map((waits) => waits.map(({ length }) => length).join('/')).join(', '),
    }));
  });
