/**
 * Checks the built site: every link to a place on a page has a target, every page has a description and a card, and `llms.txt` lists pages that
 * exist as Markdown. In Chromium, axe finds no error on any kind of page, in light and in dark, nor in the search and the menu of a phone. The
 * search finds pages by synonyms, no page is wider than a phone, names in code have types, and all of it works without requests to other
 * servers. Pages keep bounds of time and weight (site-figures.mjs), and their code can be read without JavaScript.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preview } from 'vite';
import { launch, missing } from '../dist/testing/chromium.js';
import { checkPlayground } from './check-playground.mjs';
import { describeFigures, exceeded, measurePages, slownessOf } from './site-figures.mjs';

const outDir = fileURLToPath(new URL('../site/.vitepress/dist', import.meta.url));
/** Milliseconds that the check waits for anything. A busy machine may need minutes for what takes a second here. */
const WAIT_MS_MAX = 300_000;
const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const axe = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/**
 * Handwritten pages, and one example of each kind of generated page: those of files and of the reference look alike. The inspector has
 * separate tests.
 */
const pages = readdirSync(outDir, { recursive: true }).filter((name) => name.endsWith('.html') && !name.startsWith('inspector/'));
const isAlike = (name) => /^(source|reference)\//.test(name);
const chosen = [
  ...pages.filter((name) => !isAlike(name)),
  ...['source/', 'reference/'].map((part) => pages.find((name) => name.startsWith(part))),
];

/** Links to places on pages that have no such place. */
function* lost() {
  const places = new Map(
    pages.map((name) => [name, new Set([...read(name).matchAll(/ id="([^"]*)"/g)].map(([, id]) => unescaped(id)))]),
  );
  for (const name of pages)
    for (const [, path, hash] of read(name).matchAll(/ href="([^"#:]*)#([^"]+)"/g)) {
      const target = path === '' ? name : posix.join(path.startsWith('/') ? '' : posix.dirname(name), path).replace(/^\//, '');
      const there = places.get(target.replace(/(^|\/)$/, '$1index.html'));
      if (there && !there.has(unescaped(decodeURIComponent(hash)))) yield `${name}: nothing at ${target}#${hash}`;
    }
}
const read = (name) => readFileSync(`${outDir}/${name}`, 'utf8');
const unescaped = (text) => text.replaceAll('&amp;', '&');

/** Missing metadata: the description and the card of each page, the list of pages, the sitemap. */
function* unreadable() {
  const contentOf = (name, attribute) => new RegExp(`<meta [^>]*${attribute}"[^>]*content="([^"]+)"`).exec(read(name))?.[1];
  const written = pages.filter((name) => !/^(source|reference)\/|^404/.test(name));
  const descriptions = written.map((name) => contentOf(name, 'name="description'));
  for (const [i, name] of written.entries()) {
    if (!descriptions[i] || descriptions.indexOf(descriptions[i]) !== i) yield `${name}: no separate description`;
    if (!contentOf(name, 'property="og:title')) yield `${name}: no social card`;
  }
  for (const file of ['card.png', 'sitemap.xml', 'llms.txt'])
    if (!existsSync(`${outDir}/${file}`)) yield `the site has no ${file}`;
  for (const [, address] of read('llms.txt').matchAll(/^- \[[^\]]+\]\(https?:\/\/[^/]+\/([^)]+)\)/gm))
    if (!existsSync(`${outDir}/${address}`)) yield `llms.txt: ${address} does not exist`;
}

const wrong = [...lost(), ...unreadable()];
if (missing) {
  endIfWrong();
  console.warn(`The site was not opened in a browser. There is ${missing}`);
  process.exit();
}

/** Groups findings by the rule of axe. */
const found = new Map();
const foreign = new Set();

/** Resolves when nothing fades or moves: a text that appears has less contrast than it will have. */
const settled = (page) =>
  page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames++) await new Promise((resolve) => requestAnimationFrame(resolve));
    const ends = (animation) => Number.isFinite(animation.effect.getComputedTiming().endTime);
    await Promise.allSettled(
      document
        .getAnimations()
        .filter(ends)
        .map(({ finished }) => finished),
    );
  });

async function look(page, what) {
  await settled(page);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(
    "axe.run(document, { preload: false, iframes: false, resultTypes: ['violations'] })",
  );
  for (const { id, nodes } of violations) {
    const places = found.get(id) ?? [];
    found.set(id, [
      ...places,
      `${what}: ${nodes.length} times, as in ${nodes[0].html.slice(0, 200)}\n    ${nodes[0].failureSummary}`,
    ]);
  }
}

