/** The plugin for Vite where something is missing: the application is served, and the terminal names the problem. */
import { fileURLToPath } from 'node:url';
import { createLogger, createServer } from 'vite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { quiver } from './vite.js';

const root = fileURLToPath(new URL('attach.fixture', import.meta.url));
const page = '<head></head>';

async function started(url?: string) {
  const warnings: string[] = [];
  const customLogger = { ...createLogger('silent'), warn: (text: string) => void warnings.push(text) };
  const plugins = [quiver(url === undefined ? {} : { url })];
  const vite = await createServer({ root, configFile: false, customLogger, server: { hmr: false, ws: false }, plugins });
  onTestFinished(() => vite.close());
  return { warnings, served: await vite.transformIndexHtml('/', page) };
}

test('without the package ws', async () => {
  vi.doMock('ws', () => {
    throw new Error('not installed');
  });
  onTestFinished(() => {
    vi.doUnmock('ws');
  });
  const { warnings, served } = await started();
  expect(warnings).toEqual([
    'Quiver inspector: not started. An inspector page for programs (quiver explore --live, receiveInspection) needs the package ws. Install it: npm install ws',
  ]);
  expect(served).not.toContain('virtual:quiver-inspector');
});

test('with an address that is none', async () => {
  const { warnings, served } = await started('here');
  expect(warnings).toEqual([
    expect.stringMatching(/^Quiver inspector: not started\. .*"here" is not the address of an inspector/),
  ]);
  expect(served).not.toContain('virtual:quiver-inspector');
});

test('with an address without an inspector: the application reports when one starts', async () => {
  const { warnings, served } = await started('http://127.0.0.1:9/guess/');
  await expect
    .poll(() => warnings)
    .toEqual([expect.stringMatching(/^Quiver inspector: no inspector runs at http:\/\/127\.0\.0\.1:9\./)]);
  expect(served).toContain('virtual:quiver-inspector');
});
