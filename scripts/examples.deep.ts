/**
 * Checks the examples of the docstrings: all compile, and complete programs (those with imports) run.
 *
 * They are in a folder that knows the package by its name, as in an application. The others are a line or two about an object that a reader
 * has already; FRAGMENTS contains its type.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { declarationsOf, entries, namesOf, root } from './public-face.js';

const FRAGMENTS = `
import type { Election } from 'xstate-quiver/election';
import type { Locks } from 'xstate-quiver/locks';
declare const election: Election;
declare const locks: Locks;
declare const health: { set(isServed: boolean, missing: readonly string[]): void };
declare const fire: (options: { readonly fence: number; readonly signal: AbortSignal }) => Promise<void>;
declare const page: string;
declare const print: (page: string, fence: number) => Promise<void>;
declare const token: string;
declare const createServer: typeof import('node:http').createServer;
declare const transfer: (from: number | undefined, to: number | undefined, signal: AbortSignal) => Promise<void>;
`;

/**
 * Code that must compile, and code that must not: the guarantees of each transport are types, so a node rejects a transport with too few.
 * Objects such as locks add the link layer and accept every transport.
 */
const TRANSPORTS = `
import type { MqttClient } from 'mqtt';
import type { NatsConnection } from '@nats-io/nats-core';
import { broadcastChannel, InProcessBus, linked, messagePort, mqtt, nats, webSocket } from 'xstate-quiver/transports';
import { createLocks } from 'xstate-quiver/locks';
import { directory } from 'xstate-quiver/machines';
import { createNode } from 'xstate-quiver/node';
import { webSocketMesh } from 'xstate-quiver/transports/node';
declare const broker: { readonly mqtt: MqttClient; readonly nats: NatsConnection };
const id = 'a';
const peers = ['a', 'b'];
const topology = { nodes: peers, links: [['a', 'b', 1] as [string, string, number]] };
const lossy = {
  mesh: webSocketMesh({ id, listen: { port: 1 }, peers: [] }),
  hub: webSocket({ id, url: 'ws://hub' }),
  channel: broadcastChannel({ id }),
  nats: nats({ id, connection: async () => broker.nats }),
  mqtt: mqtt({ id, connection: async () => broker.mqtt }),
};
// @ts-expect-error
createNode({ transport: lossy.mesh, protocol: directory, topology });
// @ts-expect-error
createNode({ transport: lossy.hub, protocol: directory, topology });
// @ts-expect-error
createNode({ transport: lossy.channel, protocol: directory, topology });
// @ts-expect-error
createNode({ transport: lossy.nats, protocol: directory, topology });
// @ts-expect-error
createNode({ transport: lossy.mqtt, protocol: directory, topology });
// @ts-expect-error
lossy.mesh.guarantees.nonsense;
for (const transport of Object.values(lossy)) {
  createLocks({ transport, peers });
  createNode({ transport: linked(transport, { peers }), protocol: directory, topology });
}
createLocks({ transport: new InProcessBus().transport(id), peers });
createLocks({ transport: messagePort(new MessageChannel().port1, { id }), peers });
`;

/** Programs that need what a test of this kind has not. */
const NOT_RUN: Readonly<Record<string, string>> = {
  indexedDbStorage: 'a browser',
  QuiverView: 'a browser',
  jetStreamStorage: 'a NATS server',
  postgresStorage: 'a Postgres server',
  redisStorage: 'a Redis server',
  mqtt: 'an MQTT broker',
  nats: 'a NATS server',
  describeMachine: 'a test runner, and test/machine does so',
  describeProtocol: 'a test runner, and machines/ do so',
  describeScenarios: 'a test runner, and a file',
  rehearsalMatchers: 'a test runner, and test/rehearsal does so',
  transportConformance: 'a test runner, and adapters/transports does so',
};

const docstrings = entries
  .flatMap(([, file]) => namesOf(file).flatMap((name) => declarationsOf(file, name).map((one) => ({ name, ...one }))))
  .flatMap(({ name, docs, inner }) => [docs, ...inner].map((text) => ({ name, text: text.replaceAll(/^ *\* ?/gm, '') })));

/** By their code: what several entries export has its examples once. */
const examples = new Map(
  docstrings.flatMap(({ name, text }) =>
    [...text.matchAll(/@example\n```ts\n(.*?)```/gs)].map(([, code]) => [code!, name] as const),
  ),
);

test('each example is a block of code', () => {
  const others = docstrings.filter(({ text }) => /@example(?!\n```ts\n)/.test(text));
  expect(others.map(({ name }) => name)).toEqual([]);
});

test('what does not run here is an example', () => {
  const names = [...examples.values()];
  expect(Object.keys(NOT_RUN).filter((name) => !names.includes(name))).toEqual([]);
});

const folder = mkdtempSync(join(tmpdir(), 'quiver-examples-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('examples compile with every entry, declarations are complete, programs run', () => {
  mkdirSync(join(folder, 'node_modules'));
  const clients = ['ws', 'mqtt', '@nats-io', 'redis', '@redis', 'pg', '@opentelemetry'];
  for (const each of ['xstate', 'rxjs', '@types', 'vitest', 'fast-check', ...clients])
    symlinkSync(join(root, 'node_modules', each), join(folder, 'node_modules', each));
  symlinkSync(root, join(folder, 'node_modules/xstate-quiver'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const files = [...examples].map(([code, name], i) => {
    const isProgram = /^import /m.test(code);
    const file = `${i}-${name}.ts`;
    writeFileSync(join(folder, file), isProgram ? code : `${FRAGMENTS}${code}`);
    return { file, name, isProgram };
  });
  const all = entries.map(([entry], i) => `export * as e${i} from '${entry.replace('.', 'xstate-quiver')}';`);
  writeFileSync(join(folder, 'entries.ts'), all.join('\n'));
  writeFileSync(join(folder, 'transports.ts'), TRANSPORTS);
  // An undeclared name in a declaration is an error only if the declarations themselves are checked; elsewhere it is \`any\`.
  const sources = ['entries.ts', 'transports.ts', ...files.map(({ file }) => file)];
  const flags =
    '--strict --skipLibCheck false --module nodenext --target es2022 --lib es2023,esnext.disposable,dom --types node --outDir out';
  expect(complaintsOf([join(root, 'node_modules/typescript/bin/tsc'), ...flags.split(' '), ...sources])).toBe('');

  const programs = files.filter(({ name, isProgram }) => isProgram && !(name in NOT_RUN));
  const lines = programs.map(({ file }) => `await import('./out/${file.replace('.ts', '.js')}').catch(fail('${file}'));`);
  const fail = 'const fail = (file) => (error) => { console.error(file, error); process.exitCode = 1; };';
  writeFileSync(join(folder, 'main.js'), ['console.log = () => {};', fail, ...lines].join('\n'));
  expect(complaintsOf(['main.js'])).toBe('');
}, 120_000);

/** The error output of a program; empty if it succeeds. */
function complaintsOf(args: readonly string[]): string {
  try {
    execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe', timeout: 600_000 });
    return '';
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    // Vitest's declarations name happy-dom, whose own need newer ones of Node.
    const text = `${stdout}${stderr}`;
    const rest = text.replaceAll(/^.*node_modules\/happy-dom\/.*\n/gm, '');
    return text !== '' && rest === '' ? '' : `${rest}${String(error)}`;
  }
}
