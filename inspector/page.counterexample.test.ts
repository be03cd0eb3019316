/** A counterexample opens at what it violates, with the reasons, and branches off when a command is sent. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { counterexampleTrace, gesturesOnCounterexample } from './counterexample.fixtures.js';
import { pageFile } from './exports/page-file.js';
import { openPage, pageUrl, visit } from './page/testing/browser.js';

test('opens at its end with why, and a command begins a branch', async () => {
  const { page, close } = await openPage(counterexampleTrace(), { gestures: gesturesOnCounterexample });
  await expect.poll(() => page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/violated for n0 and n1/);
  await expect.poll(() => page.getByRole('tab', { name: 'why' }).getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Home');
  for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowRight');
  const send = page.getByRole('region', { name: /^Send to/ });
  await send.getByRole('button', { name: 'lock', exact: true }).click();
  await page.getByRole('tab', { name: /by hand/ }).waitFor();
  await expect.poll(() => page.locator('.tag.is-invalid').count()).toBe(0);
  await page.getByRole('tab', { name: 'events' }).click();
  await expect
    .poll(() => page.getByRole('table', { name: 'events' }).getByRole('cell', { name: 'lock', exact: true }).count())
    .toBeGreaterThan(0);
  await close();
});

test('a single-file page also opens at the violation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'failure.html');
  writeFileSync(file, pageFile(counterexampleTrace(), pageUrl));
  const { page, leave } = await visit(pathToFileURL(file).href);
  await expect.poll(() => page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/violated for n0 and n1/);
  await expect.poll(() => page.getByRole('tab', { name: 'why' }).getAttribute('aria-selected')).toBe('true');
  await leave();
});
