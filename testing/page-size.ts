/** The size of the inspector's page. */
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** Compressed kilobytes of the page's initial load. The engine of charts and the layout of large networks load later. */
export function kilobytes(page: URL): number {
  const assets = new URL('assets/', page);
  const files = readdirSync(assets).filter((name) => /\.(js|css)$/.test(name) && !name.startsWith('layout.worker'));
  const texts = [new URL('index.html', page), ...files.map((name) => new URL(name, assets))].map((file) => readFileSync(file));
  return texts.reduce((sum, text) => sum + gzipSync(text).length, 0) / 1000;
}
