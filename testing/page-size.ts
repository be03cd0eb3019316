/** The size of the inspector's page. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** Compressed kilobytes of the page's initial load: the page, and each file that it names. Other files load when they are needed. */
export function kilobytes(page: URL): number {
  const index = readFileSync(new URL('index.html', page));
  const named = [...String(index).matchAll(/(?:src|href)="(\.\/assets\/[^"]+)"/g)].map(([, name]) => name!);
  const texts = [index, ...named.map((name) => readFileSync(new URL(name, page)))];
  return texts.reduce((sum, text) => sum + gzipSync(text).length, 0) / 1000;
}
