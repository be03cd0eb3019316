/** The pages of docs/start, docs/recipes and examples/apps with the packed library, each in an empty folder, as their reader would follow them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { followPage } from './follow-page.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Tabs of a real browser on the page that docs/start/tabs.md builds. */
async function lookAtTabs() {
  const { launch, missing } = await import('../dist/testing/chromium.js');
  if (missing) return console.warn(`docs/start/tabs.md: the tabs were not opened. There is ${missing}`);
  await answered('http://localhost:4281/');
  const browser = await launch();
  try {
    const context = await browser.newContext();
    const tabs = await Promise.all([1, 2, 3, 4].map(() => context.newPage()));
    for (const tab of tabs) await tab.goto('http://localhost:4281/');
    const first = await workerAmong(tabs);
    await first.close({ runBeforeUnload: true });
    await workerAmong(tabs.filter((tab) => tab !== first));
  } finally {
    await browser.close();
  }
}

/** Resolves when a server answers at this address: a server in the background needs a moment to start. */
async function answered(url) {
  for (let tries = 0; tries < 100; tries++) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`No server answers at ${url}.`);
}

/** The tab that works, once there is one. */
async function workerAmong(tabs) {
  for (let tries = 0; tries < 100; tries++) {
    const shown = await Promise.all(tabs.map((tab) => tab.locator('output').innerText()));
    const working = tabs.filter((_, i) => shown[i].startsWith('this tab works'));
    if (working.length > 1) throw new Error(`docs/start/tabs.md: ${working.length} tabs work at once`);
    if (working.length === 1) return working[0];
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('docs/start/tabs.md: no tab works');
}

/** From an empty folder to a first lock, a first generated test, a first counterexample, on a machine that does nothing else. */
const START_SECONDS_MAX = 120;

/** A page that has something listen: two of them may want the same port, so they go one after the other. */
const hasPorts = (page) => /(?:127\.0\.0\.1|localhost):\d/.test(readFileSync(join(root, page), 'utf8'));

/** Follows every page, those with ports next to the others; `only` names some. */
export async function checkPages(tarball, only = []) {
  const pages = [
    ...['docs/start', 'docs/recipes'].flatMap((chapter) => readdirSync(join(root, chapter)).map((name) => `${chapter}/${name}`)),
    ...readdirSync(join(root, 'examples/apps'), { withFileTypes: true }).flatMap((each) =>
      each.isDirectory() ? [`examples/apps/${each.name}/README.md`] : [],
    ),
  ];
  const wanted = pages.filter((name) => only.length === 0 || only.includes(name));
  const failures = [];
  const follow = async (some) => {
    for (const page of some) await checkPage(page, tarball).catch((error) => failures.push(error));
  };
  await Promise.all([follow(wanted.filter(hasPorts)), follow(wanted.filter((page) => !hasPorts(page)))]);
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
  const seconds = Math.round((performance.now() - began) / 1_000);
  // As many processes as this wait for each processor of a busy machine.
  const waiting = Math.max(1, loadavg()[0] / availableParallelism());
  console.log(`${page}: works as described, in ${seconds} s`);
  if (page.startsWith('docs/start/') && seconds > START_SECONDS_MAX * waiting)
    throw new Error(`${page} takes ${seconds} s from npm install to its end; a start takes at most ${START_SECONDS_MAX} s`);
}
