/**
 * The size of each entry in an application: bundled for a browser by Vite, minified and gzipped, without the peers (xstate, rxjs, ws, NATS,
 * MQTT), in thousands of bytes. The figures are bounds; one that is more than a fifth too high is out of date and fails as well.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundle, bytesOf } from './weigh.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A whole entry, or some of its names. */
const BOUNDS_KB: Readonly<Record<string, number>> = {
  '.': 41,
  './locks': 66.4,
  './locks createLocks': 60.3,
  './locks createTabLocks': 56.1,
  './locks lockLogic': 4.2,
  './election': 34.3,
  './quota': 44.2,
  './names': 43.7,
  './bank': 38.4,
  './register': 11.1,
  './neighborhood': 31.5,
  './queue': 35.1,
  './cluster': 83.2,
  './node': 17,
  './transports': 40.9,
  './transports broadcastChannel': 4.4,
  './transports InProcessBus': 5.8,
  './transports webSocket': 7.1,
  './transports nats': 6,
  './transports linked': 26.7,
  './transports/node': 19,
  './transports/conformance': 4.1,
  './storage': 5.5,
  './storage/node': 1.2,
};

const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly default?: string }>>;
};
const builtOf = (entry: string): string => exports[entry]!.default!;

test('every entry for applications has a bound', () => {
  const tools = /^\.\/(machines|network|test|check|rehearsal|inspector|package\.json|scenario)/;
  const applications = Object.keys(exports).filter((entry) => !tools.test(entry));
  expect(applications.filter((entry) => BOUNDS_KB[entry] === undefined)).toEqual([]);
});

test.each(Object.entries(BOUNDS_KB))('%s', async (name, bound) => {
  const [entry, ...names] = name.split(' ') as [string, ...string[]];
  const measured = bytesOf(await bundle(builtOf(entry), names)) / 1000;
  expect(measured).toBeLessThanOrEqual(bound);
  expect(measured).toBeGreaterThan(0.8 * bound);
});

test('a browser loads nothing but XState for the inspector', async () => {
  const chunks = await bundle(exports['./inspector/browser']!.default!);
  expect(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])).toEqual(['xstate']);
});
