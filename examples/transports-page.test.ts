/**
 * Test of docs/transports.md and the pages of the transports: every block runs as its own program, with real servers, and messages arrive.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cert, key } from '../adapters/transports/certificate.fixture.js';
import { freePort, hasCommand } from '../testing/servers.js';
import { LASTING, LASTING_MQTT } from '../testing/rehearsal/locks.js';
import { mosquitto, natsServer, type Server } from '../adapters/transports/servers.fixture.js';

const docs = new URL('../docs/', import.meta.url);
const pages = readdirSync(new URL('transports', docs)).map((name) => `transports/${name}`);
const textOf = (page: string): string => readFileSync(new URL(page, docs), 'utf8');
/** transports.md comes first: its first block uses the transport that each other block makes. */
const text = ['transports.md', ...pages].map(textOf).join('\n');
const jobRunner = readFileSync(new URL('apps/job-runner/main.js', import.meta.url), 'utf8');
const [use, ...blocks] = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, block]) => block!);
const folder = mkdtempSync(join(tmpdir(), 'quiver-transports-'));
const servers: Partial<Record<'nats' | 'mqtt', Server>> = {};

beforeAll(async () => {
  writeFileSync(join(folder, 'key.pem'), key);
  writeFileSync(join(folder, 'cert.pem'), cert);
  if (hasCommand('nats-server')) servers.nats = await natsServer();
  if (hasCommand('mosquitto')) servers.mqtt = await mosquitto();
});
afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.kill()));
  rmSync(folder, { recursive: true });
});

/** The page's ports and files are those of this machine then. */
async function onThisMachine(block: string): Promise<string> {
  let text = block.replaceAll('4222', String(servers.nats?.port)).replaceAll('1883', String(servers.mqtt?.port));
  for (const port of ['8080', '8081', '7001', '7002']) text = text.replaceAll(port, String(await freePort()));
  for (const file of ['key.pem', 'cert.pem']) text = text.replaceAll(`'${file}'`, JSON.stringify(join(folder, file)));
  return text.replace('quiver.default.svc.cluster.local', 'localhost').replace('0.0.0.0', '127.0.0.1');
}

/** In the root of the repository, where the package finds itself by its name. */
function run(program: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '-'], { cwd: new URL('..', import.meta.url) });
  let reported = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (reported += text));
  child.stdin.end(program);
  return new Promise((resolve) => child.once('close', () => resolve(reported)));
}

const titleOf = (block: string): string =>
  text
    .slice(0, text.indexOf(block))
    .match(/^#+ (.*)$/gm)!
    .at(-1)!
    .replace(/#+ /, '');
const isRunnable = (block: string) =>
  (hasCommand('nats-server') || !block.includes('transport-node')) && (hasCommand('mosquitto') || !block.includes("'mqtt'"));

test('each exported transport has a page with a block and its packages to install', () => {
  const exported = Object.keys((JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object }).exports);
  const transports = {
    InProcessBus: ['local', 'transports'],
    messagePort: ['local', 'transports'],
    broadcastChannel: ['local', 'transports'],
    webSocket: ['web-socket', 'transports'],
    webSocketHub: ['web-socket', 'transports/node'],
    webSocketMesh: ['web-socket', 'transports/node'],
    nats: ['brokers', 'transports'],
    mqtt: ['brokers', 'transports'],
    sealed: ['brokers', 'transports'],
  } as const;
  const pageOf = (name: keyof typeof transports): string => `transports/${transports[name][0]}.md`;
  const isShown = (name: keyof typeof transports) =>
    new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from 'xstate-quiver/${transports[name][1]}'`).test(textOf(pageOf(name)));
  const hasItsParts = (page: string) => /^# .*\n\n[A-Z][^]*?\n\n```sh\nnpm install [^]*\n## Limitations\n- /.test(textOf(page));
  const names = Object.keys(transports) as (keyof typeof transports)[];
  expect([...new Set(names.map(pageOf))].sort()).toEqual(pages.toSorted());
  expect(pages.filter((page) => !hasItsParts(page))).toEqual([]);
  expect(names.filter((name) => !exported.includes(`./${transports[name][1]}`))).toEqual([]);
  expect(names.filter((name) => !isShown(name))).toEqual([]);
});

test.each(blocks.map((block, i) => [titleOf(block), i + 1, block] as const))('%s (block %i) runs', async (_, __, block) => {
  if (!isRunnable(block)) return console.warn('skipped: it needs nats-server or mosquitto');
  const makesTwo = /\ba\b.*\bb\b/s.test(block) && !block.includes('pod.connect');
  const reported = await run(`${await onThisMachine(block)}\n${makesTwo ? use : ''}\nprocess.exit();`);
  expect(reported).toBe(makesTwo ? 'a says hello\n' : 'listening, and looking for others at true\n');
});

test.each([
  ['docs/transports/brokers.md (MQTT)', textOf('transports/brokers.md'), 'keepalive', LASTING_MQTT],
  ['docs/transports/brokers.md (NATS)', textOf('transports/brokers.md'), 'waitOnFirstConnect', LASTING],
  ['examples/apps/job-runner', jobRunner, 'waitOnFirstConnect', LASTING],
])('rehearsals connect with the settings of %s', (_name, page, first, settings) => {
  const notified = new RegExp(`\\{\\s*${first}:[^}]*\\}`).exec(page)![0];
  expect(runInNewContext(`(${notified})`)).toEqual(settings);
});
