/**
 * Pictures of the page for the docs. They are written if they are missing, and again with UPDATE_SCREENSHOTS=1. They are in the package, so
 * pngquant reduces them to a third of their size and has to be installed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

export async function keepPicture(page: Page, name: string): Promise<void> {
  const image = await page.screenshot();
  const file = `${folder}${name}.png`;
  mkdirSync(folder, { recursive: true });
  if (process.env['UPDATE_SCREENSHOTS'] || !existsSync(file))
    writeFileSync(file, execFileSync('pngquant', ['--quality', '80-98', '--strip', '-'], { input: image }));
  // A blank page is a tenth of this.
  expect(image.length).toBeGreaterThan(50_000);
}
