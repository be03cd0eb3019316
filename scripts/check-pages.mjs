/** The pages of docs/start, docs/recipes and examples/apps with the packed library, each in an empty folder, as their reader would follow them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { followPage } from './follow-page.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Milliseconds until a server or a tab that does nothing is a failure. */
const WAIT_MS_MAX = 300_000;

/** Tabs of a real browser on the page that docs/start/tabs.md builds. */
async function lookAtTabs() {
  const { launch, missing } = await import('../dist/testing/chromium.js');
  if (missing) return console.warn(`docs/start/tabs.md: the tabs were not opened. There is ${missing}`);
  await answered('http://localhost:4281/');
  const browser = await launch();
  try {
    const context = await browser.newContext();
    context.setDefaultTimeout(WAIT_MS_MAX);
    const tabs = await Promise.all([1, 2, 3, 4].map(() => context.newPage()));
    for (const tab of tabs) await tab.goto('http://localhost:4281/');
    const first = await workerAmong(tabs);
    await first.close({ runBeforeUnload: true });
    const last = await workerAmong(tabs.filter((tab) => tab !== first));
    for (const tab of tabs) if (tab !== first && tab !== last) await tab.close();
    const shown = await last.locator('output').innerText();
    await last.evaluate(() => ['freeze', 'resume'].forEach((type) => document.dispatchEvent(new Event(type))));
    await last.waitForFunction(
      (before) => ![before, 'another tab works'].includes(document.querySelector('output').textContent),
      shown,
    );
  } finally {
    await browser.close();
  }
}

/** Resolves when a server answers at this address: a server in the background needs a moment to start. */
async function answered(url) {
  const isAnswered = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  for (const late = Date.now() + WAIT_MS_MAX; !(await isAnswered()); await pause(200))
    if (Date.now() > late) throw new Error(`No server answers at ${url}.`);
}

/** The tab that works, once there is one. */
async function workerAmong(tabs) {
  for (const late = Date.now() + WAIT_MS_MAX; Date.now() < late; await pause(200)) {
    const shown = await Promise.all(tabs.map((tab) => tab.locator('output').innerText()));
    const working = tabs.filter((_, i) => shown[i].startsWith('this tab works'));
    if (working.length > 1) throw new Error(`docs/start/tabs.md: ${working.length} tabs work at once`);
    if (working.length === 1) return working[0];
  }
  throw new Error('docs/start/tabs.md: no tab works');
}

/** A page that has something listen: two of them may want the same port, so they go one after the other. */
const hasPorts = (page) => /(?:127\.0\.0\.1|localhost):\d/.test(readFileSync(join(root, page), 'utf8'));

/**
 * Follows every page, those with ports next to the others; `only` names some. The programs of a page have timers in real time, as for its reader,
 * and a busy machine can miss them. So a page that fails is followed a second time, when nothing else runs.
 */
export async function checkPages(tarball, only = []) {
  const pages = [
    ...['docs/start', 'docs/recipes'].flatMap((chapter) => readdirSync(join(root, chapter)).map((name) => `${chapter}/${name}`)),
    ...readdirSync(join(root, 'examples/apps'), { withFileTypes: true }).flatMap((each) =>
      each.isDirectory() ? [`examples/apps/${each.name}/README.md`] : [],
    ),
  ];
  const wanted = pages.filter((name) => only.length === 0 || only.includes(name));
  const follow = async (some) => {
    const failures = new Map();
    for (const page of some) await checkPage(page, tarball).catch((error) => failures.set(page, error));
    return failures;
  };
  const lanes = await Promise.all([follow(wanted.filter(hasPorts)), follow(wanted.filter((page) => !hasPorts(page)))]);
  const failed = lanes.flatMap((failures) => [...failures]);
  for (const [, { message }] of failed) console.warn(`${message}\nThe page is followed again.`);
  const failures = [...(await follow(failed.map(([page]) => page))).values()];
  if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join('\n\n'));
}

async function checkPage(page, tarball) {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-page-'));
  const began = performance.now();
  try {
    await followPage(join(root, page), folder, tarball, page === 'docs/start/tabs.md' ? lookAtTabs : undefined);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${page}: works as described, in ${Math.round((performance.now() - began) / 1_000)} s`);
}
