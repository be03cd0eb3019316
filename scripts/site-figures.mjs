/**
 * How fast and how heavy the pages of the built site are, with bounds. Bounds of time grow with the time that a fixed computation takes in the same
 * run, so that a slow or busy machine keeps them as well. docs/evidence/site.md has the figures of a quiet machine.
 */
import { gzipSync } from 'node:zlib';

/** Kilobytes (gzip) that a first visit loads, and milliseconds until something is painted. */
const BOUNDS = {
  '': { kilobytes: 330, paintMs: 4000 },
  'docs/locks.html': { kilobytes: 300, paintMs: 4000 },
  'playground/': { kilobytes: 1000, paintMs: 4000 },
};
const FIRST_RUN_MS_MAX = 8000;
const SEARCH_MS_MAX = 3000;

/** Milliseconds that the computation takes on a quiet machine. */
const QUIET_MS = 60;
const COMPUTATION = `(() => {
  const begun = performance.now();
  const rows = Array.from({ length: 60_000 }, (_, i) => ({ key: String((i * 7919) % 60_013) }));
  rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  return performance.now() - begun;
})()`;

/** How many times slower than a quiet machine a page computes now, and at least 1. */
export const slownessOf = async (page) => Math.max(1, (await page.evaluate(COMPUTATION)) / QUIET_MS);

/** Measures a first visit of each page in its own context, with an empty cache. */
export async function measurePages(browser, at, waitMs) {
  const figures = [];
  for (const name of Object.keys(BOUNDS)) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(waitMs);
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

/** Exceeded bounds. Those of times are multiplied by `slowness`. */
export function* exceeded(figures, firstRunMs, searchMs, slowness) {
  const limitOf = (quietMs) => Math.round(quietMs * slowness);
  for (const { name, paintMs, kilobytes } of figures) {
    const bound = BOUNDS[name];
    if (kilobytes > bound.kilobytes) yield `/${name} loads ${kilobytes} kB, and ${bound.kilobytes} kB are the limit`;
    const limit = limitOf(bound.paintMs);
    if (paintMs === null || paintMs > limit) yield `/${name} is painted after ${paintMs} ms, and ${limit} ms are the limit`;
  }
  const [runLimit, searchLimit] = [FIRST_RUN_MS_MAX, SEARCH_MS_MAX].map(limitOf);
  if (firstRunMs > runLimit) yield `the first run of the playground took ${firstRunMs} ms, and ${runLimit} ms are the limit`;
  if (searchMs > searchLimit) yield `the search answered after ${searchMs} ms, and ${searchLimit} ms are the limit`;
}

export const describeFigures = (figures, firstRunMs, searchMs, slowness) =>
  [
    ...figures.map(({ name, paintMs, kilobytes }) => `  /${name}: first paint ${paintMs} ms, ${kilobytes} kB`),
    `  playground: first result ${firstRunMs} ms after the click`,
    `  search: first answer ${searchMs} ms after the word`,
    `  slowness: ${slowness.toFixed(1)} times the computing time of a quiet machine, by which the bounds of times are multiplied`,
  ].join('\n');
