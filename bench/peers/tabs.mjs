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

async function contend(context, url, kind) {
  const tabs = await Promise.all(['a', 'b'].map(() => context.newPage()));
  await Promise.all(tabs.map((tab, i) => tab.goto(`${url}?${'ab'[i]}`)));
  const waits = await Promise.all(tabs.map((tab) => tab.evaluate(([kind, ms]) => globalThis.contend(kind, ms), [kind, RUN_MS])));
  await Promise.all(tabs.map((tab) => tab.close()));
  return waits;
}

export async function withTabs() {
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
    const context = await browser.newContext();
    const [url] = server.resolvedUrls.local;
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
  } finally {
    await browser.close();
    await server.close();
    rmSync(outDir, { recursive: true });
  }
}
