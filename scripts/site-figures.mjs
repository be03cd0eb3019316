/** How fast and how heavy the pages of the built site are, with bounds. Times have room for a busy machine; docs/evidence/site.md has those of a quiet one. */
import { gzipSync } from 'node:zlib';

/** Kilobytes (gzip) that a first visit loads, and milliseconds until something is painted. */
const BOUNDS = {
  '': { kilobytes: 330, paintMs: 4000 },
  'docs/locks.html': { kilobytes: 300, paintMs: 4000 },
  'playground/': { kilobytes: 1000, paintMs: 4000 },
};
const FIRST_RUN_MS_MAX = 8000;
const SEARCH_MS_MAX = 1500;

/** Measures a first visit of each page in its own context, with an empty cache. */
export async function measurePages(browser, at) {
  const figures = [];
  for (const name of Object.keys(BOUNDS)) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    const bodies = new Map();
    page.on('response', (response) =>
      bodies.set(
        response.url(),
        response.body().catch(() => Buffer.of()),
      ),
    );
    await page.goto(at(name), { waitUntil: 'networkidle' });
    const paintMs = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null");
    const all = await Promise.all([...bodies].map(async ([url, body]) => [url, sent(url, await body)]));
    figures.push({
      name,
      paintMs: paintMs === null ? null : Math.round(paintMs),
      kilobytes: Math.round(all.reduce((sum, [, bytes]) => sum + bytes, 0) / 1000),
    });
    await context.close();
  }
  return figures;
}

/** The bytes that a server with compression sends. Pictures and fonts are compressed already. */
const sent = (url, body) => (/\.(png|woff2)(\?|$)/.test(url) ? body.length : gzipSync(body).length);

/** Exceeded bounds. */
export function* exceeded(figures, firstRunMs, searchMs) {
  for (const { name, paintMs, kilobytes } of figures) {
    const bound = BOUNDS[name];
    if (kilobytes > bound.kilobytes) yield `/${name} loads ${kilobytes} kB, and ${bound.kilobytes} kB are the limit`;
    if (paintMs === null || paintMs > bound.paintMs)
      yield `/${name} is painted after ${paintMs} ms, and ${bound.paintMs} ms are the limit`;
  }
  if (firstRunMs > FIRST_RUN_MS_MAX)
    yield `the first run of the playground took ${firstRunMs} ms, and ${FIRST_RUN_MS_MAX} ms are the limit`;
  if (searchMs > SEARCH_MS_MAX) yield `the search answered after ${searchMs} ms, and ${SEARCH_MS_MAX} ms are the limit`;
}

export const describeFigures = (figures, firstRunMs, searchMs) =>
  [
    ...figures.map(({ name, paintMs, kilobytes }) => `  /${name}: first paint ${paintMs} ms, ${kilobytes} kB`),
    `  playground: first result ${firstRunMs} ms after the click`,
    `  search: first answer ${searchMs} ms after the word`,
  ].join('\n');
