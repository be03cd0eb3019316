/**
 * What an application carries of each entry: bundled for a browser by Vite, minified and gzipped, without the peers (xstate, rxjs, ws,
 * NATS, MQTT), in thousands of bytes. The figures are bounds; one that has room of a fifth is out of date and fails as well.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundle, bytesOf } from './weigh.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const BOUNDS_KB: Readonly<Record<string, number>> = {
  '.': 129.8,
  './inspector/browser': 7.7,
  './adapters/quota': 25.9,
  './adapters/tab-locks': 50,
  './adapters/lasting-quota': 9.9,
  './adapters/lasting-names': 9.7,
  './adapters/register': 9.5,
  './adapters/names': 25.6,
  './adapters/bank': 25.9,
  './adapters/transport': 2.2,
  './adapters/errors': 0.28,
  './adapters/conformance': 3.9,
  './adapters/in-process': 5.4,
  './adapters/message-port': 6.2,
  './adapters/broadcast-channel': 3.9,
  './adapters/web-socket': 6.7,
  './adapters/web-socket-hub': 9.8,
  './adapters/web-socket-mesh': 15.7,
  './adapters/nats': 5.3,
  './adapters/mqtt': 5.0,
  './adapters/node': 15.3,
  './adapters/node-logic': 0.63,
  './adapters/lock': 1.16,
  './adapters/election': 21.5,
  './adapters/storage': 0.7,
  './adapters/folder-storage': 1.15,
  './adapters/indexed-db-storage': 0.8,
  './adapters/jet-stream-storage': 1.3,
  './adapters/linked': 23.2,
  './adapters/sealed': 8.6,
  './adapters/neighborhood': 20.7,
  './adapters/locks': 45.8,
};

const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly default?: string }>>;
};
const entries = Object.entries(exports).flatMap(([name, target]) =>
  name.startsWith('./adapters/') || ['.', './inspector/browser'].includes(name) ? [[name, target.default!] as const] : [],
);

test('every entry for applications has a bound', () => {
  expect(Object.keys(BOUNDS_KB)).toEqual(entries.map(([name]) => name));
});

test.each(entries)('%s', async (name, built) => {
  const measured = bytesOf(await bundle(built)) / 1000;
  expect(measured).toBeLessThanOrEqual(BOUNDS_KB[name]!);
  expect(measured).toBeGreaterThan(0.8 * BOUNDS_KB[name]!);
});

test('a browser loads nothing but XState for the inspector', async () => {
  const chunks = await bundle(exports['./inspector/browser']!.default!);
  expect(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])).toEqual(['xstate']);
});