const server = await preview({
  root: fileURLToPath(new URL('../site/.vitepress', import.meta.url)),
  configFile: false,
  build: { outDir: 'dist' },
  preview: { host: '127.0.0.1', port: 0, open: false },
});
const origin = server.resolvedUrls.local[0];
const at = (name) => new URL(name, origin).href;
const browser = await launch();
let figures;
let firstRunMs;
let searchMs = 0;
let slowness = 1;

try {
  figures = await measurePages(browser, at, WAIT_MS_MAX);
  const context = await browser.newContext({ viewport: DESKTOP });
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) foreign.add(url);
  });
  context.setDefaultTimeout(WAIT_MS_MAX);
  const page = await context.newPage();
  const measureSlowness = async () => (slowness = Math.max(slowness, await slownessOf(page)));
  page.on('pageerror', (error) => wrong.push(`${page.url()}: ${error}`));
  await measureSlowness();
  for (const name of chosen) {
    await page.goto(at(name));
    await look(page, name);
    await fitsPhone(page, name);
  }
  await measureSlowness();
  firstRunMs = await checkPlayground(page, at('playground/'), look);
  await measureSlowness();
  await showTypes(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(at('docs/locks.html'));
  await look(page, 'docs/locks.html, dark');
  await page.keyboard.press('/');
  for (const [word, title] of [
    ['fence', 'fenc'],
    ['mutex', 'lock'],
    ['semaphore', 'lock'],
    ['quorum', 'majorit'],
    ['timeout', 'timeout'],
  ]) {
    const results = page.locator('#localsearch-list .result');
    const begun = performance.now();
    await page.locator('#localsearch-input').fill(word);
    await results
      .filter({ hasText: new RegExp(title, 'i') })
      .first()
      .waitFor();
    searchMs = Math.max(searchMs, Math.round(performance.now() - begun));
  }
  await measureSlowness();
  await look(page, 'the search');
  await page.keyboard.press('Escape');
  await page.setViewportSize(PHONE);
  await page.locator('.VPLocalNav .menu').click();
  await look(page, 'the menu of a phone');
} finally {
  await browser.close();
  await server.close();
}

/** Text, tables and code of a page do not make it wider than a phone: what is too wide scrolls by itself. */
async function fitsPhone(page, what) {
  await page.setViewportSize(PHONE);
  const width = await page.evaluate('document.documentElement.scrollWidth');
  if (width > PHONE.width) wrong.push(`${what} is ${width} px wide on a phone with ${PHONE.width} px`);
  await page.setViewportSize(DESKTOP);
}

/** A name in a block has its type and docstring, and the page without JavaScript contains the same code. */
async function showTypes(page) {
  await page.goto(at('docs/locks.html'));
  const name = page.locator('.vp-doc .twoslash-hover', { hasText: /^createLocks$/ }).first();
  await name.hover();
  const panel = page.locator('.twoslash-floating').filter({ hasText: /createLocks/ });
  await panel.first().waitFor();
  const text = await panel.first().innerText();
  if (!/locks/i.test(text.replaceAll('createLocks', ''))) wrong.push(`the hover of createLocks has no docstring: ${text}`);
  await look(page, 'docs/locks.html, a type');
  const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  plain.setDefaultTimeout(WAIT_MS_MAX);
  await plain.goto(at('docs/locks.html'));
  const code = await plain.locator('.vp-doc div[class*=language-ts] code').first().innerText();
  const source = /^```ts\n([^]*?)\n```$/m.exec(readFileSync(new URL('../docs/locks.md', import.meta.url), 'utf8'))[1];
  if (code.trim() !== source.trim()) wrong.push(`without JavaScript the first block of docs/locks.html is\n${code}`);
  await plain.context().close();
}

wrong.push(...exceeded(figures, firstRunMs, searchMs, slowness));
for (const [rule, places] of found) wrong.push(`${rule} on ${places.length} pages, first on ${places[0]}`);
for (const url of foreign) wrong.push(`the site asks another server: ${url}`);
endIfWrong();
console.log(describeFigures(figures, firstRunMs, searchMs, slowness));
console.log(`site: axe finds nothing wrong with ${chosen.length} pages; search and playground work, and ask no other server`);

function endIfWrong() {
  if (wrong.length > 0) throw new Error(`The site has ${wrong.length} problems:\n${wrong.join('\n')}`);
}
