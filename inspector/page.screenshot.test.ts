import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backbone } from '../network/topology/backbones.js';
import { buildPage, launch, open } from './page/testing/browser.js';
import { traceOf } from './page/testing/traces.js';

/** The pictures of the README are taken here. They are written when they are missing, and anew with UPDATE_SCREENSHOTS=1. */
const folder = fileURLToPath(new URL('../docs/images/', import.meta.url));

let browser: Browser;
let built: URL;
beforeAll(async () => {
  [browser, built] = await Promise.all([launch(), buildPage()]);
});
afterAll(() => browser?.close());

const { nodes, links } = backbone('abilene');
const trace = traceOf({
  protocol: 'directory',
  options: { policy: 'ivy', hold: 300 },
  topology: { nodes, links },
  network: { latency: 'weight' },
  workload: { concurrent: 4, requests: 24 },
  seed: 7,
});

test.each(['light', 'dark'] as const)('a picture of the page, %s', async (scheme) => {
  const { page, close } = await open(browser, built, trace, { scheme });
  for (let i = 0; i < 34; i++) await page.keyboard.press('ArrowRight');
  const image = await page.screenshot();
  const file = `${folder}inspector-${scheme}.png`;
  if (process.env['UPDATE_SCREENSHOTS'] || !existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, image);
  }
  expect(image.length).toBeGreaterThan(50_000);
  await close();
});
