/** Where each page stands, and parts of the longest one. The build fails for a page of docs/ that stands nowhere, and for one that is not there. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pages = readdirSync(fileURLToPath(new URL('../../docs', import.meta.url)), { recursive: true }).filter((name) =>
  name.endsWith('.md'),
);

const chapters = {
  'Getting started': {
    'start/xstate': 'XState developers',
    'start/backend': 'Backend developers',
    'start/tabs': 'Front-end developers',
    'start/tester': 'Testers',
    'start/student': 'Students',
    concepts: 'Concepts, in pictures',
    'how-locks-work': 'How locks work',
    comparison: 'When to use something else',
  },
  Guides: {
    shipping: 'Shipping an application',
    locks: 'Locks',
    'operating-locks': 'Operating locks',
    'tab-locks': 'Tab locks',
    registers: 'Registers',
    cluster: 'Cluster actors',
    composing: 'Composing machines into an app',
    'cluster-comparison': 'Cluster actors and their alternatives',
    leaders: 'Leaders',
    election: 'The election',
    quotas: 'Quotas, names and a bank',
    controller: 'The resource controller',
    directory: 'One token',
    queue: 'A queue that repairs itself',
    exclusion: 'Neighborhood locks',
    transports: 'Connections, from nothing',
    'transports/in-process': 'In process',
    'transports/message-port': 'Message port',
    'transports/broadcast-channel': 'Broadcast channel',
    'transports/web-socket': 'A WebSocket hub',
    'transports/web-socket-mesh': 'A mesh of WebSockets',
    'transports/nats': 'NATS',
    'transports/mqtt': 'MQTT',
    'transports/sealed': 'Sealed',
    rehearsal: 'Rehearsal',
    'testing-machines': 'Tests for any XState machine',
    'testing-actors': 'Machines that communicate',
    scenarios: 'Scenarios',
    'own-protocol': 'Your own protocol',
    testing: 'Tests for protocols',
    checking: 'Checking',
    inspector: 'The inspector',
    'inspector-attach': 'Attaching a program',
    rxjs: 'The bus and RxJS',
    compile: 'Compiled machines',
    classics: 'The classics',
  },
  Recipes: {
    'recipes/cron': 'A cron that fires once',
    'recipes/job-queue': 'A job queue',
    'recipes/single-writer': 'A single writer',
    'recipes/rate-limit': 'A rate limit',
    'recipes/shared-document': 'A shared document',
    'recipes/playwright': 'Paths as Playwright tests',
    'recipes/react': 'Paths as tests of a React component',
    'recipes/from-redlock': 'From redlock',
    'recipes/from-web-locks': 'From Web Locks',
    'recipes/from-broadcast-channel': 'From broadcast-channel',
    'from-xstate-test': 'From @xstate/test',
  },
  Reference: {
    glossary: 'Glossary',
    'inspector-reference': 'Keys and queries of the inspector',
    'testing-machines-reference': 'Tests of a machine',
    'scenarios-reference': 'Scenarios',
    'wire-format': 'Wire format',
    'threat-model': 'Threat model',
    'xstate-order': 'The order of XState',
    versions: 'Versions',
  },
  Evidence: {
    'how-it-is-tested': 'How it is tested',
    mutation: 'Mutation testing',
    'rehearsal-record': 'Schedules that were run',
    'evidence/locks': 'Locks',
    'evidence/controller': 'The controller',
    'evidence/election': 'The election',
    'evidence/rehearsal': 'Rehearsal',
    'evidence/checking': 'Checking',
    'evidence/machines': 'What generated tests find',
    'evidence/generated-tests': 'Generated tests',
    'evidence/inspector': 'The inspector',
    'evidence/classics': 'The classics',
    chaos: 'Real processes killed',
    peers: 'Side by side with others',
    errata: 'Mistakes in the papers',
    'printed-deadlock': 'A deadlock in a paper',
    stories: 'Six stories',
  },
};

const given = Object.values(chapters).flatMap((items) => Object.keys(items).map((place) => `${place.split('#')[0]}.md`));
const nowhere = pages.filter((page) => !given.includes(page));
const absent = given.filter((page) => !pages.includes(page));
if (nowhere.length > 0)
  throw new Error(`the sidebar has no place for ${nowhere.join(', ')}; add it in site/.vitepress/sidebar.mjs`);
if (absent.length > 0)
  throw new Error(`the sidebar names ${absent.join(', ')}, which docs/ has not; take it out of site/.vitepress/sidebar.mjs`);

export const sidebar = [
  { text: 'Quiver', link: '/' },
  ...Object.entries(chapters).map(([text, items]) => ({
    text,
    items: Object.entries(items).map(([page, text]) => ({ text, link: `/docs/${page}` })),
  })),
  {
    text: 'Applications to deploy',
    items: [
      { text: 'A job runner on NATS', link: '/examples/apps/job-runner/README' },
      { text: 'A board for a team', link: '/examples/apps/board/README' },
      { text: 'A fleet of robots', link: '/examples/apps/robots/README' },
    ],
  },
  { text: 'All that is exported', link: '/reference/' },
  {
    text: 'The project',
    items: [
      { text: 'Architecture', link: '/ARCHITECTURE' },
      { text: 'Contributing', link: '/CONTRIBUTING' },
      { text: 'Security', link: '/SECURITY' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
  },
];
