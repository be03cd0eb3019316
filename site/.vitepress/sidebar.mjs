/**
 * The sidebar: at most thirty entries. A page that has no entry belongs to a group: the page at its head links to it, and next to it the
 * sidebar shows its group. The build fails for a page that is in neither, for a page that does not exist, and for a head without a link.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ENTRIES_MAX = 30;

const chapters = {
  Start: {
    'docs/start/backend': 'Backend developers',
    'docs/start/tabs': 'Front-end developers',
    'docs/start/xstate': 'XState developers',
    'docs/start/tester': 'Testers',
    'docs/start/student': 'Students',
  },
  'How-to': { 'docs/recipes': 'Recipes' },
  Guides: {
    'docs/locks': 'Locks',
    'docs/operating-locks': 'Operating locks',
    'docs/tab-locks': 'Tab locks',
    'docs/leaders': 'Leaders',
    'docs/quotas': 'Quotas, names and registers',
    'docs/cluster': 'Cluster actors',
    'docs/composing': 'Composing machines',
    'docs/transports': 'Transports',
    'docs/shipping': 'Shipping an application',
    'docs/rxjs': 'RxJS',
    'docs/testing-machines': 'Testing machines',
    'docs/rehearsal': 'Rehearsal',
    'docs/checking': 'Checking',
    'docs/inspector': 'The inspector',
    'docs/own-protocol': 'Your own protocol',
  },
  Reference: { reference: 'API reference', 'docs/reference': 'Options, formats, versions', 'docs/glossary': 'Glossary' },
  Explanation: {
    'docs/concepts': 'Concepts, in pictures',
    'docs/how-locks-work': 'How locks work',
    'docs/papers': 'The papers',
    'docs/comparison': 'When to use something else',
  },
  Evidence: { 'docs/evidence': 'Evidence' },
  Project: { CONTRIBUTING: 'Contributing' },
};

/** The pages of each group, below the page at its head. */
const groups = {
  'docs/recipes': {
    'docs/recipes/voters': 'Voters and clients as services',
    'docs/recipes/opentelemetry': 'Metrics and traces with OpenTelemetry',
    'docs/recipes/cron': 'A cron that fires once',
    'docs/recipes/job-queue': 'A job queue',
    'docs/recipes/single-writer': 'A single writer',
    'docs/recipes/rate-limit': 'A rate limit',
    'docs/recipes/shared-document': 'A shared document',
    'docs/recipes/playwright': 'Paths as Playwright tests',
    'docs/recipes/react': 'Paths as tests of React',
    'docs/recipes/from-other-libraries': 'From redlock, Web Locks or broadcast-channel',
    'docs/from-xstate-test': 'From @xstate/test',
    'examples/apps/job-runner/README': 'A job runner on NATS',
    'examples/apps/actors/README': 'Orders, a race and a schedule',
    'examples/apps/board/README': 'A board for a team',
    'examples/apps/robots/README': 'A fleet of robots',
  },
  'docs/quotas': { 'docs/queues': 'Queues and ordered messages' },
  'docs/transports': {
    'docs/transports/local': 'In one process or browser',
    'docs/transports/web-socket': 'WebSocket: a hub or a mesh',
    'docs/transports/brokers': 'Over a broker: NATS, MQTT, sealed',
  },
  'docs/testing-machines': { 'docs/testing-actors': 'Machines that communicate' },
  'docs/checking': { 'docs/scenarios': 'Scenarios' },
  'docs/inspector': { 'docs/inspector-attach': 'Attaching a program', 'docs/stories': 'Six stories' },
  'docs/own-protocol': { 'docs/testing': 'Generated tests for protocols', 'docs/compile': 'Compile a pure machine' },
  'docs/reference': {
    'docs/testing-machines-reference': 'Tests of a machine',
    'docs/scenarios-reference': 'Scenarios',
    'docs/inspector-reference': 'The inspector',
    'docs/wire-format': 'Wire format',
    'docs/threat-model': 'Threat model',
  },
  'docs/papers': {
    'docs/directory': 'Token directory',
    'docs/queue': 'Self-stabilizing queue',
    'docs/election': 'Leader election',
    'docs/exclusion': 'Local mutual exclusion',
    'docs/controller': 'Resource controller',
    'docs/errata': 'Errata, and a deadlock in a paper',
    'docs/classics': 'The classics',
  },
  'docs/evidence': {
    'docs/evidence/how-it-is-tested': 'How it is tested, and mutation testing',
    'docs/evidence/chaos': 'Chaos',
    'docs/evidence/peers': 'Side by side',
    'docs/evidence/locks': 'Locks',
    'docs/evidence/rehearsal': 'Rehearsal',
    'docs/evidence/checking': 'Checking',
    'docs/evidence/machines': 'Machines',
    'docs/evidence/generated-tests': 'Generated tests',
    'docs/evidence/inspector': 'The inspector',
    'docs/evidence/algorithms': 'Directory, election, classics',
    'docs/evidence/controller': 'The controller',
    'docs/evidence/site': 'The site, the starts, the language',
  },
  CONTRIBUTING: { ARCHITECTURE: 'Architecture', SECURITY: 'Security', CHANGELOG: 'Changes' },
};

