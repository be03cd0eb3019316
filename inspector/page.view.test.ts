/** `<quiver-view>` on a web page, in Chromium. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { counterexampleTrace } from './counterexample.fixtures.js';
import { pageUrl, visit, type Visited } from './page/testing/browser.js';
import { keepPicture } from './page/testing/pictures.js';

let server: Server;
let visited: Visited;
const asked: string[] = [];

const HOST = `<!doctype html><title>a report</title><h1>What went wrong</h1>
<script type="module" src="/view.js"></script>
<quiver-view src="/failure.ndjson"></quiver-view>`;

/** The element as a bundler packs it, with the page that is tested. */
async function viewModule(): Promise<string> {
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    resolve: {
      alias: [{ find: /^\.\/page\/(?=whole\/index\.js$|chart-engine\.js$)/, replacement: fileURLToPath(pageUrl) }],
    },
    build: {
      write: false,
      rolldownOptions: {
        input: fileURLToPath(new URL('view.ts', import.meta.url)),
        preserveEntrySignatures: 'strict',
        output: { codeSplitting: false },
      },
    },
  })) as Rolldown.RolldownOutput;
  return output.map((part) => (part.type === 'chunk' ? part.code : '')).join('');
}

beforeAll(async () => {
  const answers: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/': ['text/html', HOST],
    '/view.js': ['text/javascript', await viewModule()],
    '/failure.ndjson': ['text/plain', counterexampleTrace()],
  };
  server = createServer(({ url }, response) => {
    asked.push(url!);
    const [type, text] = answers[url!] ?? ['text/plain', ''];
    response.writeHead(text === '' ? 404 : 200, { 'content-type': type }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  visited = await visit(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});

afterAll(async () => {
  await visited.leave(/404/);
  server.close();
});

const inside = () => visited.page.frameLocator('quiver-view iframe');

test('it shows the trace of its address, in an isolated frame without requests', async () => {
  await inside().locator('.page[data-read="true"]').waitFor();
  expect(await inside().locator('.verdict').innerText()).toMatch(/^Violated: every request succeeds/);
  expect(asked.filter((url) => url !== '/favicon.ico')).toEqual(['/', '/view.js', '/failure.ndjson']);
  const seen = await inside()
    .locator('body')
    .evaluate(() => {
      try {
        return parent.document.title;
      } catch (error) {
        return (error as Error).name;
      }
    });
  expect(seen).toBe('SecurityError');
  await keepPicture(visited.page, 'inspector-view');
});

test('the text of a trace has precedence over the address, and is only text', async () => {
  const evil = '</script><script>document.title = "owned"</script>';
  await visited.page
    .locator('quiver-view')
    .evaluate(
      (view, trace) => void Object.assign(view, { trace }),
      counterexampleTrace().replaceAll('"n1"', JSON.stringify(evil)),
    );
  await inside().locator('.verdict', { hasText: 'for n0 and </script>' }).waitFor();
  expect(
    await inside()
      .locator('html')
      .evaluate(() => document.title),
  ).toBe('Quiver inspector');
});

test('a loading error is shown and dispatched; a later trace is shown', async () => {
  const view = visited.page.locator('quiver-view');
  const message = await view.evaluate(
    (element) =>
      new Promise<string>((resolve) => {
        element.addEventListener('error', (event) => resolve((event as ErrorEvent).message), { once: true });
        Object.assign(element, { trace: null, src: '/away.ndjson' });
      }),
  );
  expect(message).toMatch(/^The trace could not be loaded: http:.*\/away\.ndjson responded with status 404\./);
  await inside().getByText('quiver-view: The trace could not be loaded').waitFor();
  await view.evaluate((element) => element.setAttribute('src', '/failure.ndjson'));
  await inside().locator('.page[data-read="true"]').waitFor();
});

test('an invalid trace is shown and dispatched like a loading error', async () => {
  const view = visited.page.locator('quiver-view');
  const reported = (given: string) =>
    view.evaluate(
      (element, trace) =>
        new Promise<string>((resolve) => {
          element.addEventListener('error', (event) => resolve((event as ErrorEvent).message), { once: true });
          Object.assign(element, { trace });
        }),
      given,
    );
  expect(await reported('<!doctype html><p>not found')).toBe('This is not a Quiver trace: the line is not JSON.');
  await inside().getByText('quiver-view: This is not a Quiver trace').waitFor();
  expect(await reported('')).toBe('The trace is empty.');
  expect(await reported(counterexampleTrace().replace(/"quiver":\d+/, '"quiver":99'))).toMatch(/it is of version 99/);
});