const linkOf = (page) => (page === 'reference' ? '/reference/' : `/${page}`);
const itemsOf = (pages) => Object.entries(pages).map(([page, text]) => ({ text, link: linkOf(page) }));

const entries = Object.entries(Object.assign({}, ...Object.values(chapters)));
const titles = Object.fromEntries(entries);
check();

/** The sidebar of a page in a group shows the group; all other pages show the chapters. */
export const sidebar = {
  ...Object.fromEntries(
    Object.entries(groups).flatMap(([head, pages]) => {
      const group = [
        { text: '← All pages', link: linkOf(entries[0][0]) },
        { text: titles[head], items: [{ text: 'Overview', link: linkOf(head) }, ...itemsOf(pages)] },
      ];
      return Object.keys(pages).map((page) => [`/${page}.md`, group]);
    }),
  ),
  '/': Object.entries(chapters).map(([text, pages]) => ({ text, items: itemsOf(pages) })),
};

/** Chapters with their pages, and the pages of each group below its head, for `llms.txt`. */
export const contents = Object.entries(chapters).map(([title, pages]) => ({
  title,
  pages: Object.keys(pages).flatMap((page) => [page, ...Object.keys(groups[page] ?? {})]),
}));

function check() {
  const wrong = [];
  if (entries.length > ENTRIES_MAX) wrong.push(`it has ${entries.length} entries, and ${ENTRIES_MAX} are the limit`);
  const given = [...Object.keys(titles), ...Object.values(groups).flatMap(Object.keys)];
  const pages = readdirSync(`${root}docs`, { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replace(/\.md$/, '')}`);
  for (const page of pages) if (!given.includes(page)) wrong.push(`${page} is missing. Add it to a chapter or a group`);
  for (const page of given)
    if (page.startsWith('docs/') && !pages.includes(page)) wrong.push(`${page} does not exist. Remove it`);
  for (const [head, children] of Object.entries(groups)) {
    if (!(head in titles)) wrong.push(`${head} is the head of a group without an entry in a chapter`);
    const text = readFileSync(`${root}${head}.md`, 'utf8');
    const linked = new Set(
      [...text.matchAll(/\]\(([^)\s#:]+)\.md(?:#[^)]*)?\)/g)].map(([, path]) => posix.join(posix.dirname(head), path)),
    );
    for (const child of Object.keys(children)) if (!linked.has(child)) wrong.push(`${head}.md has no link to ${child}.md`);
  }
  if (wrong.length > 0) throw new Error(`The sidebar (site/.vitepress/sidebar.mjs):\n- ${wrong.join('\n- ')}`);
}
